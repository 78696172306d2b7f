import type { PoolClient } from 'pg';
import type { User } from '../../../model/access';
import { writeReadableCondition, StatementValues } from '../../vector/pgvector-access';
import { type Described, listTables } from '../../vector/pgvector-catalogue';
import { quoteIdentifier, quoteText } from '../../vector/pgvector-connection';
import type { SearchRequest } from '../ports';
import type { IndexMapping } from '../ranking/vectors';
import { listConditions } from './conditions';

/** The tables of one search. */
export type Tables = ReadonlyMap<string, Described>;

/** The columns of a record that searches read. */
const columns = `id, document_id, job_id, run_id, content, title, metadata, created_at, updated_at, created_time, updated_time,
  analysis, words, exact, word_count, allowed_users, allowed_principals, denied_principals, required_lists`;

/** All tables that the request looks in; its names may be those of aliases. Unknown names match nothing. */
export async function findTables(client: PoolClient, { scope }: Pick<SearchRequest, 'scope'>): Promise<Tables> {
  const { tables, aliases } = await listTables(client);
  if (!scope?.indexes) return tables;
  const indexNames = new Set(scope.indexes.map((name) => aliases.get(name) ?? name));
  return new Map([...tables].filter(([name]) => indexNames.has(name)));
}

/** The rows of all tables as `records`, each with the name of its table. */
export function writeRecords(tables: Tables): string {
  const parts = [...tables.keys()].map(
    (name) => `SELECT ${quoteText(name)}::text AS index_name, ${columns} FROM ${quoteIdentifier(name)}`,
  );
  return `(${parts.join(' UNION ALL ')}) AS records`;
}

/** The access rule and the request's restrictions as one condition. */
export function formatRestrictions(
  user: User,
  request: Pick<SearchRequest, 'filters' | 'scope' | 'unlike'>,
  values: StatementValues,
): string {
  return [writeReadableCondition(user, values.add), ...listConditions(request, values.add)].join(' AND ');
}

/** The tables with vectors in which the request leaves readable rows, in the form of the engine's mappings. */
export async function readMappings(
  client: PoolClient,
  tables: Tables,
  user: User,
  request: SearchRequest,
): Promise<Record<string, IndexMapping>> {
  const mappings: Record<string, IndexMapping> = {};
  for (const [name, { dimension, embedding, space }] of tables) {
    if (dimension === undefined) continue;
    const values = new StatementValues();
    const { rows } = await client.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM ${quoteIdentifier(name)} WHERE embedding IS NOT NULL AND ${formatRestrictions(user, request, values)}) AS found`,
      values.list,
    );
    if (rows[0]?.found)
      mappings[name] = {
        mappings: {
          ...(embedding ? { _meta: { embedding } } : {}),
          properties: { embedding: { dimension, method: { engine: 'pgvector', space_type: space } } },
        },
      };
  }
  return mappings;
}

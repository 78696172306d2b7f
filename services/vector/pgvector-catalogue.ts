import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { IndexEmbedding } from '../../model/llm/index-embedding';
import type { IndexSpec } from '../search/ports';
import { quoteIdentifier, quoteText } from './pgvector-connection';

/** The content of the comment of a table or view. */
interface Comment {
  docloom_uuid?: string;
  docloom_space?: string;
  docloom_alias?: string;
  docloom_embedding?: IndexEmbedding;
  docloom_hidden?: boolean;
}

/** A table or view of a database. */
export interface Described {
  /** Undefined for a table that Docloom did not make. */
  uuid: string | undefined;
  space: string;
  /** The table that an alias points to. */
  holder: string | undefined;
  dimension: number | undefined;
  embedding: IndexEmbedding | undefined;
  /** True while another table has the alias that is meant for this one. */
  isHidden: boolean;
  /** True if searches by words find its rows. */
  isSearchable: boolean;
}

const columns = `obj_description(c.oid, 'pg_class') AS comment,
  (SELECT a.atttypmod FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'embedding' AND NOT a.attisdropped) AS dimension,
  EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'updated_time' AND NOT a.attisdropped) AS searchable`;

interface Row {
  comment: string | null;
  dimension: number | null;
  searchable: boolean;
}

/** Undefined if there is no such table or view. */
export async function describe(client: PoolClient, name: string): Promise<Described | undefined> {
  const { rows } = await client.query<Row>(
    `SELECT ${columns} FROM pg_class c WHERE c.oid = to_regclass($1) AND c.relkind IN ('r', 'p', 'v')`,
    [quoteIdentifier(name)],
  );
  return rows[0] && buildDescription(rows[0]);
}

/** The tables that Docloom made and that no alias hides, and the aliases with the tables that they point to. */
export async function listTables(
  client: PoolClient,
): Promise<{ tables: Map<string, Described>; aliases: Map<string, string> }> {
  const { rows } = await client.query<Row & { name: string }>(
    `SELECT c.relname AS name, ${columns} FROM pg_class c
     WHERE c.relkind IN ('r', 'v') AND pg_table_is_visible(c.oid) AND obj_description(c.oid, 'pg_class') LIKE '%docloom_uuid%'
     ORDER BY c.relname`,
  );
  const all = rows.map((row) => [row.name, buildDescription(row)] as const);
  return {
    tables: new Map(
      all.filter(([, { uuid, holder, isHidden, isSearchable }]) => uuid && !holder && !isHidden && isSearchable),
    ),
    aliases: new Map(all.flatMap(([name, { holder }]) => (holder === undefined ? [] : [[name, holder]]))),
  };
}

function buildDescription({ comment, dimension, searchable }: Row): Described {
  const said = readComment(comment);
  return {
    uuid: said.docloom_uuid,
    space: said.docloom_space ?? 'l2',
    holder: said.docloom_alias,
    embedding: said.docloom_embedding,
    isHidden: said.docloom_hidden === true,
    isSearchable: searchable,
    dimension: dimension !== null && dimension > 0 ? dimension : undefined,
  };
}

function readComment(comment: string | null): Comment {
  try {
    const value: unknown = JSON.parse(comment ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // Somebody else's table may have any comment.
    return {};
  }
}

/** Changes members of the comment of a table. */
export async function changeComment(client: PoolClient, name: string, change: Comment): Promise<void> {
  const { rows } = await client.query<{ comment: string | null }>(
    "SELECT obj_description(to_regclass($1), 'pg_class') AS comment",
    [quoteIdentifier(name)],
  );
  const comment = JSON.stringify({ ...readComment(rows[0]?.comment ?? null), ...change });
  await client.query(`COMMENT ON TABLE ${quoteIdentifier(name)} IS ${quoteText(comment)}`);
}

/** The comment of a new table. */
export function createComment(spec: IndexSpec, isHidden: boolean): Comment & { docloom_uuid: string } {
  return {
    docloom_uuid: randomUUID(),
    docloom_space: spec.spaceType,
    ...(spec.embedding && spec.vectorDimension !== undefined ? { docloom_embedding: spec.embedding } : {}),
    ...(isHidden ? { docloom_hidden: true } : {}),
  };
}

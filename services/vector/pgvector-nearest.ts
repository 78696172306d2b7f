import type { PoolClient } from 'pg';
import type { StatementValues } from './pgvector-access';
import { quoteIdentifier } from './pgvector-connection';
import { getOperator, writeVector } from './pgvector-table';

/** From this version on, an index search continues until it has enough rows that satisfy the condition. */
const iterativeVersion = [0, 8] as const;
/** Up to this many rows, an exact search is faster than one that finds them with the index. */
const maxExact = 10_000;
/** Rows that an index search visits at most. If it finds too few, the exact search follows. */
const maxVisited = 100_000;
const minCandidates = 400;

/** A row, and the distance of its vector. */
export interface Near {
  id: string;
  document_id: string;
  distance: number;
}

interface Nearest {
  vector: readonly number[];
  limit: number;
  space: string;
  /** The access rule, and further conditions. Its values are in `values`. */
  condition: string;
  values: StatementValues;
}

/**
 * The nearest rows of a table or view that satisfy the condition. An index returns its nearest rows before conditions are checked, which could
 * leave none: it must then continue. With few rows, or an older extension, the search is exact. Runs in a transaction.
 */
export async function findNearest(
  client: PoolClient,
  name: string,
  { vector, limit, space, condition, values }: Nearest,
): Promise<Near[]> {
  const table = quoteIdentifier(name);
  const where = `embedding IS NOT NULL AND ${condition}`;
  const counted = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${table} WHERE ${where} LIMIT ${maxExact + 1}) AS first_rows`,
    values.list,
  );
  const count = counted.rows[0]?.count ?? 0;
  if (count === 0) return [];
  const list = [...values.list, writeVector(vector), limit];
  const distance = `embedding ${getOperator(space)} $${values.list.length + 1}::vector`;
  const read = async (order: string) =>
    (
      await client.query<Near>(
        `SELECT id, document_id, ${distance} AS distance FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT $${values.list.length + 2}`,
        list,
      )
    ).rows;
  if (count > maxExact && (await prepareIndexSearch(client))) {
    const nearest = await read(distance);
    // Some kinds of indexes return their rows only nearly in order.
    if (nearest.length >= limit) return nearest.toSorted((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1));
  }
  // An index cannot order by this expression. Equal distances are in the order of ids.
  return read(`(${distance}) + 0, id`);
}

/** False if the extension cannot continue an index search. */
async function prepareIndexSearch(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ extversion: string }>(
    "SELECT extversion FROM pg_extension WHERE extname = 'vector'",
  );
  const [major = 0, minor = 0] = (rows[0]?.extversion ?? '').split('.').map(Number);
  if (major === iterativeVersion[0] && minor < iterativeVersion[1]) return false;
  for (const [name, value] of [
    ['hnsw.iterative_scan', 'strict_order'],
    ['hnsw.ef_search', minCandidates],
    ['hnsw.max_scan_tuples', maxVisited],
    ['ivfflat.iterative_scan', 'relaxed_order'],
  ])
    await client.query(`SET LOCAL ${name} = ${value}`);
  return true;
}

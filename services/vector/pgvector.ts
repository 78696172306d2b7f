import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Reader } from '../../model/access';
import { knownPrincipals } from '../../model/access-list';
import { AppError } from '../../model/errors';
import type { AddressGuard } from '../net/address-guard';
import type { IndexRecord, IndexSpec, NearestQuery, RemovalScope, SearchTarget } from '../search/ports';
import { connect, type Opened, quoteIdentifier, quoteText, storeError, withClient } from './pgvector-connection';
import { columnNames, createIndexSql, createTableSql, getOperator, getValues, vectorText } from './pgvector-table';
import { checkCollectionName, checkDimension, splitRejected, type VectorStore } from './store';

/** Records of one statement, which may have 65,535 parameters. */
const together = 200;
const longestName = 63;
/** With fewer vectors, an exact search is faster than an index. */
const leastForIndex = 10_000;
/** Advisory lock for making tables, because two processes that make the same one at once would conflict. */
const makingLock = 726_533_042;
/** From this version on, an index search continues until it has enough readable rows. */
const iterativeVersion = [0, 8];

/**
 * Collections as tables of PostgreSQL with the extension pgvector, on servers named in flows. Access lists are columns, and the whole
 * rule of readers is part of each query. An alias is a view. The client is loaded on first use, every address passes the guard.
 */
export function createPgvectorStore(deps: { guard: AddressGuard }): VectorStore {
  return new PgvectorStore(deps);
}

class PgvectorStore implements VectorStore {
  private readonly pools = new Map<string, Promise<Opened>>();
  private readonly specs = new Map<string, IndexSpec>();

  constructor(private readonly deps: { guard: AddressGuard }) {}

  async ensureIndex(spec: IndexSpec, target: SearchTarget | undefined, signal: AbortSignal) {
    checkName(spec.name);
    const opened = await this.open(target);
    signal.throwIfAborted();
    this.specs.set(getKey(spec.name, opened), spec);
    return inTransaction(opened, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [makingLock]);
      if (spec.vectorDimension !== undefined) await client.query('CREATE EXTENSION IF NOT EXISTS vector');
      const description = await describe(client, spec.name);
      if (!description) return make(client, spec);
      if (!description.uuid)
        throw new AppError(
          'SEARCH_INDEX_ERROR',
          `The table '${spec.name}' on ${opened.address} was not created by Docloom. Choose another index_name.`,
        );
      checkDimension(spec.name, `on ${opened.address}`, description.dimension, spec);
      if (description.dimension === undefined && spec.vectorDimension !== undefined)
        await client.query(
          `ALTER TABLE ${quoteIdentifier(spec.name)} ADD COLUMN embedding vector(${spec.vectorDimension})`,
        );
      return description.uuid;
    });
  }

  async indexUuids(names: readonly string[], target?: SearchTarget) {
    const opened = await this.open(target);
    return withClient(opened, async (client) => {
      const found: Record<string, string> = {};
      for (const name of new Set(names)) {
        const { uuid, holder } = (await describe(client, name)) ?? {};
        if (uuid && holder === undefined) found[name] = uuid;
      }
      return found;
    });
  }

  async bulkIndex(
    index: string,
    records: readonly IndexRecord[],
    target: SearchTarget | undefined,
    signal: AbortSignal,
  ) {
    const opened = await this.open(target);
    return withClient(opened, async (client) => {
      const { dimension } = await existing(client, index, opened);
      const { taken, refused } = splitRejected(records, ({ embedding }) => findVectorProblem(embedding, dimension));
      const latest = [...new Map(taken.map((record) => [record.id, record])).values()];
      const columns = columnNames(dimension !== undefined);
      const updates = columns.slice(1).map((name) => `${name} = excluded.${name}`);
      for (let start = 0; start < latest.length; start += together) {
        signal.throwIfAborted();
        const part = latest.slice(start, start + together);
        const places = part.map(
          (_, row) => `(${columns.map((_name, column) => `$${row * columns.length + column + 1}`).join(', ')})`,
        );
        await client.query(
          `INSERT INTO ${quoteIdentifier(index)} (${columns.join(', ')}) VALUES ${places.join(', ')} ON CONFLICT (id) DO UPDATE SET ${updates.join(', ')}`,
          part.flatMap((record) => getValues(record, dimension !== undefined)),
        );
      }
      return refused;
    });
  }

  async removeDocuments(index: string, { jobId, documentIds, keepRunId }: RemovalScope, target?: SearchTarget) {
    if (documentIds.length === 0) return 0;
    const opened = await this.open(target);
    return withClient(opened, async (client) => {
      if (!(await describe(client, index))?.uuid) return 0;
      const { rowCount } = await client.query(
        `DELETE FROM ${quoteIdentifier(index)} WHERE job_id = $1 AND document_id = ANY($2) AND ($3::text IS NULL OR run_id <> $3)`,
        [jobId, [...documentIds], keepRunId ?? null],
      );
      return rowCount ?? 0;
    });
  }

  /** Creates the vector index of a table that has become large. */
  async refresh(index: string, target?: SearchTarget) {
    const opened = await this.open(target);
    const spec = this.specs.get(getKey(index, opened));
    await inTransaction(opened, async (client) => {
      const description = await describe(client, index);
      if (!description?.uuid || description.dimension === undefined || !spec) return;
      const { rows } = await client.query<{ count: string }>(
        `SELECT count(*) FROM (SELECT 1 FROM ${quoteIdentifier(index)} LIMIT ${leastForIndex}) AS first_rows`,
      );
      const statement = createIndexSql({ ...spec, spaceType: description.space }, description.dimension);
      if (Number(rows[0]?.count) < leastForIndex || statement === undefined) return;
      await client.query('SELECT pg_advisory_xact_lock($1)', [makingLock]);
      await client.query('SET LOCAL statement_timeout = 0');
      await client.query(statement);
    });
  }

  async pointAlias(alias: string, index: string, target?: SearchTarget) {
    checkName(alias);
    const opened = await this.open(target);
    await inTransaction(opened, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [makingLock]);
      const { uuid } = await existing(client, index, opened);
      const description = await describe(client, alias);
      if (description && description.holder === undefined)
        throw new AppError(
          'SEARCH_INDEX_ERROR',
          `'${alias}' is a table on ${opened.address}, so it cannot be an alias.`,
        );
      const [view, table] = [quoteIdentifier(alias), quoteIdentifier(index)];
      await client.query(`DROP VIEW IF EXISTS ${view}`);
      await client.query(`CREATE VIEW ${view} AS SELECT * FROM ${table}`);
      await client.query(
        `COMMENT ON VIEW ${view} IS ${quoteText(JSON.stringify({ docloom_alias: index, docloom_uuid: uuid }))}`,
      );
    });
  }

  async aliasHolders(alias: string, target?: SearchTarget) {
    const opened = await this.open(target);
    return withClient(opened, async (client) => {
      const description = await describe(client, alias);
      const holder = description?.holder === undefined ? undefined : await describe(client, description.holder);
      return description?.holder !== undefined && holder?.uuid ? { [description.holder]: holder.uuid } : {};
    });
  }

  async nearest(index: string, { vector, reader, limit }: NearestQuery, target?: SearchTarget) {
    const opened = await this.open(target);
    return inTransaction(opened, async (client) => {
      const named = await existing(client, index, opened);
      const { dimension, space } = named.holder === undefined ? named : await existing(client, named.holder, opened);
      if (dimension === undefined) return [];
      await prepareSearch(client);
      const { rows } = await client.query<{ id: string; document_id: string; content: string }>(
        `SELECT id, document_id, content FROM ${quoteIdentifier(index)} WHERE embedding IS NOT NULL AND ${readable} ORDER BY embedding ${getOperator(space)} $1::vector LIMIT $2`,
        [vectorText(vector), limit, ...readerValues(reader)],
      );
      return rows;
    });
  }

  async close() {
    for (const opened of this.pools.values()) await opened.then(({ pool }) => pool.end()).catch(() => undefined);
    this.pools.clear();
  }

  private open(target: SearchTarget | undefined): Promise<Opened> {
    if (!target)
      throw new AppError(
        'OPERATOR_CONFIGURATION_INVALID',
        'No PostgreSQL server is named; expected provider_config.host.',
      );
    const { host, port, useSsl, verifyCerts, username, password, database } = target;
    const key = JSON.stringify([host, port, useSsl, verifyCerts, username, password, database]);
    const opened = this.pools.get(key) ?? connect(target, this.deps.guard);
    this.pools.set(key, opened);
    opened.catch(() => this.pools.delete(key));
    return opened;
  }
}

/** `mayRead` as a condition. $3 is the name, $4 the principals, $5 whether they are known. */
const readable = `(
  (allowed_users @> ARRAY[$3::text] OR allowed_principals && $4::text[])
  AND NOT (CASE WHEN $5::boolean THEN denied_principals && $4::text[] ELSE cardinality(denied_principals) > 0 END)
  AND NOT EXISTS (
    SELECT 1 FROM jsonb_array_elements(required_lists) AS required
    WHERE NOT (required -> 'principals' ?| $4::text[])))`;

function readerValues(reader: Reader): unknown[] {
  return [reader.username, [...knownPrincipals(reader)], reader.principals !== undefined];
}

/**
 * An index returns its nearest rows before access is checked, which could leave none: it must then continue, or not be used.
 */
async function prepareSearch(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ extversion: string }>(
    "SELECT extversion FROM pg_extension WHERE extname = 'vector'",
  );
  const [major = 0, minor = 0] = (rows[0]?.extversion ?? '').split('.').map(Number);
  const isIterative = major > 0 || minor >= (iterativeVersion[1] as number);
  if (!isIterative) await client.query('SET LOCAL enable_indexscan = off');
  else {
    await client.query('SET LOCAL hnsw.iterative_scan = strict_order');
    await client.query('SET LOCAL ivfflat.iterative_scan = relaxed_order');
  }
}

interface Described {
  /** Undefined for a table that Docloom did not make. */
  uuid: string | undefined;
  space: string;
  /** The table that an alias points to. */
  holder: string | undefined;
  dimension: number | undefined;
}

async function describe(client: PoolClient, name: string): Promise<Described | undefined> {
  const { rows } = await client.query<{ comment: string | null; dimension: number | null }>(
    `SELECT obj_description(c.oid, 'pg_class') AS comment,
       (SELECT a.atttypmod FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'embedding' AND NOT a.attisdropped) AS dimension
     FROM pg_class c WHERE c.oid = to_regclass($1) AND c.relkind IN ('r', 'p', 'v')`,
    [quoteIdentifier(name)],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { docloom_uuid: uuid, docloom_space: space = 'l2', docloom_alias: holder } = readComment(row.comment);
  return { uuid, space, holder, dimension: row.dimension !== null && row.dimension > 0 ? row.dimension : undefined };
}

function readComment(comment: string | null): Record<string, string | undefined> {
  try {
    const value: unknown = JSON.parse(comment ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
  } catch {
    // Somebody else's table may have any comment.
    return {};
  }
}

async function existing(client: PoolClient, name: string, { address }: Opened): Promise<Described> {
  const description = await describe(client, name);
  if (description?.uuid) return description;
  throw new AppError('SEARCH_INDEX_ERROR', `There is no collection '${name}' on ${address}.`);
}

async function make(client: PoolClient, spec: IndexSpec): Promise<string> {
  const uuid = randomUUID();
  for (const statement of createTableSql(spec)) await client.query(statement);
  const comment = JSON.stringify({ docloom_uuid: uuid, docloom_space: spec.spaceType });
  await client.query(`COMMENT ON TABLE ${quoteIdentifier(spec.name)} IS ${quoteText(comment)}`);
  return uuid;
}

function inTransaction<T>(opened: Opened, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return withClient(opened, async (client) => {
    await client.query('BEGIN');
    try {
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw storeError(error, opened.address);
    }
  });
}

function checkName(name: string): void {
  checkCollectionName(name);
  if (name.length > longestName)
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `The collection name '${name}' has ${name.length} characters; names in PostgreSQL have at most ${longestName}.`,
    );
}

function findVectorProblem(
  embedding: readonly number[] | undefined,
  dimension: number | undefined,
): string | undefined {
  if (embedding === undefined || embedding.length === dimension) return undefined;
  return `its vector has ${embedding.length} dimensions, the collection ${dimension ?? 'none'}`;
}

function getKey(index: string, { address, database }: Opened): string {
  return `${address}/${database}/${index}`;
}

import type { PoolClient } from 'pg';
import { AppError } from '../../model/errors';
import { iterateBatches } from '../../model/lists/batches';
import { describeEmbedding, isSameEmbedding } from '../../model/llm/index-embedding';
import type { AddressGuard } from '../net/address-guard';
import type { IndexRecord, IndexSpec, NearestQuery, RemovalScope, SearchTarget } from '../search/ports';
import { writeReadableCondition, StatementValues } from './pgvector-access';
import { changeComment, createComment, describe, type Described } from './pgvector-catalogue';
import { connect, type Opened, quoteIdentifier, quoteText, createStoreError, withClient } from './pgvector-connection';
import { findNearest } from './pgvector-nearest';
import { addSearchSql, listColumnNames, createIndexSql, createTableSql, listValues } from './pgvector-table';
import {
  checkCollectionName,
  checkDimension,
  Connections,
  findVectorProblem,
  splitRejected,
  type VectorStore,
} from './store';

/** Records of one statement, which may have 65,535 parameters. */
const together = 200;
const longestName = 63;
/** SQLSTATE insufficient_privilege. */
const insufficientPrivilege = '42501';
/** With fewer vectors, an exact search is faster than an index. */
const minForIndex = 10_000;
/** Advisory lock for making tables, because two processes that make the same one at once would conflict. */
const makingLock = 726_533_042;

/**
 * Collections as tables of PostgreSQL with the extension pgvector, on servers named in flows. Access lists are columns, and the whole
 * rule of readers is part of each query. An alias is a view. The client is loaded on first use, every address passes the guard.
 */
export function createPgvectorStore(deps: { guard: AddressGuard }): VectorStore {
  return new PgvectorStore(deps);
}

class PgvectorStore implements VectorStore {
  private readonly pools = new Connections<Opened>();
  private readonly specs = new Map<string, IndexSpec>();

  constructor(private readonly deps: { guard: AddressGuard }) {}

  async ensureIndex(spec: IndexSpec, target: SearchTarget | undefined, signal: AbortSignal) {
    checkName(spec.name);
    const opened = await this.open(target);
    signal.throwIfAborted();
    this.specs.set(buildKey(spec.name, opened), spec);
    return runInTransaction(opened, async (client) => {
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
      if (!description.isSearchable) for (const statement of addSearchSql(spec.name)) await client.query(statement);
      if (spec.vectorDimension === undefined) return description.uuid;
      checkEmbedding(spec, description, opened.address);
      if (description.dimension !== undefined) return description.uuid;
      await client.query(
        `ALTER TABLE ${quoteIdentifier(spec.name)} ADD COLUMN embedding vector(${spec.vectorDimension})`,
      );
      if (spec.embedding) await changeComment(client, spec.name, { docloom_embedding: spec.embedding });
      return description.uuid;
    });
  }

  async findIndexUuids(names: readonly string[], target?: SearchTarget) {
    const opened = await this.open(target);
    return withClient(opened, async (client) => {
      const fields: Record<string, string> = {};
      for (const name of new Set(names)) {
        const { uuid, holder } = (await describe(client, name)) ?? {};
        if (uuid && holder === undefined) fields[name] = uuid;
      }
      return fields;
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
      const { dimension } = await loadExisting(client, index, opened);
      const { taken, refused } = splitRejected(records, (record) => findVectorProblem(record, dimension));
      const latest = [...new Map(taken.map((record) => [record.id, record])).values()];
      const columns = listColumnNames(dimension !== undefined);
      const updates = columns.slice(1).map((name) => `${name} = excluded.${name}`);
      for (const batch of iterateBatches(latest, together)) {
        signal.throwIfAborted();
        const part = batch;
        const values: unknown[] = [];
        const add = (value: unknown) => `$${values.push(value)}`;
        const rows = part.map((record) => `(${listValues(record, dimension !== undefined, add).join(', ')})`);
        await client.query(
          `INSERT INTO ${quoteIdentifier(index)} (${columns.join(', ')}) VALUES ${rows.join(', ')} ON CONFLICT (id) DO UPDATE SET ${updates.join(', ')}`,
          values,
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
    const spec = this.specs.get(buildKey(index, opened));
    await runInTransaction(opened, async (client) => {
      const description = await describe(client, index);
      if (!description?.uuid || description.dimension === undefined || !spec) return;
      const { rows } = await client.query<{ count: string }>(
        `SELECT count(*) FROM (SELECT 1 FROM ${quoteIdentifier(index)} LIMIT ${minForIndex}) AS first_rows`,
      );
      const statement = createIndexSql({ ...spec, spaceType: description.space }, description.dimension);
      if (Number(rows[0]?.count) < minForIndex || statement === undefined) return;
      await client.query('SELECT pg_advisory_xact_lock($1)', [makingLock]);
      await client.query('SET LOCAL statement_timeout = 0');
      await client.query(statement);
    });
  }

  async pointAlias(alias: string, index: string, target?: SearchTarget) {
    checkName(alias);
    const opened = await this.open(target);
    await runInTransaction(opened, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [makingLock]);
      const { uuid } = await loadExisting(client, index, opened);
      const description = await describe(client, alias);
      if (description && description.holder === undefined)
        throw new AppError(
          'SEARCH_INDEX_ERROR',
          `'${alias}' is a table on ${opened.address}, so it cannot be an alias.`,
        );
      if (
        description?.holder !== undefined &&
        description.holder !== index &&
        (await describe(client, description.holder))
      )
        await changeComment(client, description.holder, { docloom_hidden: true });
      await changeComment(client, index, { docloom_hidden: false });
      const [view, table] = [quoteIdentifier(alias), quoteIdentifier(index)];
      await client.query(`DROP VIEW IF EXISTS ${view}`);
      await client.query(`CREATE VIEW ${view} AS SELECT * FROM ${table}`);
      await client.query(
        `COMMENT ON VIEW ${view} IS ${quoteText(JSON.stringify({ docloom_alias: index, docloom_uuid: uuid }))}`,
      );
    });
  }

  /** The identifier that a cluster of PostgreSQL gets when it is created, and the database; the address where the account may not read it. */
  async findServerId(target?: SearchTarget) {
    const opened = await this.open(target);
    return withClient(opened, async (client) => {
      const statement = "SELECT system_identifier || '/' || current_database() AS id FROM pg_control_system()";
      const found = await client.query<{ id: string }>(statement).catch((error: unknown) => {
        if ((error as { code?: string }).code === insufficientPrivilege) return undefined;
        throw error;
      });
      return found?.rows[0]?.id ?? opened.address;
    });
  }

  async listAliasHolders(alias: string, target?: SearchTarget) {
    const opened = await this.open(target);
    return withClient(opened, async (client) => {
      const description = await describe(client, alias);
      const holder = description?.holder === undefined ? undefined : await describe(client, description.holder);
      return description?.holder !== undefined && holder?.uuid ? { [description.holder]: holder.uuid } : {};
    });
  }

  async findNearest(index: string, { vector, reader, limit }: NearestQuery, target?: SearchTarget) {
    const opened = await this.open(target);
    return runInTransaction(opened, async (client) => {
      const named = await loadExisting(client, index, opened);
      const { dimension, space } =
        named.holder === undefined ? named : await loadExisting(client, named.holder, opened);
      if (dimension === undefined) return [];
      const values = new StatementValues();
      const ids = await findNearest(client, index, {
        vector,
        limit,
        space,
        condition: writeReadableCondition(reader, values.add),
        values,
      });
      // An access list may have changed since.
      const again = new StatementValues();
      const idCondition = again.add(
        ids.map(({ id }) => id),
        'text[]',
      );
      const { rows } = await client.query<{ id: string; document_id: string; content: string }>(
        `SELECT id, document_id, content FROM ${quoteIdentifier(index)} WHERE id = ANY(${idCondition}) AND ${writeReadableCondition(reader, again.add)}`,
        again.list,
      );
      const read = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap(({ id }) => read.get(id) ?? []);
    });
  }

  async close() {
    await this.pools.close(({ pool }) => pool.end());
  }

  private open(target: SearchTarget | undefined): Promise<Opened> {
    if (!target)
      throw new AppError(
        'OPERATOR_CONFIGURATION_INVALID',
        'No PostgreSQL server is named; expected provider_config.host.',
      );
    const { host, port, useSsl, verifyCerts, username, password, database } = target;
    const key = JSON.stringify([host, port, useSsl, verifyCerts, username, password, database]);
    return this.pools.open(key, () => connect(target, this.deps.guard));
  }
}

async function loadExisting(client: PoolClient, name: string, { address }: Opened): Promise<Described> {
  const description = await describe(client, name);
  if (description?.uuid) return description;
  throw new AppError('SEARCH_INDEX_ERROR', `There is no collection '${name}' on ${address}.`);
}

async function make(client: PoolClient, spec: IndexSpec): Promise<string> {
  // A table that replaces another becomes visible to searches when it is complete.
  const held = spec.alias === undefined ? undefined : (await describe(client, spec.alias))?.holder;
  const comment = createComment(spec, held !== undefined && held !== spec.name);
  for (const statement of createTableSql(spec)) await client.query(statement);
  await changeComment(client, spec.name, comment);
  return comment.docloom_uuid;
}

/** Vectors of equal length from two models would fit into one table, but searches by vector would then be meaningless. */
function checkEmbedding(spec: IndexSpec, { embedding }: Described, address: string): void {
  if (!embedding || !spec.embedding || isSameEmbedding(embedding, spec.embedding)) return;
  throw new AppError(
    'SEARCH_INDEX_ERROR',
    `The collection '${spec.name}' on ${address} holds vectors of the embedder ${describeEmbedding(embedding)}, and vectors of ${describeEmbedding(spec.embedding)} are to be written. Use the embedder that it was created with, or choose another index_name.`,
  );
}

function runInTransaction<T>(opened: Opened, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return withClient(opened, async (client) => {
    await client.query('BEGIN');
    try {
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw createStoreError(error, opened.address);
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

function buildKey(index: string, { address, database }: Opened): string {
  return `${address}/${database}/${index}`;
}

import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import type { Schema } from 'apache-arrow';
import type { Reader } from '../../model/access';
import { listKnownPrincipals } from '../../model/access-list';
import { AppError } from '../../model/errors';
import { iterateBatches } from '../../model/lists/batches';
import type { IndexRecord, IndexSpec, NearestQuery, RemovalScope, SearchTarget } from '../search/ports';
import {
  checkCollectionName,
  checkDimension,
  Connections,
  flattenAccess,
  principalColumns,
  recordColumns,
  findVectorProblem,
  splitRejected,
  type VectorStore,
} from './store';

type Sdk = typeof import('@lancedb/lancedb');
type Arrow = typeof import('apache-arrow');
interface Opened {
  sdk: Sdk;
  arrow: Arrow;
  connection: Connection;
  folder: string;
}

const where = 'in the embedded store';
const uuidKey = 'docloom_uuid';
const distances: Readonly<Record<string, 'l2' | 'cosine' | 'dot'>> = {
  l2: 'l2',
  cosinesimil: 'cosine',
  innerproduct: 'dot',
};
/** With fewer vectors, an exact search is faster than an index. */
const minForIndex = 10_000;
/** Attempts of a write. When two processes write the same table at once, the second must start again. */
const attempts = 10;
/** Ids in one filter of a deletion. */
const idsPerFilter = 1_000;

/**
 * Stores collections as LanceDB tables in a folder, without a server. The library is loaded on first use. Aliases are stored in a
 * file next to the tables. Searches are exact until a collection is large enough for an index.
 */
export function createLanceStore(deps: { folder: string }): VectorStore {
  return new LanceStore(deps);
}

class LanceStore implements VectorStore {
  private readonly databases = new Connections<Opened>();
  private readonly queues = new Map<string, Promise<unknown>>();
  private readonly specs = new Map<string, IndexSpec>();

  constructor(private readonly deps: { folder: string }) {}

  async ensureIndex(spec: IndexSpec, target: SearchTarget | undefined, signal: AbortSignal) {
    checkCollectionName(spec.name);
    const opened = await this.open(target);
    signal.throwIfAborted();
    this.specs.set(this.buildKey(spec.name, target), spec);
    return this.inTurn(this.buildKey(spec.name, target), () => ensureTable(opened, spec));
  }

  async findIndexUuids(names: readonly string[], target?: SearchTarget) {
    const opened = await this.open(target);
    const tableNames = new Set(await listTables(opened.connection));
    const fields: Record<string, string> = {};
    for (const name of new Set(names))
      if (tableNames.has(name)) fields[name] = await readUuid(await opened.connection.openTable(name), name);
    return fields;
  }

  async bulkIndex(
    index: string,
    records: readonly IndexRecord[],
    target: SearchTarget | undefined,
    signal: AbortSignal,
  ) {
    const opened = await this.open(target);
    signal.throwIfAborted();
    return this.inTurn(this.buildKey(index, target), async () => {
      const table = await readTable(opened, index);
      const schema = await table.schema();
      const dimension = findDimension(schema);
      const { taken, refused } = splitRejected(records, (record) => findVectorProblem(record, dimension));
      if (taken.length > 0)
        await runAgain(() =>
          table
            .mergeInsert('id')
            .whenMatchedUpdateAll()
            .whenNotMatchedInsertAll()
            .execute(taken.map((record) => toRow(record, dimension, hasPrincipals(schema)))),
        );
      return refused;
    });
  }

  async removeDocuments(index: string, { jobId, documentIds, keepRunId }: RemovalScope, target?: SearchTarget) {
    if (documentIds.length === 0) return 0;
    const opened = await this.open(target);
    if (!(await hasTable(opened.connection, index))) return 0;
    return this.inTurn(this.buildKey(index, target), async () => {
      const table = await readTable(opened, index);
      const keep = keepRunId === undefined ? '' : ` AND run_id <> ${quote(keepRunId)}`;
      let removed = 0;
      for (const batch of iterateBatches(documentIds, idsPerFilter)) {
        const list = batch.map(quote).join(', ');
        const condition = `job_id = ${quote(jobId)} AND document_id IN (${list})${keep}`;
        removed += (await runAgain(() => table.delete(condition))).numDeletedRows;
      }
      return removed;
    });
  }

  async refresh(index: string, target?: SearchTarget) {
    const opened = await this.open(target);
    if (!(await hasTable(opened.connection, index))) return;
    const spec = this.specs.get(this.buildKey(index, target));
    await this.inTurn(this.buildKey(index, target), async () => settle(opened, await readTable(opened, index), spec));
  }

  async pointAlias(alias: string, index: string, target?: SearchTarget) {
    checkCollectionName(alias);
    const opened = await this.open(target);
    await readTable(opened, index);
    await this.inTurn(`${opened.folder}/aliases`, async () => {
      const aliases = await readAliases(opened.folder);
      await writeAliases(opened.folder, { ...aliases, [alias]: index });
    });
  }

  async findServerId(target?: SearchTarget) {
    return (await this.open(target)).folder;
  }

  async listAliasHolders(alias: string, target?: SearchTarget) {
    const opened = await this.open(target);
    const holder = (await readAliases(opened.folder))[alias];
    if (holder === undefined || !(await hasTable(opened.connection, holder))) return {};
    return { [holder]: await readUuid(await opened.connection.openTable(holder), holder) };
  }

  async findNearest(index: string, { vector, reader, limit }: NearestQuery, target?: SearchTarget) {
    const opened = await this.open(target);
    const name = (await readAliases(opened.folder))[index] ?? index;
    const table = await readTable(opened, name);
    const schema = await table.schema();
    if (findDimension(schema) === undefined) return [];
    const spec = this.specs.get(this.buildKey(name, target));
    const records = await table
      .vectorSearch([...vector])
      .distanceType(distances[spec?.spaceType ?? (await readSpace(table))] ?? 'l2')
      // Filter before the nearest vectors are selected, so that a user gets as many results as possible.
      .where(`${formatReadableBy(reader, hasPrincipals(schema))} AND embedding IS NOT NULL`)
      .select(['id', 'document_id', 'content', '_distance'])
      .limit(limit)
      // The index compares compressed vectors. Fetch more candidates than needed and compare those exactly.
      .nprobes(64)
      .refineFactor(8)
      .toArray();
    return (records as { id: string; document_id: string; content: string }[]).map(({ id, document_id, content }) => ({
      id,
      document_id,
      content,
    }));
  }

  async close() {
    await this.databases.close(({ connection }) => connection.close());
  }

  private open(target: SearchTarget | undefined) {
    const name = target?.database ?? 'default';
    checkCollectionName(name);
    return this.databases.open(name, () => openDatabase(path.join(this.deps.folder, name)));
  }

  /** Serialises writers of one table, because LanceDB lets only one of them succeed. */
  private inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.queues.get(key) ?? Promise.resolve();
    const now = before.then(work, work);
    this.queues.set(
      key,
      now.catch(() => undefined),
    );
    return now;
  }

  private buildKey(index: string, target: SearchTarget | undefined) {
    return `${target?.database ?? 'default'}/${index}`;
  }
}

async function openDatabase(folder: string): Promise<Opened> {
  let sdk: Sdk;
  let arrow: Arrow;
  try {
    [sdk, arrow] = await Promise.all([import('@lancedb/lancedb'), import('apache-arrow')]);
  } catch (error) {
    throw new AppError(
      'INVALID_CONFIGURATION',
      "The vectordb provider 'lancedb' needs the optional package @lancedb/lancedb, which is not installed on the worker.",
      {},
      error,
    );
  }
  await mkdir(folder, { recursive: true });
  return { sdk, arrow, connection: await sdk.connect(folder), folder };
}

/** All tables of a database; without a limit, the library returns only the first ones. */
function listTables(connection: Connection): Promise<string[]> {
  return connection.tableNames({ limit: 100_000 });
}

async function hasTable(connection: Connection, name: string): Promise<boolean> {
  return (await listTables(connection)).includes(name);
}

async function ensureTable({ arrow, connection }: Opened, spec: IndexSpec): Promise<string> {
  if (!(await hasTable(connection, spec.name))) {
    try {
      await connection.createEmptyTable(spec.name, createSchema(arrow, spec));
    } catch (error) {
      // Another process created the table first; use that one.
      if (!(await hasTable(connection, spec.name))) throw createStoreError(error);
    }
  }
  const table = await connection.openTable(spec.name);
  const schema = await table.schema();
  const missing = [...recordColumns, 'allowed_users'].filter(
    (name) => !schema.fields.some((field) => field.name === name),
  );
  if (missing.length > 0)
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `The collection '${spec.name}' ${where} was not created by Docloom: it lacks ${missing.join(', ')}. Choose another index_name.`,
    );
  const held = findDimension(schema);
  checkDimension(spec.name, where, held, spec);
  if (held === undefined && spec.vectorDimension !== undefined)
    await table.addColumns([
      { name: 'embedding', valueSql: `arrow_cast(NULL, 'FixedSizeList(${spec.vectorDimension}, Float32)')` },
    ]);
  const added = principalColumns.filter((name) => !schema.fields.some((field) => field.name === name));
  if (added.length > 0)
    await table.addColumns(added.map((name) => ({ name, valueSql: "arrow_cast(NULL, 'List(Utf8)')" })));
  return readUuid(table, spec.name);
}

function hasPrincipals(schema: { fields: { name: string }[] }): boolean {
  return principalColumns.every((name) => schema.fields.some((field) => field.name === name));
}

/** The access rule of documents, `mayRead`, as a condition. */
function formatReadableBy(reader: Reader, isWithPrincipals: boolean): string {
  const named = `array_has(allowed_users, ${quote(reader.username)})`;
  // A collection that an earlier version wrote last contains names only.
  if (!isWithPrincipals) return named;
  const principals = `make_array(${listKnownPrincipals(reader).map(quote).join(', ')})`;
  const formatAny = (column: string) => `coalesce(array_has_any(${column}, ${principals}), false)`;
  const isDenied = reader.principals
    ? formatAny('denied_principals')
    : 'coalesce(array_length(denied_principals), 0) > 0';
  return `(${named} OR ${formatAny('allowed_principals')}) AND NOT (${isDenied})`;
}

function createSchema(arrow: Arrow, spec: IndexSpec): Schema {
  const { Field, FixedSizeList, Float32, List, Utf8 } = arrow;
  const texts = recordColumns.map((name) => new Field(name, new Utf8(), name !== 'id'));
  const lists = ['allowed_users', ...principalColumns].map(
    (name) => new Field(name, new List(new Field('item', new Utf8(), true)), true),
  );
  const dimension = spec.vectorDimension;
  const vector =
    dimension === undefined
      ? []
      : [new Field('embedding', new FixedSizeList(dimension, new Field('item', new Float32(), true)), true)];
  return new arrow.Schema(
    [...texts, ...lists, ...vector],
    new Map([
      [uuidKey, randomUUID()],
      ['docloom_space', spec.spaceType],
    ]),
  );
}

function findDimension(schema: { fields: { name: string; type: unknown }[] }): number | undefined {
  const type = schema.fields.find(({ name }) => name === 'embedding')?.type as { listSize?: number } | undefined;
  return type?.listSize;
}

async function readUuid(table: Table, name: string): Promise<string> {
  return (await table.schema()).metadata.get(uuidKey) ?? name;
}

async function readSpace(table: Table): Promise<string> {
  return (await table.schema()).metadata.get('docloom_space') ?? 'l2';
}

async function readTable({ connection }: Opened, name: string): Promise<Table> {
  try {
    return await connection.openTable(name);
  } catch (error) {
    throw new AppError('SEARCH_INDEX_ERROR', `There is no collection '${name}' ${where}.`, {}, error);
  }
}

function toRow(record: IndexRecord, dimension: number | undefined, isWithPrincipals: boolean): Record<string, unknown> {
  const { embedding, metadata, required_lists: _flat, ...rest } = record;
  const { allowed_users, ...principals } = flattenAccess(record);
  return {
    ...rest,
    metadata: JSON.stringify(metadata),
    allowed_users,
    ...(isWithPrincipals ? principals : {}),
    ...(dimension === undefined ? {} : { embedding: embedding ?? null }),
  };
}

/** Runs at the end of a run: merges the files of many small writes, and creates the index of a large collection. */
async function settle({ sdk }: Opened, table: Table, spec: IndexSpec | undefined): Promise<void> {
  await runAgain(() => table.optimize());
  if (!spec || spec.vectorDimension === undefined || (await table.countRows()) < minForIndex) return;
  if ((await table.listIndices()).some(({ columns }) => columns.includes('embedding'))) return;
  const distanceType = distances[spec.spaceType] ?? 'l2';
  const isFlat = spec.indexType?.startsWith('IVF') ?? false;
  const config = isFlat
    ? sdk.Index.ivfFlat({ distanceType, ...(spec.lists === undefined ? {} : { numPartitions: spec.lists }) })
    : sdk.Index.hnswSq({ distanceType, m: spec.m, efConstruction: spec.efConstruction });
  await runAgain(() => table.createIndex('embedding', { config }));
}

async function runAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isConflict = error instanceof Error && /conflict|concurrent/i.test(error.message);
      if (!isConflict || attempt === attempts) throw createStoreError(error);
    }
  }
}

function createStoreError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return new AppError('SEARCH_INDEX_ERROR', `The embedded store failed: ${first.slice(0, 500)}`, {}, error);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function readAliases(folder: string): Promise<Record<string, string>> {
  const text = await readFile(path.join(folder, 'aliases.json'), 'utf8').catch(() => '{}');
  return JSON.parse(text) as Record<string, string>;
}

async function writeAliases(folder: string, aliases: Record<string, string>): Promise<void> {
  const file = path.join(folder, 'aliases.json');
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, JSON.stringify(aliases));
  await rename(temporary, file);
}

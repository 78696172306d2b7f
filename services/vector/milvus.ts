import type { Reader } from '../../model/access';
import { listKnownPrincipals } from '../../model/access-list';
import { AppError } from '../../model/errors';
import { iterateBatches } from '../../model/lists/batches';
import type { AddressGuard } from '../net/address-guard';
import { pause } from '../pacing/pause';
import type { IndexRecord, IndexSpec, NearestQuery, RemovalScope, SearchTarget } from '../search/ports';
import {
  answer,
  call,
  check,
  connect,
  createFailure,
  isMissing,
  type Opened,
  send,
  timeoutMs,
} from './milvus-connection';
import { buildIndexParameters } from './milvus-index';
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

/** Maximum length of text columns, in bytes. Milvus allows at most 65,535. */
const lengths: Readonly<Record<string, number>> = { content: 65_535, title: 8_192, id: 1_024, document_id: 1_024 };
const otherLength = 256;
const maxUsers = 4_096;
const userLength = 512;
const metrics: Readonly<Record<string, string>> = { l2: 'L2', cosinesimil: 'COSINE', innerproduct: 'IP' };
/** Records per request. Milvus rejects messages over 64 MB. */
const batchSize = 500;
/** The most results that Milvus returns for a query. */
const maxQueryResults = 16_384;
const retryPauseMs = 500;
const loadAttempts = 20;
const makeAttempts = 4;

/** Collections on Milvus servers named in flows. The client is loaded on first use. Every address passes the guard. */
export function createMilvusStore(deps: { guard: AddressGuard }): VectorStore {
  return new MilvusStore(deps);
}

class MilvusStore implements VectorStore {
  private readonly clients = new Connections<Opened>();

  constructor(private readonly deps: { guard: AddressGuard }) {}

  async ensureIndex(spec: IndexSpec, target: SearchTarget | undefined, signal: AbortSignal) {
    checkCollectionName(spec.name);
    const opened = await this.open(target);
    signal.throwIfAborted();
    const description = await describe(opened, spec.name);
    const collection = description ?? (await makeOnce(opened, spec, signal));
    if (!collection.fields.has('allowed_users') || !collection.fields.has('job_id'))
      throw new AppError(
        'SEARCH_INDEX_ERROR',
        `The collection '${spec.name}' on ${opened.address} was not created by Docloom: it lacks fields. Choose another index_name.`,
      );
    checkDimension(spec.name, `on ${opened.address}`, collection.dimension, spec);
    await load(opened, spec.name, signal);
    return collection.uuid;
  }

  async findIndexUuids(names: readonly string[], target?: SearchTarget) {
    const opened = await this.open(target);
    const uuids: Record<string, string> = {};
    for (const name of new Set(names)) {
      const collection = await describe(opened, name);
      if (collection) uuids[name] = collection.uuid;
    }
    return uuids;
  }

  async bulkIndex(
    index: string,
    records: readonly IndexRecord[],
    target: SearchTarget | undefined,
    signal: AbortSignal,
  ) {
    const opened = await this.open(target);
    const collection = await describe(opened, index);
    const { taken, refused } = splitRejected(records, (record) => findProblem(record, collection));
    for (const part of iterateBatches(taken, batchSize)) {
      signal.throwIfAborted();
      const data = part.map((record) => toRow(record, hasPrincipals(collection?.fields)));
      await send(opened, async () => (await opened.client.upsert({ collection_name: index, data })).status);
    }
    return refused;
  }

  async removeDocuments(index: string, { jobId, documentIds, keepRunId }: RemovalScope, target?: SearchTarget) {
    const opened = await this.open(target);
    if (documentIds.length === 0 || !(await describe(opened, index))) return 0;
    const keep = keepRunId === undefined ? '' : ` and run_id != ${quoteText(keepRunId)}`;
    let removed = 0;
    for (const part of iterateBatches(documentIds, batchSize)) {
      const list = part.map(quoteText).join(', ');
      const filter = `job_id == ${quoteText(jobId)} and document_id in [${list}]${keep}`;
      // Some servers report the number of requested deletions, so existing records are counted first.
      const { data } = await answer(opened, () =>
        opened.client.query({
          collection_name: index,
          filter,
          output_fields: ['id'],
          limit: maxQueryResults,
          consistency_level: 0 as never,
        }),
      );
      if (data.length === 0) continue;
      await send(opened, async () => (await opened.client.delete({ collection_name: index, filter })).status);
      removed += data.length;
    }
    return removed;
  }

  async refresh(index: string, target?: SearchTarget) {
    const opened = await this.open(target);
    if (!(await describe(opened, index))) return;
    await send(opened, async () => (await opened.client.flushSync({ collection_names: [index] })).status);
  }

  async pointAlias(alias: string, index: string, target?: SearchTarget) {
    checkCollectionName(alias);
    const opened = await this.open(target);
    const holder = await describe(opened, alias);
    if (holder && holder.name === alias)
      throw new AppError(
        'SEARCH_INDEX_ERROR',
        `'${alias}' is a collection on ${opened.address}, so it cannot be an alias.`,
      );
    const names = { alias, collection_name: index };
    await send(opened, () => (holder ? opened.client.alterAlias(names) : opened.client.createAlias(names)));
  }

  /** Milvus has no id of its own, so the address that the name stands for counts. */
  async findServerId(target?: SearchTarget) {
    const { peer } = await this.open(target);
    return `${peer}/${target?.database ?? 'default'}`;
  }

  async listAliasHolders(alias: string, target?: SearchTarget) {
    const holder = await describe(await this.open(target), alias);
    return holder && holder.name !== alias ? { [holder.name]: holder.uuid } : {};
  }

  async findNearest(index: string, { vector, reader, limit }: NearestQuery, target?: SearchTarget) {
    const opened = await this.open(target);
    const fields = (await describe(opened, index))?.fields;
    const { results } = await answer(opened, () =>
      opened.client.search({
        collection_name: index,
        data: [[...vector]],
        limit,
        // An approximate index examines no more candidates than these parameters allow.
        params: { ef: Math.max(64, 2 * limit), nprobe: 64, search_list: Math.max(100, 2 * limit) },
        filter: formatReadableBy(reader, hasPrincipals(fields)),
        output_fields: ['id', 'document_id', 'content'],
      }),
    );
    return (results as Record<string, unknown>[]).map((result) => ({
      id: String(result['id']),
      document_id: String(result['document_id']),
      content: String(result['content']),
    }));
  }

  async close() {
    await this.clients.close(({ client }) => client.closeConnection());
  }

  private async open(target: SearchTarget | undefined): Promise<Opened> {
    if (!target)
      throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'No Milvus server is named; expected provider_config.host.');
    const key = JSON.stringify([
      target.host,
      target.port,
      target.useSsl,
      target.username,
      target.password,
      target.token,
      target.database,
    ]);
    return this.clients.open(key, () => connect(target, this.deps.guard));
  }
}

interface Collection {
  /** The collection that the alias points to. */
  name: string;
  uuid: string;
  dimension: number | undefined;
  fields: ReadonlySet<string>;
}

async function describe(opened: Opened, name: string): Promise<Collection | undefined> {
  const reply = await call(opened, () => opened.client.describeCollection({ collection_name: name }));
  const { status } = reply;
  if (isMissing(status)) return undefined;
  check(opened, status);
  const { collection_name: real, collectionID: id, schema } = reply;
  const vector = schema.fields.find((field) => field.name === 'embedding');
  const dimension = vector?.type_params.find(({ key }) => key === 'dim')?.value;
  return {
    name: real ?? name,
    // Small servers have no collection ids; use the name instead.
    uuid: id && id !== '0' ? id : name,
    dimension: dimension === undefined ? undefined : Number(dimension),
    fields: new Set(schema.fields.map((field) => field.name)),
  };
}

/** A collection being created by another worker exists before its vector index, and cannot be loaded until then. */
async function load(opened: Opened, name: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send(opened, () => opened.client.loadCollectionSync({ collection_name: name, timeout: timeoutMs }));
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === loadAttempts) throw error;
      await pause(retryPauseMs, signal);
    }
  }
}

/** Another worker may create the collection first; use that one. */
async function makeOnce(opened: Opened, spec: IndexSpec, signal: AbortSignal): Promise<Collection> {
  for (let attempt = 1; ; attempt += 1) {
    const failed = await create(opened, spec).then(
      () => undefined,
      (error: unknown) => error,
    );
    const description = await describe(opened, spec.name);
    if (description) return description;
    signal.throwIfAborted();
    // While another worker is creating the collection, it can neither be created nor described.
    if (attempt === makeAttempts)
      throw failed ?? createFailure(opened, `the collection '${spec.name}' disappeared while it was created`);
    await pause(retryPauseMs, signal);
  }
}

async function create(opened: Opened, spec: IndexSpec): Promise<void> {
  const { sdk, client, address } = opened;
  const { vectorDimension: dimension } = spec;
  if (dimension === undefined)
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `The collection '${spec.name}' on ${address} cannot be created: Milvus stores only rows with vectors, and none of the first batch has one. Put embeddings before vectordb, or set vector_dimension.`,
    );
  const { VarChar, Array: List, JSON: Json, FloatVector } = sdk.DataType;
  const type = spec.indexType ?? 'HNSW';
  await send(opened, () =>
    client.createCollection({
      collection_name: spec.name,
      description: 'Made by Docloom.',
      consistency_level: 'Strong',
      fields: [
        ...recordColumns
          .filter((name) => name !== 'metadata')
          .map((name) => ({
            name,
            data_type: VarChar,
            max_length: lengths[name] ?? otherLength,
            is_primary_key: name === 'id',
          })),
        { name: 'metadata', data_type: Json },
        ...['allowed_users', ...principalColumns].map((name) => ({
          name,
          data_type: List,
          element_type: VarChar,
          max_capacity: maxUsers,
          max_length: userLength,
        })),
        { name: 'embedding', data_type: FloatVector, dim: dimension },
      ] as never,
      index_params: [
        {
          field_name: 'embedding',
          index_type: type,
          metric_type: metrics[spec.spaceType] ?? 'L2',
          params: buildIndexParameters(type, spec, dimension),
        },
      ],
    }),
  );
}

function findProblem(record: IndexRecord, collection: Collection | undefined): string | undefined {
  const { embedding } = record;
  const { allowed_users, ...principals } = flattenAccess(record);
  const lists = [allowed_users, ...Object.values(principals)];
  if (!embedding) return 'it has no vector, and Milvus stores only rows with vectors';
  const vectorProblem = findVectorProblem(record, collection?.dimension);
  if (vectorProblem !== undefined) return vectorProblem;
  if (Object.values(principals).some((list) => list.length > 0) && !hasPrincipals(collection?.fields))
    return 'its access list has groups, and the collection was made by an earlier version that keeps names only; write into a new index_name';
  const longest = Math.max(...lists.map((list) => list.length));
  if (longest > maxUsers) return `its access list has ${longest} names; Milvus keeps at most ${maxUsers}`;
  if (lists.flat().some((name) => Buffer.byteLength(name) > userLength))
    return `a name in its access list has more than ${userLength} bytes`;
  const long = recordColumns.find(
    (name) => name !== 'metadata' && Buffer.byteLength(record[name]) > (lengths[name] ?? otherLength),
  );
  return long && `its ${long} has more than ${lengths[long] ?? otherLength} bytes; cut the document into chunks`;
}

function toRow(record: IndexRecord, isWithPrincipals: boolean) {
  const { allowed_users, ...principals } = flattenAccess(record);
  // The flattened lists replace the required ones.
  const { required_lists: _, ...columns } = record;
  return { ...columns, allowed_users, ...(isWithPrincipals ? principals : {}) };
}

function hasPrincipals(fields: ReadonlySet<string> | undefined): boolean {
  return principalColumns.every((name) => fields?.has(name));
}

/** The access rule of documents, `mayRead`, as an expression. */
function formatReadableBy(reader: Reader, isWithPrincipals: boolean): string {
  const named = `ARRAY_CONTAINS(allowed_users, ${quoteText(reader.username)})`;
  if (!isWithPrincipals) return named;
  const principals = `[${listKnownPrincipals(reader).map(quoteText).join(', ')}]`;
  const isDenied = reader.principals
    ? `ARRAY_CONTAINS_ANY(denied_principals, ${principals})`
    : 'ARRAY_LENGTH(denied_principals) > 0';
  return `(${named} or ARRAY_CONTAINS_ANY(allowed_principals, ${principals})) and not (${isDenied})`;
}

function quoteText(text: string): string {
  return JSON.stringify(text);
}

import { AppError } from '../../model/errors';
import { describeEmbedding, type IndexEmbedding, isSameEmbedding } from '../../model/llm/index-embedding';
import { findIndexNameProblem } from '../../model/llm/index-name';
import { getConcreteName, findEngineError, type IndexHome } from './connection';
import { checkEngine } from './engines';
import {
  type Analysis,
  findAnalysis,
  findDeclaredFields,
  type Mapped,
  buildMappings,
  listMissingFields,
  laterFields,
  buildSettings,
} from './mapping';
import type { IndexSpec, SearchTarget } from './ports';
import { readServerFacts } from './storage/server-facts';

interface IndexState {
  aliases: Record<string, unknown>;
  mappings: {
    _meta?: { embedding?: IndexEmbedding; synonyms?: unknown; version?: number };
    properties?: Record<
      string,
      { type?: string; dimension?: number; method?: { engine?: string }; properties?: Record<string, Mapped> }
    >;
  };
  settings: { index: { uuid: string } };
}

/** Inspects indexes before a run, on the configured server or one that a flow names. */
export interface IndexInspector {
  /** Undefined if there is no such index yet; rejects with SEARCH_CONNECTION_FAILED if the server does not answer. */
  describeIndex(name: string, target: SearchTarget | undefined, signal: AbortSignal): Promise<IndexFacts | undefined>;
  /** Records and bytes of indexes on the configured server; missing indexes are omitted. */
  readIndexSizes(names: readonly string[]): Promise<{ name: string; records: number; bytes: number }[]>;
  /** Rejects with SEARCH_INDEX_ERROR if the server lacks this vector engine. */
  checkEngine(engine: string, target: SearchTarget | undefined, signal: AbortSignal): Promise<void>;
}

/** Facts about an existing index. */
export interface EnsuredIndex {
  uuid: string;
  analysis: Analysis | undefined;
}

/** Creates the index if it is missing and adds it to the read alias. Safe for concurrent workers. */
export async function ensureIndex(home: IndexHome, spec: IndexSpec, signal: AbortSignal): Promise<EnsuredIndex> {
  const problem = findIndexNameProblem(spec.name);
  if (problem) throw new AppError('SEARCH_INDEX_ERROR', problem);
  const name = getConcreteName(spec.name, home.alias);
  const index = await readIndex(home, name, signal);
  const engine = index ? index.state.mappings.properties?.['embedding']?.method?.engine : spec.engine;
  if (engine !== undefined && spec.vectorDimension !== undefined) await checkEngine(home, engine, signal);
  const existing = index ?? (await createIndex(home, name, spec, signal));
  checkIndex(existing.state, existing.name, spec, home.connection.address);
  await addLaterFields(home, existing, signal);
  await addFields(home, existing, spec, signal);
  await setSynonyms(home, existing, spec, signal);
  // An index that replaces another one becomes visible only when it is complete.
  const isWaiting = spec.alias !== undefined && (await isHeldByOther(home, spec.alias, existing.name, signal));
  if (home.alias !== undefined && !isWaiting && !(home.alias in existing.state.aliases))
    await joinAlias(home, existing.name, home.alias, signal);
  return { uuid: existing.state.settings.index.uuid, analysis: findAnalysis(existing.state.mappings) };
}

/**
 * Adds the fields that an index of an earlier version lacks. SEARCH_INDEX_ERROR where one has another type: otherwise a
 * query would not find denied principals, and they would not be denied.
 */
async function addLaterFields(
  home: IndexHome,
  { name, state }: { name: string; state: IndexState },
  signal: AbortSignal,
): Promise<void> {
  const mappedFields = state.mappings.properties ?? {};
  const wrong = Object.entries(laterFields).filter(
    ([field, { type }]) => mappedFields[field] && mappedFields[field].type !== type,
  );
  if (wrong.length > 0)
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `The index '${name}' on ${home.connection.address} was not created by Docloom: ${wrong.map(([field, { type }]) => `${field} must be of the type ${type}`).join(', ')}. Choose another index_name.`,
    );
  const properties = Object.fromEntries(Object.entries(laterFields).filter(([field]) => !mappedFields[field]));
  if (Object.keys(properties).length === 0) return;
  const path = `/${encodeURIComponent(name)}/_mapping`;
  await home.connection.send({ method: 'PUT', path, body: { properties } }, { timeoutMs: home.timeoutMs, signal });
}

/** Declared fields get their types before the first document guesses them; an existing field is not changed. */
async function addFields(
  home: IndexHome,
  { name, state }: { name: string; state: IndexState },
  { fields }: IndexSpec,
  signal: AbortSignal,
): Promise<void> {
  const added = findDeclaredFields(fields, state.mappings.properties?.['metadata']?.properties);
  if (!added) return;
  try {
    await home.connection.send(
      {
        method: 'PUT',
        path: `/${encodeURIComponent(name)}/_mapping`,
        body: { properties: { metadata: { properties: added } } },
      },
      { timeoutMs: home.timeoutMs, signal },
    );
  } catch (error) {
    // Another worker was faster, or a document has set the type of the field in the meantime. The type stays, and values are
    // found as they were indexed.
    if (findEngineError(error)?.status !== 400) throw error;
  }
}

/** Synonyms are stored in the index, so that only users who may write into it can change them. */
async function setSynonyms(
  home: IndexHome,
  { name, state }: { name: string; state: IndexState },
  { synonyms }: IndexSpec,
  signal: AbortSignal,
): Promise<void> {
  const { _meta } = state.mappings;
  if (!synonyms || JSON.stringify(_meta?.synonyms) === JSON.stringify(synonyms)) return;
  const body = { _meta: { ..._meta, synonyms } };
  const path = `/${encodeURIComponent(name)}/_mapping`;
  await home.connection.send({ method: 'PUT', path, body }, { timeoutMs: home.timeoutMs, signal });
}

async function readIndex(
  home: IndexHome,
  name: string,
  signal?: AbortSignal,
): Promise<{ name: string; state: IndexState } | undefined> {
  const { status, body } = await home.connection.send(
    { method: 'GET', path: `/${encodeURIComponent(name)}` },
    { timeoutMs: home.timeoutMs, accept: [404], ...(signal ? { signal } : {}) },
  );
  if (status === 404) return undefined;
  const [firstIndex, ...more] = Object.entries(body as Record<string, IndexState>);
  if (!firstIndex) return undefined;
  if (more.length > 0)
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `'${name}' is an alias of ${more.length + 1} indexes on ${home.connection.address}; index_name must name one index.`,
    );
  return { name: firstIndex[0], state: firstIndex[1] };
}

async function createIndex(
  home: IndexHome,
  name: string,
  spec: IndexSpec,
  signal: AbortSignal,
): Promise<{ name: string; state: IndexState }> {
  const server = await readServerFacts(home, signal);
  const put = (isAnalysed: boolean) =>
    home.connection.send(
      {
        method: 'PUT',
        path: `/${encodeURIComponent(name)}`,
        body: {
          settings: { index: buildSettings(spec, { isAnalysed, server }) },
          mappings: buildMappings(spec, { isAnalysed, server }),
        },
      },
      { timeoutMs: home.timeoutMs, signal },
    );
  try {
    await put(true).catch(async (error: unknown) => {
      // Some distributions lack stemmers and stop words; words then match only exactly.
      if (!lacksAnalysis(error)) throw error;
      return await put(false);
    });
  } catch (error) {
    // Another worker created the index first; use that one.
    if (findEngineError(error)?.type !== 'resource_already_exists_exception')
      throw createCreationError(error, name, spec, home);
  }
  const index = await readIndex(home, name, signal);
  if (!index)
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `The index '${name}' on ${home.connection.address} disappeared while it was created.`,
    );
  return index;
}

function lacksAnalysis(error: unknown): boolean {
  return /(token ?filter|analyzer|tokenizer)/i.test(findEngineError(error)?.reason ?? '');
}

function createCreationError(error: unknown, name: string, spec: IndexSpec, home: IndexHome): unknown {
  const said = findEngineError(error);
  if (!said) return error;
  const where = `The index '${name}' cannot be created on ${home.connection.address}`;
  if (/unknown setting \[index\.knn\]|No handler for type \[knn_vector\]/.test(said.reason)) {
    return new AppError(
      'SEARCH_INDEX_ERROR',
      `${where}: the server has no k-NN plugin, so it cannot hold vectors. Install the plugin opensearch-knn, or leave out the embeddings.`,
      {},
      error,
    );
  }
  if (spec.vectorDimension !== undefined && /engine|method|space|knn|ef_construction|\bm\b/i.test(said.reason)) {
    return new AppError(
      'SEARCH_INDEX_ERROR',
      `${where} with engine '${spec.engine}', space_type '${spec.spaceType}', M ${spec.m}, efConstruction ${spec.efConstruction}: ${said.reason}. Engines are lucene (always available with the k-NN plugin), faiss and nmslib.`,
      {},
      error,
    );
  }
  return new AppError('SEARCH_INDEX_ERROR', `${where}: ${said.type}: ${said.reason}.`, {}, error);
}

function checkIndex({ mappings }: IndexState, name: string, spec: IndexSpec, address: string): void {
  const properties = mappings.properties ?? {};
  const missing = listMissingFields(properties);
  if (missing.length > 0) {
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `The index '${name}' on ${address} was not created by Docloom: it lacks the fields ${missing.join(', ')}, so documents in it could not be found or protected. Choose another index_name.`,
    );
  }
  if (spec.vectorDimension === undefined) return;
  const dimension = properties['embedding']?.dimension;
  if (dimension === undefined) {
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `The index '${name}' on ${address} was created without vectors, but the flow writes vectors of ${spec.vectorDimension} dimensions. Choose another index_name, or delete the index and run again.`,
    );
  }
  if (dimension !== spec.vectorDimension) {
    throw new AppError(
      'EMBEDDING_DIMENSION_MISMATCH',
      `The index '${name}' on ${address} holds vectors of ${dimension} dimensions, but the flow writes vectors of ${spec.vectorDimension} dimensions. Use the model that the index was created with, choose another index_name, or delete the index and run again.`,
    );
  }
  // Vectors of equal length from two models would fit into one index, but searches by vector would then be meaningless.
  const embedding = mappings._meta?.embedding;
  if (embedding && spec.embedding && !isSameEmbedding(embedding, spec.embedding)) {
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `The index '${name}' on ${address} holds vectors of the embedder ${describeEmbedding(embedding)}, but the flow writes vectors of ${describeEmbedding(spec.embedding)}. Use the embedder that the index was created with, choose another index_name, or delete the index and run again.`,
    );
  }
}

async function joinAlias(home: IndexHome, name: string, alias: string, signal: AbortSignal): Promise<void> {
  try {
    // A search over the alias would fail until the shard of a new index has started, whichever worker made it.
    const path = `/_cluster/health/${encodeURIComponent(name)}`;
    const query = { wait_for_status: 'yellow', timeout: '10s' };
    await home.connection.send({ method: 'GET', path, query }, { timeoutMs: home.timeoutMs, signal, accept: [408] });
    const body = { actions: [{ add: { index: name, alias } }] };
    await home.connection.send({ method: 'POST', path: '/_aliases', body }, { timeoutMs: home.timeoutMs, signal });
  } catch (error) {
    if (findEngineError(error)?.type !== 'invalid_alias_name_exception') throw error;
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `The index '${name}' cannot join the read alias '${alias}' (SEARCH_DEFAULT_INDEX): an index has that name. Rename or delete that index, or set another alias.`,
      {},
      error,
    );
  }
}

/** True while the alias points at another index than this one. */
async function isHeldByOther(home: IndexHome, alias: string, index: string, signal: AbortSignal): Promise<boolean> {
  const { status, body } = await home.connection.send(
    { method: 'GET', path: `/_alias/${encodeURIComponent(alias)}` },
    { timeoutMs: home.timeoutMs, accept: [404], signal },
  );
  return status !== 404 && !Object.keys(body as Record<string, unknown>).includes(index);
}

/** Name to UUID of the indexes that exist. */
export async function readIndexUuids(
  home: IndexHome,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Record<string, string>> {
  const indexStates = await Promise.all(
    [...new Set(names)].map(async (name) => {
      // No server allows such an index name, and some would be read as patterns.
      if (findIndexNameProblem(name)) return [];
      const index = await readIndex(home, getConcreteName(name, home.alias), signal);
      return index ? [[name, index.state.settings.index.uuid] as const] : [];
    }),
  );
  return Object.fromEntries(indexStates.flat());
}

interface SizeReply {
  indices: Record<string, { primaries: { docs?: { count: number } }; total: { store?: { size_in_bytes: number } } }>;
}

/** Number of records and bytes of the indexes that exist, including replicas, by their own names. */
export async function readIndexSizes(
  home: IndexHome,
  names: readonly string[],
): Promise<{ name: string; records: number; bytes: number }[]> {
  const indexStates = await Promise.all(
    [...new Set(names)].map(async (name) => {
      if (findIndexNameProblem(name)) return [];
      const path = `/${encodeURIComponent(getConcreteName(name, home.alias))}/_stats/docs,store`;
      const call = { timeoutMs: home.timeoutMs, accept: [404] };
      const { status, body } = await home.connection.send({ method: 'GET', path }, call);
      if (status === 404) return [];
      return Object.entries((body as SizeReply).indices).map(([indexName, { primaries, total }]) => ({
        name: indexName,
        records: primaries.docs?.count ?? 0,
        bytes: total.store?.size_in_bytes ?? 0,
      }));
    }),
  );
  return [...new Map(indexStates.flat().map((item) => [item.name, item])).values()];
}

/** Facts about an index, read without changing it. */
export interface IndexFacts {
  /** Absent if the index has no vectors. */
  dimension?: number;
  embedding?: IndexEmbedding;
  /** Fields that every index of ours has and this one lacks. */
  lacks: string[];
}

/** The facts of an index; undefined if it does not exist yet. */
export async function describeIndex(
  home: IndexHome,
  name: string,
  signal: AbortSignal,
): Promise<IndexFacts | undefined> {
  if (findIndexNameProblem(name)) return undefined;
  const index = await readIndex(home, getConcreteName(name, home.alias), signal);
  if (!index) {
    // A missing index is a valid answer, but only from a search server.
    await home.connection.send({ method: 'GET', path: '/' }, { timeoutMs: home.timeoutMs, signal });
    return undefined;
  }
  const { _meta, properties = {} } = index.state.mappings;
  const dimension = properties['embedding']?.dimension;
  return {
    ...(dimension === undefined ? {} : { dimension }),
    ...(_meta?.embedding ? { embedding: _meta.embedding } : {}),
    lacks: listMissingFields(properties),
  };
}

/** False if no index has both this name and this UUID. Aliases and patterns do not count as names of an index. */
export async function dropIndex(home: IndexHome, value: string, uuid: string): Promise<boolean> {
  if (findIndexNameProblem(value)) return false;
  const name = getConcreteName(value, home.alias);
  const index = await readIndex(home, name);
  if (index?.name !== name || index.state.settings.index.uuid !== uuid) return false;
  const { status } = await home.connection.send(
    { method: 'DELETE', path: `/${encodeURIComponent(name)}` },
    { timeoutMs: home.timeoutMs, accept: [404] },
  );
  return status !== 404;
}

/** Makes written records visible to searches. Does nothing for a missing index. */
export async function refreshIndex(home: IndexHome, name: string): Promise<void> {
  const path = `/${encodeURIComponent(getConcreteName(name, home.alias))}/_refresh`;
  await home.connection.send({ method: 'POST', path }, { timeoutMs: home.timeoutMs, accept: [404] });
}

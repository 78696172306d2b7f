import { changeRecords, type IndexAccess } from './access';
import path from 'node:path';
import type { Config } from '../../model/config';
import { type NetworkConfig, networkRules } from '../../model/network-rules';
import { type AddressGuard, createAddressGuard } from '../net/address-guard';
import { builtinEmbedding } from '../embedding/builtin';
import { isSameHost } from '../net/addresses';
import { createEmbedder } from '../embedding/embedder';
import type { IndexSpec, Search, SearchTarget } from './ports';
import { aliasHolders, nearest, pointAlias } from './alias';
import { sendBulk, writeAction } from './bulk';
import { checkEngine } from './engines';
import { connectSearch, type SearchConnection } from './connection';
import {
  concreteName,
  describeIndex,
  dropIndex,
  type EnsuredIndex,
  ensureIndex,
  type IndexFacts,
  type IndexHome,
  indexSizes,
  indexUuids,
  refreshIndex,
} from './index';
import { approvedEmbedders, type EmbedderSettings } from './approved-embedders';
import { createQueries, type DocumentQueries } from './query';
import { createQueryVectors } from './ranking/query-vectors';
import { removeRecords } from './removal';
import { withVectorStores } from './stores';
import { createLanceStore } from '../vector/lancedb';
import { createMilvusStore } from '../vector/milvus';
import { createPgvectorStore } from '../vector/pgvector';

/** The settings that the document index needs. */
export type SearchSettings = NetworkConfig &
  Pick<
    Config,
    | 'SEARCH_HOST'
    | 'SEARCH_PORT'
    | 'SEARCH_USE_SSL'
    | 'SEARCH_VERIFY_CERTS'
    | 'SEARCH_USERNAME'
    | 'SEARCH_PASSWORD'
    | 'SEARCH_DEFAULT_INDEX'
    | 'SEARCH_TIMEOUT'
    | 'SEARCH_MAX_RETRIES'
    | 'DOCLOOM_DATA'
  > &
  EmbedderSettings &
  Parameters<typeof createEmbedder>[0];

/** Looks at indexes before a run, on the configured server or one that a flow names. */
export interface IndexInspector {
  /** Undefined if there is no such index yet; SEARCH_CONNECTION_FAILED if the server does not answer. */
  describeIndex(name: string, target: SearchTarget | undefined, signal: AbortSignal): Promise<IndexFacts | undefined>;
  /** Records and room of indexes on the configured server; those that do not exist are left out. */
  indexSizes(names: readonly string[]): Promise<{ name: string; records: number; bytes: number }[]>;
  /** SEARCH_INDEX_ERROR where the server lacks the engine of vectors. */
  checkEngine(engine: string, target: SearchTarget | undefined, signal: AbortSignal): Promise<void>;
}

/** The search server of the settings. */
export function configuredTarget(config: SearchSettings): SearchTarget {
  return {
    host: config.SEARCH_HOST,
    port: config.SEARCH_PORT,
    useSsl: config.SEARCH_USE_SSL,
    verifyCerts: config.SEARCH_VERIFY_CERTS,
    username: config.SEARCH_USERNAME,
    password: config.SEARCH_PASSWORD,
  };
}

/** Services that the index shares with others of its process. It creates missing ones, and closes only these. */
export interface SearchDeps {
  embedder?: ReturnType<typeof createEmbedder>;
  guard?: AddressGuard;
}

/** The document index on the configured server, and writing to servers that flows name. Connects on first use. */
export function createSearch(
  config: SearchSettings,
  { embedder: shared, guard = createAddressGuard(networkRules(config)) }: SearchDeps = {},
): Search & IndexInspector & DocumentQueries & IndexAccess {
  const timeoutMs = config.SEARCH_TIMEOUT * 1_000;
  const alias = config.SEARCH_DEFAULT_INDEX;
  const configured = configuredTarget(config);
  const own = connectSearch(configured);
  const others = new Map<string, SearchConnection>();
  const embedder = shared ?? createEmbedder(config, { guard });
  const builtin = () => builtinEmbedding(config.DOCLOOM_MODELS_FOLDER);
  const vectorsFor = createQueryVectors(embedder);
  const mayAsk = approvedEmbedders(config);
  const queries = createQueries(own, alias, ({ username }) => ({
    embedder: vectorsFor(username),
    mayAsk,
    builtin: builtin(),
  }));
  const seenFresh = new Set<string>();
  /** Facts about indexes that this process has verified. */
  const ensured = new Map<string, EnsuredIndex>();
  const getKey = (home: IndexHome, index: string) => `${home.connection.address}/${concreteName(index, home.alias)}`;

  function getHome(target: SearchTarget | undefined): IndexHome {
    // A flow that names the configured server uses it, with its read alias; no other connection reaches it.
    const isOwn =
      !target || (target.port === configured.port && !target.provider && isSameHost(target.host, configured.host));
    if (isOwn) return { connection: own, alias, timeoutMs };
    const key = JSON.stringify([
      target.host,
      target.port,
      target.useSsl,
      target.verifyCerts,
      target.username,
      target.password,
    ]);
    const connection = others.get(key) ?? connectSearch(target, guard);
    others.set(key, connection);
    return { connection, timeoutMs };
  }
  /** An index keeps the embedder that `builtin` meant when it was created. */
  function settleSpec(spec: IndexSpec): IndexSpec {
    if (spec.embedding?.type !== 'builtin') return spec;
    return { ...spec, embedding: builtin() };
  }
  const bulkOptions = (signal?: AbortSignal) => ({
    timeoutMs,
    maxRetries: config.SEARCH_MAX_RETRIES,
    ...(signal ? { signal } : {}),
  });

  const search: Search & IndexInspector & DocumentQueries & IndexAccess = {
    ...queries,
    async ensureIndex(spec, target, signal) {
      const home = getHome(target);
      const index = await ensureIndex(home, settleSpec(spec), signal);
      ensured.set(getKey(home, spec.name), index);
      return index.uuid;
    },
    describeIndex: async (name, target, signal) => describeIndex(getHome(target), name, signal),
    checkEngine: async (engine, target, signal) => checkEngine(getHome(target), engine, signal),
    indexUuids: async (names, target) => indexUuids(getHome(target), names),
    indexSizes: async (names) => indexSizes(getHome(undefined), names),
    async bulkIndex(index, records, target, signal) {
      const home = getHome(target);
      const known = ensured.get(getKey(home, index));
      const refused = await sendBulk(
        home.connection,
        concreteName(index, home.alias),
        records.map((record) => writeAction(record, known)),
        bulkOptions(signal),
      );
      return refused.map(({ id, reason }) => ({ id, reason }));
    },
    async removeDocuments(index, scope, target) {
      const home = getHome(target);
      const name = concreteName(index, home.alias);
      // Runs of a job do not overlap: once its run has seen the index fresh, it sees all that earlier runs wrote.
      const key = scope.keepRunId === undefined ? undefined : `${home.connection.address}/${name}/${scope.keepRunId}`;
      const isFresh = key !== undefined && seenFresh.has(key);
      const removed = await removeRecords(home.connection, name, scope, { ...bulkOptions(), isFresh });
      if (seenFresh.size > 1_000) seenFresh.clear();
      if (key !== undefined) seenFresh.add(key);
      return removed;
    },
    async changeAccess(index, change, target) {
      const home = getHome(target);
      return changeRecords(home.connection, concreteName(index, home.alias), change, bulkOptions());
    },
    refresh: async (index, target) => refreshIndex(getHome(target), index),
    pointAlias: async (name, index, target) => pointAlias(getHome(target), name, index),
    aliasHolders: async (name, target) => aliasHolders(getHome(target), name),
    dropIndex: async (name, uuid) => dropIndex(getHome(undefined), name, uuid),
    nearest: async (index, query, target) => nearest(getHome(target), index, query),
    async ping() {
      await own.send({ method: 'GET', path: '/' }, { timeoutMs: 5_000 });
    },
    async close() {
      if (embedder !== shared) embedder.close();
      await Promise.all([own, ...others.values()].map((connection) => connection.close()));
      others.clear();
    },
  };
  return withVectorStores(search, {
    milvus: createMilvusStore({ guard }),
    pgvector: createPgvectorStore({ guard }),
    lancedb: createLanceStore({ folder: path.join(config.DOCLOOM_DATA, 'lancedb') }),
  });
}

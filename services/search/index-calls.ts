import type { IndexEmbedding } from '../../model/llm/index-embedding';
import { changeRecords, type IndexAccess } from './access';
import { findNearest, findServerId, listAliasHolders, pointAliasTo } from './alias';
import { sendBulk, buildWriteAction } from './bulk';
import { getConcreteName, type IndexHome, type IndexHomes } from './connection';
import { checkEngine } from './engines';
import {
  describeIndex,
  dropIndex,
  type EnsuredIndex,
  ensureIndex,
  type IndexInspector,
  readIndexSizes,
  readIndexUuids,
  refreshIndex,
} from './index';
import type { IndexSpec, Search } from './ports';
import type { DocumentQueries } from './query';
import { removeRecords } from './removal';

interface CallOptions {
  timeoutMs: number;
  maxRetries: number;
  builtin: () => IndexEmbedding;
}

/** The calls that write and describe indexes, each on the server of its target. */
export function createIndexCalls(
  { getHome }: IndexHomes,
  { builtin, ...options }: CallOptions,
): Omit<Search, keyof DocumentQueries | 'ping' | 'close'> & IndexInspector & IndexAccess {
  /** Facts about indexes that this process has verified. */
  const ensured = new Map<string, EnsuredIndex>();
  const buildKey = (home: IndexHome, index: string) =>
    `${home.connection.address}/${getConcreteName(index, home.alias)}`;
  return {
    async ensureIndex(spec, target, signal) {
      const home = getHome(target);
      const index = await ensureIndex(home, settleSpec(spec, builtin), signal);
      ensured.set(buildKey(home, spec.name), index);
      return index.uuid;
    },
    describeIndex: async (name, target, signal) => describeIndex(getHome(target), name, signal),
    checkEngine: async (engine, target, signal) => checkEngine(getHome(target), engine, signal),
    findIndexUuids: async (names, target, signal) => readIndexUuids(getHome(target), names, signal),
    readIndexSizes: async (names) => readIndexSizes(getHome(), names),
    async bulkIndex(index, records, target, signal) {
      const home = getHome(target);
      const ensuredIndex = ensured.get(buildKey(home, index));
      const refused = await sendBulk(
        home.connection,
        getConcreteName(index, home.alias),
        records.map((record) => buildWriteAction(record, ensuredIndex)),
        { ...options, signal },
      );
      return refused.map(({ id, reason }) => ({ id, reason }));
    },
    removeDocuments: createRemoval(getHome, options),
    async changeAccess(index, change, target) {
      const home = getHome(target);
      return changeRecords(home.connection, getConcreteName(index, home.alias), change, options);
    },
    refresh: async (index, target) => refreshIndex(getHome(target), index),
    pointAlias: async (alias, index, target, { admit } = {}) => pointAliasTo(getHome(target), { alias, index, admit }),
    findServerId: async (target) => findServerId(getHome(target)),
    listAliasHolders: async (name, target, signal) => listAliasHolders(getHome(target), name, signal),
    dropIndex: async (name, uuid) => dropIndex(getHome(), name, uuid),
    findNearest: async (index, query, target) => findNearest(getHome(target), index, query),
  };
}

/** An index keeps the embedder that `builtin` meant when it was created. */
function settleSpec(spec: IndexSpec, builtin: () => IndexEmbedding): IndexSpec {
  if (spec.embedding?.type !== 'builtin') return spec;
  return { ...spec, embedding: builtin() };
}

function createRemoval(
  getHome: IndexHomes['getHome'],
  options: Omit<CallOptions, 'builtin'>,
): Search['removeDocuments'] {
  const seenFresh = new Set<string>();
  return async (index, scope, target) => {
    const home = getHome(target);
    const name = getConcreteName(index, home.alias);
    // Runs of a job do not overlap: once its run has seen the index fresh, it sees all that earlier runs wrote.
    const key = scope.keepRunId === undefined ? undefined : `${home.connection.address}/${name}/${scope.keepRunId}`;
    const isFresh = key !== undefined && seenFresh.has(key);
    const removed = await removeRecords(home.connection, name, scope, { ...options, isFresh });
    if (seenFresh.size > 1_000) seenFresh.clear();
    if (key !== undefined) seenFresh.add(key);
    return removed;
  };
}

import type { VectorStore } from '../vector/store';
import type { IndexInspector } from './index';
import type { Search, SearchTarget } from './ports';

/** Sends calls about a target to the store of its provider, and all others to OpenSearch. */
export function withVectorStores<Own extends Search & IndexInspector>(
  search: Own,
  stores: Readonly<Record<NonNullable<SearchTarget['provider']>, VectorStore>>,
): Own {
  const getStore = (target: SearchTarget | undefined): VectorStore =>
    target?.provider ? stores[target.provider] : search;
  return {
    ...search,
    ensureIndex: (spec, target, signal) => getStore(target).ensureIndex(spec, target, signal),
    findIndexUuids: (names, target, signal) => getStore(target).findIndexUuids(names, target, signal),
    bulkIndex: (index, records, target, signal) => getStore(target).bulkIndex(index, records, target, signal),
    removeDocuments: (index, scope, target) => getStore(target).removeDocuments(index, scope, target),
    refresh: (index, target) => getStore(target).refresh(index, target),
    pointAlias: (alias, index, target, claim) => getStore(target).pointAlias(alias, index, target, claim),
    findServerId: (target) => getStore(target).findServerId(target),
    listAliasHolders: (alias, target, signal) => getStore(target).listAliasHolders(alias, target, signal),
    findNearest: (index, query, target) => getStore(target).findNearest(index, query, target),
    // Only indexes of OpenSearch can be looked at before a run.
    describeIndex: async (name, target, signal) =>
      target?.provider ? undefined : search.describeIndex(name, target, signal),
    checkEngine: async (engine, target, signal) => {
      if (!target?.provider) await search.checkEngine(engine, target, signal);
    },
    async close() {
      await Promise.all([search.close(), ...Object.values(stores).map((store) => store.close())]);
    },
  };
}

import { createMemoryView } from '../../../../graph/corpus/memory-view';
import type { Contribution } from '../../../../model/graph/facts';
import type { CorpusDocument, CorpusStore } from '../../../../services/graph/corpus-store';
import { memoryPairStore } from './pair-store';

/** Facts of corpus graphs in memory. */
export function memoryCorpusStore(): CorpusStore {
  const graphs = new Map<string, Map<string, { document: CorpusDocument; facts: Contribution }>>();
  const of = (id: string) => graphs.get(id) ?? new Map<string, { document: CorpusDocument; facts: Contribution }>();
  const compared = new Map<string, Contribution>();
  const store: CorpusStore = {
    pairs: memoryPairStore(),
    async *iterateDocuments(id) {
      for (const { document } of of(id).values()) yield document;
    },
    findDocument: async (id, documentId) => of(id).get(documentId)?.document,
    listDocuments: async (id, { state, ids, after, limit }) =>
      [...of(id).values()]
        .map(({ document }) => document)
        .filter((document) => document.documentId > after && (state === undefined || document.state === state))
        .filter((document) => ids === undefined || ids.includes(document.documentId))
        .toSorted((document, other) => (document.documentId < other.documentId ? -1 : 1))
        .slice(0, limit),
    put: async (id, document, facts) => void graphs.set(id, of(id).set(document.documentId, { document, facts })),
    remove: async (id, documentIds) => documentIds.forEach((documentId) => of(id).delete(documentId)),
    forget: async (documentIds) => {
      let gone = 0;
      for (const documents of graphs.values()) for (const id of documentIds) gone += documents.delete(id) ? 1 : 0;
      return gone;
    },
    removeGraph: async (id) => void graphs.delete(id),
    listUncompared: async (id, limit) =>
      [...of(id)]
        .filter(([documentId, { facts }]) => compared.get(`${id} ${documentId}`) !== facts)
        .map(([documentId]) => documentId)
        .slice(0, limit),
    compare: async (id, documentId) => {
      const facts = of(id).get(documentId)?.facts ?? { nodes: [], edges: [] };
      return { nodes: facts.nodes, done: async () => void compared.set(`${id} ${documentId}`, facts) };
    },
    openView(id, readable) {
      const shown = async () => {
        const allowed = await readable([...of(id).keys()]);
        const facts = [...of(id)].filter(([documentId]) => allowed.has(documentId)).map(([, item]) => item.facts);
        return createMemoryView({
          nodes: facts.flatMap(({ nodes }) => nodes),
          edges: facts.flatMap(({ edges }) => edges),
        });
      };
      return {
        nodes: async (ids) => (await shown()).nodes(ids),
        edges: async (ids, query) => (await shown()).edges(ids, query),
        find: async (condition, page) => (await shown()).find(condition, page),
      };
    },
  };
  return store;
}

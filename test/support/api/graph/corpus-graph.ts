import { runPipeline, templateFrom } from '../../../../graph';
import { buildContribution } from '../../../../graph/corpus/contribution';
import { comparePairs } from '../../../../graph/resolve/candidates';
import { proposePair } from '../../../../graph/resolve/propose';
import type { User } from '../../../../model/access';
import type { GraphReply } from '../../../../model/graph/wire';
import { memoryDocumentSets } from '../document-set-services';
import { memoryGraphs } from '../graph-services';
import { alice, startApi, type TestApi } from '../server';

/** Orders of parties, which have names that may mean the same thing. */
export const orderTemplate = {
  root: 'Order',
  classes: {
    Order: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str', description: 'Order number' },
        buyer: { model: 'Party', edge_label: 'ORDERED_BY' },
      },
    },
    Party: {
      graph_id_fields: ['name'],
      fields: { name: { type: 'str' }, city: { type: 'str' }, tax_number: { type: 'str', description: 'Tax number' } },
    },
  },
};

/** An order by a party, as a document. */
export const orderText = (number: string, name: string, more = '') =>
  `Order number: ${number}\n\n## Buyer\n\nName: ${name}\n${more}\n`;

export type OrderDocument = { text: string; users?: string[] };

export const origin = { jobId: 'job', runId: 'run', operator: 'set', startedAt: '2026-01-01T00:00:00.000Z' };

/** An api over graphs and document sets in memory, of which Alice is the owner and Bob a reader. */
export interface CorpusApi {
  api: TestApi;
  graphs: ReturnType<typeof memoryGraphs>;
  sets: ReturnType<typeof memoryDocumentSets>;
  setId: string;
  /** A graph of these documents, in which the rules have compared the nodes, as the worker does. */
  getGraph: (documents: Record<string, OrderDocument>) => Promise<string>;
  /** Compares the nodes of documents that are new in the graph. */
  compare: (id: string) => Promise<void>;
  get: (path: string, user: User) => ReturnType<TestApi['call']>;
}

/** Starts it, with other services as well. */
export async function startCorpusApi(services: Parameters<typeof startApi>[0] = {}): Promise<CorpusApi> {
  const graphs = memoryGraphs();
  const sets = memoryDocumentSets();
  const api = await startApi({ graphs: graphs.services, ...sets, ...services }, { adminGroups: ['admins'] });
  const { set } = await sets.documentSets.getOrCreate({ name: 'orders', owner: 'alice', readers: ['bob'] });
  const setId = set.id;
  const template = templateFrom(orderTemplate);
  const compare = async (id: string) => {
    const view = graphs.corpora.openView(id, async (ids) => new Set(ids));
    for (const documentId of await graphs.corpora.listUncompared(id, 100)) {
      const { nodes, done } = await graphs.corpora.compare(id, documentId);
      for (const pair of await comparePairs(view, template, nodes))
        await graphs.corpora.pairs.propose(id, proposePair(pair));
      await done();
    }
  };
  const getGraph = async (documents: Record<string, OrderDocument>) => {
    const rows = Object.entries(documents).map(([id, { text, users = ['alice', 'bob'] }]) => {
      return { id, name: `${id}.md`, path: id, content: text, allowed_users: users };
    });
    await sets.documentSets.write(setId, origin, rows);
    const body = { name: 'orders', document_set_id: setId, template: orderTemplate, readers: ['bob'], resolution: 'rules' }; // prettier-ignore
    const { id } = (await api.call('POST', '/api/v1/graphs', { user: alice, body })).body as unknown as GraphReply;
    for (const [documentId, { text }] of Object.entries(documents)) {
      const options = { backend: 'rules', provenance: 'detailed' } as const;
      const { graph, provenance } = await runPipeline({ source: text, template, options });
      const facts = buildContribution(graph, { ledger: provenance, template, documentId });
      const document = { documentId, name: `${documentId}.md`, signature: text, state: 'done' } as const;
      await graphs.corpora.put(id, document, facts);
    }
    await compare(id);
    const record = graphs.records.get(id);
    if (record) graphs.records.set(id, { ...record, state: 'COMPLETED', ended_at: '2026-01-01T00:00:00.000Z' });
    return id;
  };
  return { api, graphs, sets, setId, getGraph, compare, get: (path, user) => api.call('GET', `/api/v1/graphs/${path}`, { user }) }; // prettier-ignore
}

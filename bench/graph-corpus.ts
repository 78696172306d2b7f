import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { writeJson } from '../graph';
import { readWholeGraph } from '../graph/corpus/ask';
import { readConfig } from '../model/config';
import type { Row } from '../model/flow/row';
import { isFinalGraph } from '../model/graph/graph-build';
import { createDocumentSetsStore } from '../services/document-set/document-sets-store';
import { connectGraphs } from '../services/graph/graphs';
import type { GraphRecord } from '../services/graph/store';
import { connectMongo } from '../services/storage/mongo';
import { createObjectStore } from '../services/storage/object-store';
import { createDuckdb } from '../services/table/duckdb';
import { print, readNumber, runCommand } from './support/command';
import { openStack } from './support/stack';

const usage = `usage: node dist/bench/graph-corpus.js [--documents N]

Builds the graph of a set of N generated documents (default 2,000) with a scripted model, removes a tenth of them, adds as many, updates
the graph, changes a hundredth, updates it again, and builds another from scratch. Each document shares nodes with others and contradicts
them about an amount. Starts a docloom up in the data folder (DOCLOOM_DATA), which must not be running, and stops it. Exits 1 unless both
graphs are equal and the updates asked about the added and the changed documents only.`;

const template = {
  root: 'Ledger',
  classes: {
    Ledger: {
      graph_id_fields: ['number'],
      fields: { number: { type: 'str' }, entries: { model: 'Entry', is_list: true, edge_label: 'HOLDS' } },
    },
    Entry: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, amount: { type: 'decimal' } } },
  },
};
const owner = { username: 'bench', email: '', full_name: '', groups: [] };

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const documents = readNumber(argv, '--documents', 2_000);
  const model = await startModel();
  process.env['LOCALMODEL_HOST'] = model.url;
  const stack = await openStack(path.resolve(readConfig(process.env).DOCLOOM_DATA));
  const own = connect({ ...process.env, ...stack.info.env });
  try {
    return await measure(own, model, documents);
  } finally {
    await own.close();
    await stack.close();
    await model.stop();
  }
}

type Services = ReturnType<typeof connect>;

function connect(env: Record<string, string | undefined>) {
  const config = readConfig(env);
  const mongo = connectMongo(config.MONGODB_URL);
  const store = createObjectStore(config);
  const duckdb = createDuckdb();
  const graphs = connectGraphs({ config, mongo, store, newId: randomUUID });
  return {
    graphs,
    sets: createDocumentSetsStore({ mongo, store, duckdb }),
    async close() {
      await Promise.all([graphs.close(), mongo.close()]);
      duckdb.close();
      store.close();
    },
  };
}

/** The model in a separate thread, like a server; `calls` counts the requests since the last call. */
async function startModel() {
  const thread = new Worker(path.join(__dirname, 'support', 'delayed-model.js'), { workerData: { delayMs: 0 } });
  const [port] = (await once(thread, 'message')) as [number];
  const calls = async () => {
    const answer = once(thread, 'message');
    thread.postMessage('facts');
    const [found] = (await answer) as [{ asked: number }];
    return found.asked;
  };
  return { url: `http://127.0.0.1:${port}`, calls, stop: () => thread.terminate() };
}

async function measure(
  own: Services,
  model: Awaited<ReturnType<typeof startModel>>,
  documents: number,
): Promise<number> {
  const tenth = Math.floor(documents / 10);
  const { set } = await own.sets.getOrCreate({ name: `ledgers-${randomUUID()}`, owner: owner.username });
  const write = (from: number, to: number, amount?: string) =>
    own.sets.write(set.id, buildOrigin(), listRows(from, to, amount));
  const measureBuild = async (value: string, work: () => Promise<GraphRecord>) => {
    const began = performance.now();
    const graph = await waitUntilFinished(own, await work());
    const [calls, seconds] = [await model.calls(), (performance.now() - began) / 1_000];
    print(`${value}: ${seconds.toFixed(1)} s, ${calls} model calls, ${JSON.stringify(graph.corpus?.changes)}`);
    return { graph, calls };
  };
  await write(0, documents);
  const first = await measureBuild(`graph of ${documents} documents`, () => submit(own, set.id));
  const gone = Array.from({ length: tenth }, (_, index) => `d${index}`);
  await own.sets.removeRows(set.id, { jobId: 'bench', documentIds: gone });
  await write(documents, documents + tenth);
  const update = { limit: null, is_dry_run: false };
  const moved = await measureBuild(`${tenth} removed, ${tenth} added`, () => own.graphs.update(first.graph.id, update));
  const hundredth = Math.ceil(documents / 100);
  await write(tenth, tenth + hundredth, '99.90');
  const changed = await measureBuild(`${hundredth} changed`, () => own.graphs.update(first.graph.id, update));
  const scratch = await measureBuild('the same from scratch', () => submit(own, set.id));
  const isEqual = (await exportGraph(own, changed.graph)) === (await exportGraph(own, scratch.graph));
  const isMet = isEqual && moved.calls === tenth && changed.calls === hundredth;
  print(`${isEqual ? 'equal' : 'DIFFERENT'}, node for node; ${isMet ? 'met' : 'MISSED'}: calls of the updates`);
  return isMet ? 0 : 1;
}

const buildOrigin = () => ({
  jobId: 'bench',
  runId: randomUUID(),
  operator: 'set',
  startedAt: new Date().toISOString(),
});

// An account is in about twenty documents, each of which states another amount.
function listRows(from: number, to: number, amount = '12.50'): Row[] {
  return Array.from({ length: to - from }, (_, index) => {
    const number = from + index;
    const id = `d${number}`;
    const account = `Account ${number % 97} is of ${number}.00 EUR.`;
    const content = `Entry ${number} is of ${amount} EUR. ${account} Both were counted twice and written down in ink.`;
    return { id, name: `${id}.md`, path: `${id}.md`, content, allowed_users: [owner.username] };
  });
}

function submit(own: Services, setId: string): Promise<GraphRecord> {
  return own.graphs.submitCorpus({
    name: `bench-${randomUUID()}`,
    readers: [],
    owner: owner.username,
    source: { name: 'ledgers', document_set_id: setId },
    template: 'Ledger',
    given: template,
    options: { backend: 'llm', model_id: 'm', gleaning_enabled: false },
    provider_config: JSON.stringify({ model_id: 'm', protocol: 'openai' }),
    limit: null,
    is_dry_run: false,
  });
}

async function waitUntilFinished({ graphs }: Services, { id }: GraphRecord): Promise<GraphRecord> {
  for (;;) {
    const graph = await graphs.get({ user: owner }, id);
    if (graph?.state === 'FAILED') throw new Error(`The graph failed: ${graph.error?.message}`);
    if (graph && isFinalGraph(graph.state)) return graph;
    await delay(200);
  }
}

async function exportGraph({ graphs, sets }: Services, { id, source }: GraphRecord): Promise<string> {
  const view = graphs.openView(id, (ids) => sets.findReadableDocuments(owner, source.document_set_id ?? '', ids));
  const graph = await readWholeGraph(view, 1_000_000);
  if (!graph) throw new Error(`The graph ${id} cannot be read as a whole.`);
  print(`graph ${id}: ${graph.nodes.size} nodes`);
  return [...writeJson(graph)].join('');
}

runCommand(main);

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { writeJson } from '../../../graph';
import { findNodes, readWholeGraph } from '../../../graph/corpus/ask';
import { createResolvedView } from '../../../graph/resolve/resolved-view';
import { readConfig } from '../../../model/config';
import { isFinalGraph } from '../../../model/graph/graph-build';
import { createDocumentSetsStore } from '../../../services/document-set/document-sets-store';
import { createCorpusStore } from '../../../services/graph/corpus-store';
import { connectGraphs } from '../../../services/graph/graphs';
import type { GraphRecord } from '../../../services/graph/store';
import { connectMongo } from '../../../services/storage/mongo';
import { createObjectStore } from '../../../services/storage/object-store';
import { createDuckdb } from '../../../services/table/duckdb';
import { createModelServer, type ModelServer } from '../../support/servers/model-server';
import { createSystem, until } from '../../support/system/system';

const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
const template = {
  root: 'Order',
  classes: {
    Order: {
      graph_id_fields: ['number'],
      fields: { number: { type: 'str' }, buyer: { model: 'Party', edge_label: 'ORDERED_BY' } },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, city: { type: 'str' } } },
  },
};
const alice = { username: 'alice', email: '', full_name: '', groups: [] };

function connect(env: Record<string, string>) {
  const config = readConfig(env);
  const mongo = connectMongo(config.MONGODB_URL);
  const store = createObjectStore(config);
  const duckdb = createDuckdb();
  const graphs = connectGraphs({ config, mongo, store, newId: randomUUID });
  return {
    graphs,
    sets: createDocumentSetsStore({ mongo, store, duckdb }),
    corpora: createCorpusStore(mongo),
    async close() {
      await Promise.all([graphs.close(), mongo.close()]);
      duckdb.close();
      store.close();
    },
  };
}

let server: ModelServer;
let system: ReturnType<typeof createSystem>;
let own: ReturnType<typeof connect>;
let worker: Awaited<ReturnType<typeof system.startWorker>>;
beforeAll(async () => {
  build();
  server = await createModelServer();
  system = createSystem({ LOCALMODEL_HOST: server.url });
  own = connect(system.env);
  worker = await system.startWorker();
});
afterAll(async () => {
  await own.close();
  await system.stop();
  await server.stop();
});
/** The documents sent to the model. */
let requests: string[] = [];
beforeEach(() => {
  server.reset();
  requests = [];
  server.answer = ({ messages }) => {
    const [, number = ''] = /Order (\S+) of/.exec(messages.at(-1)?.content ?? '') ?? [];
    const [, buyer = ''] = /of (.+?) in/.exec(messages.at(-1)?.content ?? '') ?? [];
    requests.push(number);
    return { number, buyer: { name: buyer, city: 'Leith' } };
  };
});

const origin = () => ({ jobId: 'job', runId: randomUUID(), operator: 'set', startedAt: new Date().toISOString() });
const toRow = (number: number, version = '') => ({
  id: `d${number}`,
  name: `order-${number}.md`,
  path: `order-${number}.md`,
  content: `Order PO-${number}${version} of Buyer ${number % 3} in 2026.`,
  allowed_users: ['alice'],
});
const newSet = async (rows: ReturnType<typeof toRow>[]) => {
  const { set } = await own.sets.getOrCreate({ name: `orders-${randomUUID()}`, owner: 'alice' });
  await own.sets.write(set.id, origin(), rows);
  return set.id;
};
const submit = (setId: string, more: { limit?: object; is_dry_run?: boolean; resolution?: 'rules' | 'model' } = {}) =>
  own.graphs.submitCorpus({
    name: `graph-${randomUUID()}`,
    readers: [],
    owner: 'alice',
    source: { name: 'orders', document_set_id: setId },
    template: 'Order',
    given: template,
    options: { backend: 'llm', model_id: 'm', gleaning_enabled: false },
    provider_config: JSON.stringify({ model_id: 'm', max_retries: 0 }),
    limit: null,
    is_dry_run: false,
    ...more,
  });
const ended = async ({ id }: GraphRecord): Promise<GraphRecord> => {
  let graph: GraphRecord | undefined;
  await until(`the update of ${id} ends`, async () => {
    graph = await own.graphs.get({ user: alice }, id);
    return !graph || isFinalGraph(graph.state);
  });
  if (!graph) throw new Error(`the graph ${id} is gone`);
  return graph;
};
const update = async ({ id }: GraphRecord, limit: object | null = null) =>
  ended(await own.graphs.update(id, { limit, is_dry_run: false }));
const toView = ({ id, source }: GraphRecord) =>
  own.graphs.openView(id, (ids) => own.sets.findReadableDocuments(alice, source.document_set_id ?? '', ids));
const exported = async (graph: GraphRecord) => {
  const whole = await readWholeGraph(toView(graph), 10_000);
  return whole && whole.nodes.size > 0 ? [...writeJson(whole)].join('') : '';
};

test('an update reads new and changed documents, removes deleted ones, and gives the graph built from scratch', async () => {
  const setId = await newSet(Array.from({ length: 30 }, (_, number) => toRow(number)));
  const graph = await ended(await submit(setId));
  expect(graph).toMatchObject({
    state: 'COMPLETED',
    corpus: {
      changes: { added: 30, changed: 0, removed: 0, unchanged: 0 },
      estimate: { documents: 30, chunks: 30, model_calls: 30 },
      usage: { model_calls: 30 },
    },
  });
  requests = [];
  await own.sets.removeRows(setId, { jobId: 'job', documentIds: ['d1', 'd2', 'd3'] });
  await own.sets.write(setId, origin(), [toRow(4, '-B'), toRow(30), toRow(31)]);
  const after = await update(graph);
  expect(after.corpus).toMatchObject({
    update: 2,
    changes: { added: 2, changed: 1, removed: 3, unchanged: 26 },
    usage: { model_calls: 3 },
  });
  expect(requests.toSorted()).toEqual(['PO-30', 'PO-31', 'PO-4-B']);
  const scratch = await ended(await submit(setId));
  expect(await exported(after)).toBe(await exported(scratch));
  expect(await exported(after)).not.toMatch(/"PO-4"|"PO-1"/);
  const { nodes } = await findNodes(toView(after), { property: 'number', value: 'PO-30' }, { after: '', limit: 5 });
  expect(nodes[0]?.support).toMatchObject([{ document_id: 'd30', passages: [{ text: toRow(30).content }] }]);
  const again = await update(after);
  expect(again.corpus).toMatchObject({ changes: { unchanged: 29 }, usage: { model_calls: 0 } });
});

test('a graph that a flow names follows its set; a changed template reads all documents again, an unchanged one none', async () => {
  const setId = await newSet([toRow(1), toRow(2)]);
  const follow = (given: object, more: object = {}) =>
    own.graphs.followFlow({
      name: `of ${setId}`,
      readers: [],
      owner: 'alice',
      source: { name: 'orders', document_set_id: setId },
      template: 'Order',
      given,
      options: { backend: 'llm', model_id: 'm', gleaning_enabled: false },
      provider_config: JSON.stringify({ model_id: 'm', max_retries: 0, api_key: 'sk-of-the-flow' }),
      limit: null,
      is_dry_run: false,
      auto_update: true,
      ...more,
    });
  const id = (await follow(template, { limit: { documents: 9 } })) ?? '';
  const first = await ended({ id } as GraphRecord);
  expect(first.corpus).toMatchObject({ changes: { added: 2 }, limit: { documents: 9 }, auto_update: true });
  await own.graphs.updateAfterRun([setId], [id]);
  expect((await own.graphs.get({ user: alice }, id))?.corpus?.update).toBe(1);
  const next = async (given: object) => {
    expect(await follow(given)).toBeUndefined();
    await own.graphs.updateAfterRun([setId]);
    return ended({ id } as GraphRecord);
  };
  expect((await next(template)).corpus).toMatchObject({
    update: 2,
    changes: { unchanged: 2 },
    limit: { documents: 9 },
  });
  const changed = await next({
    ...template,
    classes: { ...template.classes, Extra: { fields: { note: { type: 'str' } } } },
  });
  expect(changed.corpus).toMatchObject({ update: 3, changes: { changed: 2, unchanged: 0 }, usage: { model_calls: 2 } });
  expect(JSON.parse(changed.provider_config ?? '')).toMatchObject({ api_key: 'sk-of-the-flow' });
});

test('a dry run estimates without calling the model; an update over its limit does not start', async () => {
  const setId = await newSet([toRow(1), toRow(2), toRow(3)]);
  const dry = await ended(await submit(setId, { is_dry_run: true }));
  expect(dry).toMatchObject({ state: 'COMPLETED', corpus: { estimate: { documents: 3, model_calls: 3 } } });
  const limited = await update(dry, { model_calls: 2 });
  expect(limited).toMatchObject({ state: 'FAILED', error: { code: 'GRAPH_LIMIT_REACHED' } });
  expect(limited.error?.message).toContain('3 model calls, and its limit is 2');
  expect([requests, await exported(limited)]).toEqual([[], '']);
});

test('a killed worker loses only the documents in progress', async () => {
  const setId = await newSet(Array.from({ length: 60 }, (_, number) => toRow(number)));
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const answer = server.answer;
  server.answer = async (ask, nth) => {
    if (nth > 25) await held;
    return answer(ask, nth);
  };
  const graph = await submit(setId);
  await until('some are stored and others asked', async () => {
    let stored = 0;
    for await (const _document of own.corpora.iterateDocuments(graph.id)) stored += 1;
    return stored >= 20 && server.asked.length > 25;
  });
  const finished: string[] = [];
  for await (const { documentId } of own.corpora.iterateDocuments(graph.id))
    finished.push(documentId.replace('d', 'PO-'));
  worker.kill('SIGKILL');
  release();
  worker = await system.startWorker();
  expect(await ended(graph)).toMatchObject({ state: 'COMPLETED' });
  expect(JSON.parse(await exported(graph))).toMatchObject({ metadata: { node_count: 63 } });
  for (const number of finished)
    expect([number, requests.filter((value) => value === number).length]).toEqual([number, 1]);
});

test('a failed document is recorded and read again; one that is removed everywhere leaves no fact', async () => {
  const setId = await newSet([toRow(101), toRow(102), { ...toRow(103), content: 'Nothing is ordered here.' }]);
  server.fault = ({ messages }) =>
    messages.at(-1)?.content.includes('PO-102') ? { status: 400, body: { error: { message: 'odd' } } } : undefined;
  const graph = await ended(await submit(setId));
  expect(graph.state).toBe('COMPLETED');
  expect(await own.corpora.findDocument(graph.id, 'd102')).toMatchObject({
    state: 'failed',
    error: { code: 'MODEL_REQUEST_REFUSED' },
  });
  expect(await exported(graph)).not.toContain('PO-102');
  server.fault = () => undefined;
  const again = await update(graph);
  expect(again.corpus).toMatchObject({ changes: { changed: 1, unchanged: 2 } });
  expect(await exported(again)).toContain('PO-102');
  expect(await own.corpora.forget(['d102'])).toBe(1);
  expect(await exported(again)).not.toContain('PO-102');
  await own.graphs.remove(graph.id);
  expect(await own.corpora.findDocument(graph.id, 'd101')).toBeUndefined();
});

test('nodes with the same meaning are found by rules, then by the model; decisions apply to later documents', async () => {
  const named = (number: number, buyer: string) => ({
    ...toRow(number),
    content: `Order PO-${number} of ${buyer} in 2026.`,
  });
  const setId = await newSet([
    named(201, 'Harbour Board Ltd'),
    named(202, 'Harbour Board Limited'),
    named(203, 'Harbour Board of Leith'),
    named(204, 'Zenith Optics'),
    named(205, 'Zenith Optics Holding'),
  ]);
  const orders = server.answer;
  const questions: string[] = [];
  server.answer = (ask, nth) => {
    const text = ask.messages.at(-1)?.content ?? '';
    if (!text.startsWith('Pair 1')) return orders(ask, nth);
    questions.push(text);
    const pairs = text.split('\n\n').map((line, index) => {
      return { pair: index + 1, answer: line.includes('Zenith') ? 'different' : 'unsure' };
    });
    return { pairs };
  };
  const graph = await ended(await submit(setId, { resolution: 'model' }));
  expect(graph.state).toBe('COMPLETED');
  const getPairs = async (query = {}) =>
    (await own.corpora.pairs.list(graph.id, query, { after: '', limit: 100 })).map(({ pair }) => pair);
  expect((await getPairs({ by: 'rules' })).map(({ state }) => state)).toEqual(['same']);
  expect((await getPairs({ by: 'model' })).map(({ state }) => state).toSorted()).toEqual(['different', 'open', 'open']);
  expect([questions.length, graph.corpus?.usage.model_calls]).toEqual([1, 6]);
  expect(graph.corpus?.estimate).toMatchObject({ documents: 5, model_calls: 6, pairs: 5 });
  const merged = createResolvedView(toView(graph), (ids) => own.corpora.pairs.listDecided(graph.id, ids));
  const parties = async () => (await findNodes(merged, { label: 'Party' }, { after: '', limit: 50 })).nodes;
  expect((await parties()).map(({ members }) => members.length).toSorted((length, other) => length - other)).toEqual([
    0, 0, 0, 2,
  ]);

  // A person decides one of the open pairs; the model gets neither that pair nor those that it left open.
  const [open] = await getPairs({ state: 'open' });
  await own.corpora.pairs.decide(graph.id, {
    one: '',
    other: '',
    label: '',
    score: 1,
    ...open,
    state: 'same',
    by: 'person',
  });
  await own.sets.write(setId, origin(), [named(206, 'Harbour Board of Leith'), named(207, 'Zenith Optics Holding')]);
  const again = await update(graph);
  expect([again.corpus?.usage.model_calls, questions.length]).toEqual([2, 1]);
  // Five documents produced three doubtful pairs, one of which a person has decided, so two more documents produce at
  // most one.
  expect(again.corpus?.estimate).toMatchObject({ documents: 2, model_calls: 3, pairs: 1 });
  const board = (await parties()).find(({ members }) => members.length === 3);
  expect(board?.support.map(({ document_id }) => document_id)).toEqual(['d201', 'd202', 'd203', 'd206']);

  // A forgotten document leaves no pair behind, not even one that a person decided.
  expect(await own.corpora.forget(['d203', 'd206'])).toBe(2);
  expect((await getPairs()).map(({ state }) => state).toSorted()).toEqual(['different', 'same']);
  await own.graphs.remove(graph.id);
  expect(await getPairs()).toEqual([]);
});

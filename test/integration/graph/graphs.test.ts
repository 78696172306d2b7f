import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Client, Connection } from '@temporalio/client';
import { unzipSync } from 'fflate';
import { sweepGraphs } from '../../../activities/graph/sweep';
import { documentToJson } from '../../../document';
import { convertBytes } from '../../../formats';
import { graphFromJson } from '../../../graph';
import { readConfig } from '../../../model/config';
import { type GraphFormat, graphFormats, isFinalGraph } from '../../../model/graph/graph-build';
import type { GraphOptions } from '../../../model/graph/wire';
import { createCorpusStore } from '../../../services/graph/corpus-store';
import { createGraphEngine } from '../../../services/graph/engine';
import { locateGraphInput, buildGraphPrefix } from '../../../services/graph/files';
import { createGraphs } from '../../../services/graph/graphs';
import { createGraphStore, type GraphRecord } from '../../../services/graph/store';
import { createRuns } from '../../../services/run/runs';
import { createFiles } from '../../../services/storage/files';
import { connectMongo } from '../../../services/storage/mongo';
import { createObjectStore } from '../../../services/storage/object-store';
import { createPageCursors } from '../../../services/storage/page-cursors';
import { readTemporalOptions } from '../../../services/temporal/client';
import { createModelServer, type ModelServer } from '../../support/servers/model-server';
import { createSystem, until } from '../../support/system/system';

const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
const template = {
  title: 'Ledger',
  type: 'object',
  'x-graph-id-fields': ['number'],
  properties: {
    number: { type: 'string', description: 'Ledger number' },
    entries: {
      type: 'array',
      'x-edge-label': 'HOLDS',
      items: {
        title: 'Entry',
        type: 'object',
        'x-graph-id-fields': ['name'],
        properties: { name: { type: 'string' }, amount: { type: 'number' } },
      },
    },
  },
};
const asker = { user: { username: 'alice' } };
const pages = Array.from({ length: 12 }, (_, page) => `Page ${page} tells of some entry in a paragraph of prose.`);
const getPage = (text: string) => Number(/Page (\d+) tells/.exec(text)?.[1] ?? -1);

function connect(env: Record<string, string>) {
  const config = readConfig(env);
  const mongo = connectMongo(config.MONGODB_URL);
  const objects = createObjectStore(config);
  const store = createGraphStore(mongo);
  const files = createFiles({ store: objects });
  const engine = createGraphEngine(readTemporalOptions(config, mongo));
  const runs = createRuns(readTemporalOptions(config, mongo));
  const graphs = createGraphs({
    store,
    engine,
    files,
    corpora: createCorpusStore(mongo),
    open: (key) => objects.open(key),
    cursors: createPageCursors(mongo.sealer),
    newId: randomUUID,
  });
  return {
    store,
    files,
    engine,
    runs,
    graphs,
    async close() {
      await Promise.all([graphs.close(), runs.close(), mongo.close()]);
      objects.close();
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
beforeEach(() => server.reset());

const submit = (
  content: string,
  options: GraphOptions = {},
  given: object = template,
  { source_type = 'markdown', ...key }: { source_type?: GraphRecord['source_type']; idempotencyKey?: string } = {},
) => {
  const { provider_config, ...shown } = options;
  return own.graphs.submit({
    owner: 'alice',
    source: { name: 'ledger.md', document_id: 'd' },
    source_type,
    template: 'Ledger',
    options: shown,
    ...(provider_config ? { provider_config: JSON.stringify(provider_config) } : {}),
    content: async () => Buffer.from(content),
    given,
    ...key,
  });
};
const ended = async ({ id }: GraphRecord): Promise<GraphRecord> => {
  let graph: GraphRecord | undefined;
  await until(`the graph ${id} ends`, async () => {
    graph = await own.graphs.get(asker, id);
    return !graph || isFinalGraph(graph.state);
  });
  if (!graph) throw new Error(`the graph ${id} is gone`);
  return graph;
};
const getKeys = async (prefix: string) => {
  const keys: string[] = [];
  for await (const key of own.files.list(prefix)) keys.push(key);
  return keys;
};
const withModel = (more: GraphOptions = {}): GraphOptions => ({
  backend: 'llm',
  provider_config: { model_id: 'm' },
  chunk_max_tokens: 16,
  // The whole and an answer do not fit: chunk by chunk.
  extraction_contract: 'direct',
  context_limit: 4_100,
  parallel_workers: 2,
  ...more,
});
const createAnswer = (text: string) => ({ number: 'L-1', entries: [{ name: `entry ${getPage(text)}`, amount: 1.5 }] });

test('a graph by rules has a file in each format that its readers accept, and leaves no input behind', async () => {
  const source =
    '# Ledger\n\nLedger number: L-7\n\n| Name | Amount |\n|---|---|\n| Rope | 3.50 |\n| Oil, "fine" | 4 |\n';
  const graph = await ended(await submit(source, { formats: [...graphFormats], provenance: 'detailed' }));
  expect(graph).toMatchObject({ state: 'COMPLETED', error: null, chunks: 0 });
  expect([graph.facts?.nodes, graph.facts?.edges]).toEqual([3, 2]);
  const listed = graph.facts?.files ?? [];
  const byFormat = (format: GraphFormat) => listed.filter((file) => file.format === format).map(({ name }) => name);
  expect(graphFormats.map((format) => [format, byFormat(format).length > 0])).toEqual(
    graphFormats.map((format) => [format, true]),
  );
  expect(listed.filter(({ format }) => !format).map(({ name }) => name)).toEqual([
    'provenance.json',
    'models.json',
    'stats.json',
  ]);
  const archive = unzipSync(new Uint8Array(await buffer(own.graphs.streamArchive(graph, listed))));
  expect(Object.entries(archive).map(([name, bytes]) => ({ name, bytes: bytes.byteLength }))).toEqual(
    listed.map(({ name, bytes }) => ({ name, bytes })),
  );
  const text = (name: string) => Buffer.from(archive[name] ?? []).toString();
  expect(graphFromJson(text('graph.json'), 'graph.json').nodes.size).toBe(3);
  expect(text('edges.csv')).toMatch(/^source,target,type\r?\n/);
  expect(text('graph.cypher')).toContain('HOLDS');
  expect(text('graph.html')).toMatch(/^<!doctype html>/i);
  expect(text('nodes.parquet').slice(0, 4)).toBe('PAR1');
  expect(JSON.parse(text('graph.jsonld'))).toHaveLength(3);
  expect(JSON.parse(text('provenance.json'))).toHaveProperty('bind_stats');
  await until('the input is gone', async () => (await getKeys(locateGraphInput(graph.id).prefix)).length === 0);
});

test('a key is free again when its graph was removed', async () => {
  const again = async () => submit('Ledger number: L-8', {}, template, { idempotencyKey: `key-${system.folder}` });
  const first = await ended(await again());
  expect((await again()).state).toBe('COMPLETED');
  await own.graphs.remove(first.id);
  const second = await ended(await again());
  expect(second).toMatchObject({ id: first.id, state: 'COMPLETED', error: null });
  expect((await getKeys(buildGraphPrefix(second.id))).length).toBeGreaterThan(0);
});

test('a killed worker loses no finished chunk: the next one requests the rest', async () => {
  const requests: number[] = [];
  const answered = new Set<number>();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  server.answer = async ({ messages }) => {
    const text = messages.at(-1)?.content ?? '';
    requests.push(getPage(text));
    if (answered.size >= 5) await held;
    answered.add(getPage(text));
    return createAnswer(text);
  };
  const graph = await submit(pages.join('\n\n'), withModel());
  await until('five chunks are kept and the next are asked', async () => {
    const keptKeys = await getKeys(locateGraphInput(graph.id).work);
    return keptKeys.length === 5 && requests.length === 7;
  });
  const finished = [...answered];
  worker.kill('SIGKILL');
  release();
  expect((await own.graphs.get(asker, graph.id))?.state).toBe('RUNNING');
  worker = await system.startWorker();
  const done = await ended(graph);
  expect(done).toMatchObject({ state: 'COMPLETED', chunks: 12, facts: { nodes: 13, edges: 12 } });
  for (const page of finished) expect([page, requests.filter((value) => value === page).length]).toEqual([page, 1]);
  expect(new Set(requests).size).toBe(12);
  // Two were under way when the worker died.
  expect(requests).toHaveLength(14);
});

test('the operator graph does not repeat finished chunks after its worker was killed', async () => {
  const requests: number[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const answered = new Set<number>();
  server.answer = async ({ messages }) => {
    const text = messages.at(-1)?.content ?? '';
    requests.push(getPage(text));
    if (answered.size >= 6) await held;
    answered.add(getPage(text));
    return createAnswer(text);
  };
  writeFileSync(path.join(system.folder, 'ledger.md'), pages.join('\n\n'));
  const flow = path.join(system.folder, 'flow.json');
  const config = { template, ...withModel(), formats: ['csv', 'report'] };
  const source = { provider: 'filesystem', connection_params: { paths: ['ledger.md'] } };
  const operators = [
    { type: 'ingest_source', name: 'ingest', config: source },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    { type: 'graph', name: 'facts', depends_on: ['extract'], config },
    { type: 'document_set', name: 'set', depends_on: ['facts'], config: { document_set_name: 'ledgers' } },
  ];
  writeFileSync(flow, JSON.stringify({ flow_name: `ledgers-${system.env['DOCLOOM_TASK_QUEUE']}`, flow: operators }));
  const running = system.run(flow, '--user', 'alice');
  await until('six chunks are answered and further ones asked', () => answered.size === 6 && requests.length > 6);
  const finished = [...answered];
  await until('they are kept', async () => {
    const keys = await getKeys('run/');
    return keys.filter((key) => key.includes('/.graph/')).length === 6;
  });
  worker.kill('SIGKILL');
  release();
  worker = await system.startWorker();
  const { report } = await running;
  expect(report).toMatchObject({ status: 'COMPLETED', totals: { documents: 1, completed: 1, failed: 0 } });
  for (const page of finished) expect([page, requests.filter((value) => value === page).length]).toEqual([page, 1]);
  expect(new Set(requests).size).toBe(12);
  const names = (await getKeys('graphs/')).map((key) => key.slice(key.lastIndexOf('/') + 1));
  expect(names.toSorted()).toEqual(['edges.csv', 'graph.json', 'nodes.csv', 'report.md']);
});

test('a cancelled graph ends within two seconds, its request with it, and leaves no files', async () => {
  server.answer = () => new Promise(() => undefined);
  const graph = await submit(pages.join('\n\n'), withModel());
  await until('the model is asked', () => server.asked.length > 0);
  const began = Date.now();
  expect(await own.graphs.cancel(graph.id)).toMatchObject({ state: 'CANCELED' });
  await until('the workflow has ended', async () => !(await own.engine.isRunning(graph.workflow_id ?? graph.id)));
  expect(Date.now() - began).toBeLessThan(2_000);
  await until('nothing is left', async () => (await getKeys(buildGraphPrefix(graph.id))).length === 0);
  const history = await getWorkflow(graph.id);
  expect(history.status.name).toBe('CANCELLED');
  expect((await own.graphs.get(asker, graph.id))?.state).toBe('CANCELED');
});

test('the contract dense waits for an unavailable model host, and requests only the rest', async () => {
  const names = pages.map((_, page) => `entry ${page}`);
  const getKind = (schema: object | undefined) => (JSON.stringify(schema).includes('"nodes"') ? 'skeleton' : 'fill');
  const skeleton = {
    nodes: [
      { i: 1, path: '', ids: { number: 'L-1' } },
      ...names.map((name, index) => ({ i: index + 2, path: 'entries[]', ids: { name }, p: 1, c: 1 })),
    ],
  };
  server.answer = ({ schema, messages }) => {
    if (getKind(schema) === 'skeleton') return skeleton;
    const text = messages.at(-1)?.content ?? '';
    return { items: names.filter((name) => text.includes(`"${name}"`)).map((name) => ({ name, amount: 2.5 })) };
  };
  let dropped: string | undefined;
  server.fault = ({ schema, messages }, nth) => {
    if (nth < 3 || dropped !== undefined || getKind(schema) !== 'fill') return undefined;
    dropped = messages.at(-1)?.content;
    return 'drop';
  };
  const provider_config = { model_id: 'm', max_retries: 0 };
  const dense = withModel({
    extraction_contract: 'dense',
    parallel_workers: 1,
    gleaning_enabled: false,
    formats: ['json'],
    provider_config,
  });
  const graph = await ended(await submit(pages.join('\n\n'), dense));
  expect(graph).toMatchObject({ state: 'COMPLETED', facts: { nodes: 13, edges: 12 } });
  const contents = server.asked.map(({ messages }) => messages.at(-1)?.content);
  expect(server.asked.filter(({ schema }) => getKind(schema) === 'skeleton')).toHaveLength(1);
  expect(contents.filter((text) => text === dropped)).toHaveLength(2);
  expect(new Set(contents).size).toBe(contents.length - 1);
});

test('a local vision model gets the pictures of pages, once each', async () => {
  const png = (page: number) => Buffer.from(`89504e470d0a1a0a0${page}`, 'hex').toString('base64');
  const { document } = await convertBytes({ bytes: Buffer.from('# Ledger'), name: 'ledger.md' });
  for (const page of [1, 2])
    document.pages[page] = {
      page_no: page,
      size: { width: 100, height: 100 },
      image: {
        mimetype: 'image/png',
        dpi: 72,
        size: { width: 1, height: 1 },
        uri: `data:image/png;base64,${png(page)}`,
      },
    };
  server.answer = ({ images }) => ({ number: 'L-5', entries: [{ name: `of page ${images[0]?.bytes.at(-1)}` }] });
  const options = withModel({ backend: 'vlm', formats: ['json'] });
  const graph = await ended(await submit(documentToJson(document), options, template, { source_type: 'document' }));
  expect(graph).toMatchObject({ state: 'COMPLETED', chunks: 2, facts: { nodes: 3, edges: 2 } });
  const shown = server.asked.flatMap(({ images }) => images.map(({ bytes }) => Number(bytes.at(-1))));
  expect(shown.toSorted((value, other) => value - other)).toEqual([1, 2]);
  const text = await ended(await submit('# Ledger', options));
  expect(text).toMatchObject({ state: 'FAILED', error: { code: 'GRAPH_EXTRACTION_FAILED' } });
});

test('a source without matches, a missing model and an unset secret are outcomes', async () => {
  const empty = await ended(await submit('Nothing is labelled here.'));
  expect(empty).toMatchObject({ state: 'FAILED', error: { code: 'GRAPH_EXTRACTION_FAILED' }, facts: null });
  server.models = [];
  const missing = await ended(await submit(pages.join('\n\n'), withModel()));
  expect(missing).toMatchObject({ state: 'FAILED', error: { code: 'LOCALMODEL_MODEL_NOT_FOUND' } });
  const provider_config = { model_id: 'm', api_key: '${DOCLOOM_SECRET_NOT_THERE}' };
  const secret = await ended(await submit('text', withModel({ provider_config })));
  expect(secret).toMatchObject({ state: 'FAILED', error: { code: 'SECRET_NOT_FOUND' } });
  expect(secret.provider_config).toBeUndefined();
  for (const { id } of [empty, missing, secret])
    await until('nothing is left', async () => (await getKeys(buildGraphPrefix(id))).length === 0);
});

test('an expired graph is removed with its files, and a graph without its workflow fails', async () => {
  const graph = await ended(await submit('Ledger number: L-9', { formats: ['json'] }));
  const id = randomUUID();
  const lost = {
    ...graph,
    id,
    workflow_id: `graph/lost/${id}`,
    state: 'RUNNING',
    ended_at: null,
    facts: null,
  } as const;
  await own.store.create({ ...lost, created_at: new Date(Date.now() - 120_000).toISOString() });
  await own.files.put(locateGraphInput(lost.id).source, Buffer.from('x'));
  const now = new Date();
  expect(await sweepGraphs(own, own.runs, { retentionDays: 1, now })).toMatchObject({ settled: 1, more: false });
  expect(await own.store.get(lost.id)).toMatchObject({ state: 'FAILED', error: { code: 'GRAPH_PIPELINE_FAILED' } });
  expect(await getKeys(buildGraphPrefix(lost.id))).toEqual([]);
  expect(await getKeys(buildGraphPrefix(graph.id))).not.toEqual([]);
  const later = new Date(now.getTime() + 2 * 24 * 3_600_000);
  const { removed } = await sweepGraphs(own, own.runs, { retentionDays: 1, now: later });
  expect(removed).toBeGreaterThan(1);
  expect(await own.store.get(graph.id)).toBeUndefined();
  expect(await getKeys(buildGraphPrefix(graph.id))).toEqual([]);
});

async function getWorkflow(id: string) {
  const connection = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  try {
    return await new Client({ connection }).workflow.getHandle((await own.store.get(id))?.workflow_id ?? id).describe();
  } finally {
    await connection.close();
  }
}

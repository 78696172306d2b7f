import { documentToJson } from '../../../document/json/write';
import type { DoclingDocument } from '../../../document/model';
import { toMarkdown } from '../../../document/write/markdown';
import { toReadableText } from '../../../document/write/text';
import { defaultLimits } from '../../../formats/format';
import { read as readMarkdown } from '../../../formats/markdown/read';
import type { User } from '../../../model/access';
import type { Row } from '../../../model/flow/row';
import type { GraphReply } from '../../../model/graph/wire';
import type { GraphNodes } from '../../../model/graph/wire-facts';
import { buildKeptKey } from '../../../model/run/kept-document';
import { run as chunk } from '../../../operators/chunker/run';
import { memoryDocumentSets } from '../../support/api/document-set-services';
import { memoryGraphs } from '../../support/api/graph-services';
import { type CorpusWorker, createCorpusWorker } from '../../support/api/graph/corpus-worker';
import { alice, bob, startApi, type TestApi } from '../../support/api/server';
import { contextFor, unusedFiles } from '../../support/operators/operator-test-support';

const party = { graph_id_fields: ['name'], fields: { name: { type: 'str' }, city: { type: 'str' } } };
const template = {
  root: 'Order',
  classes: {
    Order: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str', description: 'Order number' },
        supplier: { model: 'Party', edge_label: 'SUPPLIED_BY' },
        buyer: { model: 'Party', edge_label: 'ORDERED_BY' },
      },
    },
    Party: party,
  },
};
const getMarkdown = (number: string, supplier: string, buyer = 'Harbour_Board') =>
  `# Order\n\nOrder number: ${number}\n\n## Supplier\n\nName: ${supplier}\n\nCity: Leith\n\n## Buyer\n\nName: ${buyer}\n\nCity: Crail\n`;
const origin = { jobId: 'job', runId: 'run', operator: 'set', startedAt: '2026-01-01T00:00:00.000Z' };

let api: TestApi;
let graphs: ReturnType<typeof memoryGraphs>;
let sets: ReturnType<typeof memoryDocumentSets>;
let worker: CorpusWorker;
let setId: string;
beforeEach(async () => {
  graphs = memoryGraphs();
  sets = memoryDocumentSets();
  worker = createCorpusWorker(graphs, sets);
  api = await startApi({ graphs: graphs.services, ...sets });
  setId = (await sets.documentSets.getOrCreate({ name: 'orders', owner: 'alice', readers: ['bob'] })).set.id;
});
afterEach(() => api.close());

/** Converts a document and keeps it, as `extract_operator` does. */
async function extract(id: string, markdown: string, users = ['alice'], version = 'v1'): Promise<Row> {
  const document: DoclingDocument = await readMarkdown(Buffer.from(markdown), { name: id, limits: defaultLimits });
  const document_ref = buildKeptKey('job', id, version, 'json');
  worker.files.set(document_ref, Buffer.from(documentToJson(document)));
  const content = toReadableText(document);
  return { id, name: `${id}.md`, path: id, content, allowed_users: users, document_ref };
}
const write = (rows: readonly Row[]) => sets.documentSets.write(setId, origin, rows);
const create = async (options: object = {}): Promise<string> => {
  const body = { name: 'orders', document_set_id: setId, template, readers: ['bob'], options };
  const reply = await api.call('POST', '/api/v1/graphs', { user: alice, body });
  return (reply.body as unknown as GraphReply).id;
};
const count = async (id: string, user: User = alice) => {
  const { nodes, edges } = (await api.call('GET', `/api/v1/graphs/${id}/statistics`, { user })).body as Record<
    string,
    number
  >;
  return { nodes, edges };
};
const getNodes = async (id: string, user: User = alice) =>
  ((await api.call('GET', `/api/v1/graphs/${id}/nodes`, { user })).body as unknown as GraphNodes).nodes;

test('a document without a chunker is read with its headings, and passages are those of its row', async () => {
  const row = await extract('a', getMarkdown('PO-1', 'Acme'));
  expect(row.content).not.toContain('#');
  await write([row]);
  const id = await create();
  const { read } = await worker.update(id);
  expect(await count(id)).toEqual({ nodes: 3, edges: 2 });
  expect(read[0]?.text.replace(/^#+ /gm, '')).toBe(row.content);
  const passages = (await getNodes(id)).flatMap(({ support }) => support.flatMap((one) => one.passages));
  expect(passages.length).toBeGreaterThan(2);
  for (const { text } of passages) expect(row.content).toContain(text);
});

test.each([
  ['simple chunks', { chunk_size: 40, chunk_overlap: 10 }],
  ['chunks under their headings', { chunk_type: 'hybrid' }],
  ['chunks that do not repeat their headings', { chunk_type: 'hybrid', contextualize: false }],
])('%s are read with their headings', async (_name, config) => {
  const get = async (key: string) => worker.files.get(key) ?? Buffer.from('');
  const countWords = (text: string) => text.split(/\s+/).filter(Boolean).length;
  const tokenizers = { load: async () => ({ name: 'words', maxTokens: 12, count: countWords }) };
  const context = contextFor({ tokenizers, files: { ...unusedFiles, get } });
  const { rows } = await chunk([await extract('a', getMarkdown('PO-1', 'Acme'))], config as never, context);
  expect(rows.length).toBeGreaterThan(2);
  await write(rows);
  const id = await create();
  const { read } = await worker.update(id);
  expect([read[0]?.text, await count(id)]).toEqual([expect.any(String), { nodes: 3, edges: 2 }]);
  expect(read[0]?.text.match(/^#+ .*$/gm)).toEqual(['# Order', '## Supplier', '## Buyer']);
});

test('a fact under a heading is shown to those who may read its document, and to nobody else', async () => {
  const open = await extract('open', getMarkdown('PO-1', 'Acme'), ['alice', 'bob']);
  const closed = await extract('closed', getMarkdown('PO-2', 'Secret Ltd'));
  await write([open, closed]);
  const id = await create();
  await worker.update(id);
  expect([await count(id), await count(id, bob)]).toEqual([
    { nodes: 5, edges: 4 },
    { nodes: 3, edges: 2 },
  ]);
  expect(JSON.stringify(await getNodes(id, bob))).not.toContain('Secret');
});

test('a changed or removed document changes its facts only; others are not even opened', async () => {
  await write([await extract('a', getMarkdown('PO-1', 'Acme')), await extract('b', getMarkdown('PO-2', 'Bell'))]);
  const id = await create();
  await worker.update(id);
  expect(await worker.update(id)).toMatchObject({ changes: { unchanged: 2 }, read: [] });
  expect(worker.opened).toEqual([]);
  // The same words, but the buyer is no section any more.
  const flat = getMarkdown('PO-2', 'Bell').replace('## Buyer', 'Buyer');
  await write([await extract('b', flat, ['alice'], 'v2')]);
  const { changes, read } = await worker.update(id);
  expect([changes, read.map(({ documentId }) => documentId)]).toEqual([
    { added: 0, changed: 1, removed: 0, unchanged: 1, without_headings: 0 },
    ['b'],
  ]);
  expect(await count(id)).toEqual({ nodes: 5, edges: 3 });
});

test('a document that is stored under another key with the same headings is not read again', async () => {
  await write([await extract('a', getMarkdown('PO-1', 'Acme'), ['alice'], 'run-1')]);
  const id = await create({ backend: 'rules' });
  await worker.update(id);
  await write([await extract('a', getMarkdown('PO-1', 'Acme'), ['alice'], 'run-2')]);
  expect(await worker.update(id)).toMatchObject({ changes: { unchanged: 1 }, read: [] });
});

test('an update that is interrupted and planned again gives the same graph', async () => {
  const rows: Row[] = [];
  for (let number = 0; number < 25; number += 1)
    rows.push(await extract(`d${number}`, getMarkdown(`PO-${number}`, `Acme ${number}`)));
  await write(rows);
  const id = await create();
  const { read } = await worker.plan(id);
  await worker.readParts(id, [0]);
  const again = await worker.plan(id);
  expect([again.read.length, again.changes]).toMatchObject([5, { added: 5, unchanged: 20 }]);
  expect(read).toEqual(expect.arrayContaining(again.read));
  await worker.readParts(id, [0, 0]);
  expect(await count(id)).toEqual({ nodes: 51, edges: 50 });
});

describe('documents that an earlier version read as plain text', () => {
  /** A graph as an earlier version stored it: with hashes of the rows only. */
  async function plain(options: object): Promise<string> {
    const rows = [await extract('a', getMarkdown('PO-1', 'Acme')), await extract('b', 'Order number: PO-2\n')];
    await write(rows.map(({ document_ref: _none, ...row }) => row));
    const id = await create(options);
    const { read, changes } = await worker.plan(id);
    expect(changes).toMatchObject({ added: 2, without_headings: 2 });
    for (const { documentId, name, signature } of read) {
      expect(signature).toMatch(/^[0-9a-f]{64}$/);
      await graphs.corpora.put(id, { documentId, name, signature, state: 'done' }, { nodes: [], edges: [] });
    }
    await write(rows);
    return id;
  }

  test('are read again by rules if they have headings', async () => {
    const id = await plain({});
    const { changes, read } = await worker.update(id);
    expect([changes, read.map(({ documentId }) => documentId)]).toEqual([
      { added: 0, changed: 1, removed: 0, unchanged: 1, without_headings: 0 },
      ['a'],
    ]);
    expect(await count(id)).toEqual({ nodes: 3, edges: 2 });
  });

  test('are not sent to a model again until they change', async () => {
    const id = await plain({ backend: 'llm', type: 'local_api', provider_config: { model_id: 'm' } });
    expect(await worker.plan(id)).toMatchObject({ changes: { unchanged: 2 }, read: [] });
    await write([await extract('a', getMarkdown('PO-1', 'Bell'), ['alice'], 'v2')]);
    const { changes, read } = await worker.plan(id);
    expect(changes).toMatchObject({ changed: 1, unchanged: 1 });
    expect(read[0]?.text).toContain('## Supplier');
  });
});

describe('a converted document that is not that of the row', () => {
  test.each([
    ['is no longer stored', (row: Row) => void worker.files.delete(row.document_ref ?? '')],
    ['is corrupt', (row: Row) => void worker.files.set(row.document_ref ?? '', Buffer.from('{"texts": 1}'))],
    ['is that of another document', (row: Row) => void (row.document_ref = row.document_ref?.replace('/a/', '/b/'))],
    ['is outside of the store', (row: Row) => void (row.document_ref = 'documents/x/a/../../../../secret.json')],
    ['is another file', (row: Row) => void (row.document_ref = 'graph-builds/x/a/graph.json')],
    ['has a heading that the row has not', (row: Row) => void (row.content = row.content?.replace('Buyer', '*****'))],
    ['has a heading that the row has twice', (row: Row) => void (row.content = `Supplier\n\n${row.content}`)],
  ])('%s: the row is read as plain text', async (_name, change) => {
    await extract('b', getMarkdown('PO-1', 'Acme'));
    const row = await extract('a', getMarkdown('PO-1', 'Acme'));
    change(row);
    await write([row]);
    const id = await create();
    const { read, changes } = await worker.update(id);
    expect(read[0]?.text).toBe(row.content);
    expect(changes).toMatchObject({ added: 1, without_headings: 1 });
  });

  test('has other text that is not in the row: only the places of headings are taken from it', async () => {
    const row = await extract('a', getMarkdown('PO-1', 'Acme'));
    row.content = row.content?.replace('Acme', '****');
    await write([row]);
    const id = await create();
    const { read } = await worker.update(id);
    expect(read[0]?.text).toContain('## Supplier\n\nName: ****');
    expect(JSON.stringify([read, await getNodes(id)])).not.toContain('Acme');
  });

  test('the Markdown of a row is read as it is', async () => {
    const markdown = getMarkdown('PO-1', 'Acme', 'Board');
    const row = await extract('a', markdown);
    row.content = toMarkdown(await readMarkdown(Buffer.from(markdown), { name: 'a', limits: defaultLimits }));
    await write([row]);
    const id = await create();
    expect(await worker.update(id)).toMatchObject({ changes: { without_headings: 0 }, read: [{ text: row.content }] });
    expect(await count(id)).toEqual({ nodes: 3, edges: 2 });
  });
});

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { unzipSync } from 'fflate';
import { runPipeline, templateFrom } from '../../../graph';
import { buildContribution } from '../../../graph/corpus/contribution';
import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import type { Row } from '../../../model/flow/row';
import type { GraphReply } from '../../../model/graph/wire';
import type { GraphDocuments } from '../../../model/graph/wire-documents';
import type { GraphNodes } from '../../../model/graph/wire-facts';
import type { ApiKeyCreated, KeyScope } from '../../../model/login/wire-keys';
import { memoryDocumentSets } from '../../support/api/document-set-services';
import { memoryGraphs } from '../../support/api/graph-services';
import { alice, bob, carol as admin, startApi, type TestApi } from '../../support/api/server';

const template = {
  root: 'Order',
  classes: {
    Order: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str', description: 'Order number' },
        buyer: { model: 'Party', edge_label: 'ORDERED_BY' },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, city: { type: 'str' } } },
  },
};
const getText = (number: string, city: string) =>
  `Order number: ${number}\n\n## Buyer\n\nName: Harbour Board\nCity: ${city}\n`;

let api: TestApi;
let graphs: ReturnType<typeof memoryGraphs>;
let sets: ReturnType<typeof memoryDocumentSets>;
let setId: string;
beforeEach(async () => {
  graphs = memoryGraphs();
  sets = memoryDocumentSets();
  api = await startApi({ graphs: graphs.services, ...sets }, { adminGroups: ['admins'] });
  const { set } = await sets.documentSets.getOrCreate({ name: 'orders', owner: 'alice', readers: ['bob'] });
  setId = set.id;
});
afterEach(() => api.close());

const origin = { jobId: 'job', runId: 'run', operator: 'set', startedAt: '2026-01-01T00:00:00.000Z' };
const chunk = (id: string, content: string, allowed_users: string[], more: Partial<Row> = {}): Row => ({
  id,
  name: `${id}.md`,
  path: id,
  content,
  allowed_users,
  ...more,
});

/** Reads the documents into the graph, as the worker does. */
async function read(graphId: string, documents: Record<string, string>): Promise<void> {
  const own = templateFrom(template);
  for (const [documentId, source] of Object.entries(documents)) {
    const options = { backend: 'rules', provenance: 'detailed' } as const;
    const { graph, provenance } = await runPipeline({ source, template: own, options });
    const facts = buildContribution(graph, { ledger: provenance, template: own, documentId });
    const document = { documentId, name: `${documentId}.md`, signature: source, state: 'done' } as const;
    await graphs.corpora.put(graphId, document, facts);
  }
}

const create = (body: object = {}, user: User = alice) =>
  api.call('POST', '/api/v1/graphs', { user, body: { name: 'orders', document_set_id: setId, template, ...body } });
const get = (path: string, user: User) => api.call('GET', `/api/v1/graphs/${path}`, { user });
const getCode = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { errors?: { code: string }[] }).errors?.[0]?.code,
];
const finish = (id: string) => {
  const graph = graphs.records.get(id);
  if (graph) graphs.records.set(id, { ...graph, state: 'COMPLETED', ended_at: '2026-01-01T00:00:00.000Z' });
};
const dora: User = { username: 'dora', email: '', full_name: '', groups: [] };

test('an API key that may only run things changes no settings of a graph, such as who may ask it', async () => {
  const { id } = (await create()).body as unknown as GraphReply;
  finish(id);
  const change = async (scopes: KeyScope[]) => {
    const body = { name: 'probe', scopes, expires_in_days: 1 };
    const { key } = (await api.call('POST', '/api/v1/api-keys', { user: alice, body }))
      .body as unknown as ApiKeyCreated;
    const headers = { Authorization: `Bearer ${key}` };
    return (await api.call('PATCH', `/api/v1/graphs/${id}`, { headers, body: { readers: ['dora'] } })).status;
  };
  expect(await change(['read', 'run'])).toBe(403);
  expect(graphs.records.get(id)?.readers).toEqual([]);
  expect(await change(['write'])).toBe(200);
  expect(graphs.records.get(id)?.readers).toEqual(['dora']);
});

describe('the view of a reader of a corpus graph', () => {
  /** Two orders of one buyer. Bob may read the first; `Secretville` and `PO-SECRET` are in the second only. */
  async function shared(): Promise<string> {
    const open = chunk('open', getText('PO-1', 'Leith'), ['alice', 'bob']);
    const closed = chunk('closed', getText('PO-SECRET', 'Secretville'), ['alice']);
    await sets.documentSets.write(setId, origin, [open, closed]);
    const { id } = (await create({ readers: ['bob'] })).body as unknown as GraphReply;
    await read(id, { open: open.content ?? '', closed: closed.content ?? '' });
    finish(id);
    return id;
  }
  const everything = async (id: string, user: User): Promise<string> => {
    const nodes = (await get(`${id}/nodes`, user)).body as { nodes?: { id: string }[] };
    const ids = nodes.nodes?.map((node) => node.id) ?? [];
    const paths = [
      id,
      '',
      `${id}/nodes?query=secret`,
      `${id}/nodes?property=city&value=Secretville`,
      `${id}/nodes?label=Order`,
      `${id}/statistics`,
      `${id}/documents`,
      `${id}/passages?query=${encodeURIComponent('PO-SECRET Secretville PO-1 Harbour Board Leith')}&limit=100`,
      ...ids.map((node) => `${id}/neighbours?node=${encodeURIComponent(node)}`),
      ...ids.map((node) => `${id}/paths?from=${encodeURIComponent(node)}&to=${encodeURIComponent(ids[0] ?? '')}`),
    ];
    const texts = [JSON.stringify(nodes)];
    for (const path of paths) texts.push(JSON.stringify((await get(path, user)).body));
    for (const format of ['json', 'csv', 'cypher', 'report', 'html', 'graphml', 'gexf', 'turtle', 'jsonld', 'zip']) {
      const headers = { Authorization: `Bearer ${api.tokenOf(user)}` };
      const response = await fetch(`${api.url}/api/v1/graphs/${id}/result?format=${format}`, { headers });
      const bytes = await buffer(Readable.fromWeb(response.body as never));
      const isZip = response.status === 200 && (format === 'zip' || format === 'csv');
      texts.push(isZip ? Object.values(unzipSync(bytes)).map((item) => Buffer.from(item).toString()).join('') : bytes.toString()); // prettier-ignore
    }
    return texts.join('\n');
  };

  test('no part of a document that the reader may not read is shown, counted, found or exported', async () => {
    const id = await shared();
    expect(await everything(id, alice)).toMatch(/Secretville[^]*PO-SECRET/);
    const seen = await everything(id, bob);
    expect(seen).toContain('PO-1');
    expect(seen).not.toMatch(/secretville|PO-SECRET|closed/i);
    expect((await get(`${id}/statistics`, bob)).body).toMatchObject({ nodes: 2, edges: 1 });
    expect((await get(`${id}/statistics`, alice)).body).toMatchObject({ nodes: 3, edges: 2 });
    expect((await get(id, bob)).body).toMatchObject({ corpus: { changes: null, estimate: null, usage: null } });
  });

  test('a question finds passages with different words, but none of a document that the reader may not read', async () => {
    const id = await shared();
    const ask = async (user: User) =>
      (await get(`${id}/passages?query=${encodeURIComponent('What else did the buyer of PO-1 order?')}`, user))
        .body as {
        passages: { document_id: string; text: string }[];
      };
    expect((await ask(alice)).passages.map(({ text }) => text).join()).toContain('PO-SECRET');
    expect(new Set((await ask(bob)).passages.map(({ document_id }) => document_id))).toEqual(new Set(['open']));
    expect(JSON.stringify(await ask(bob))).not.toMatch(/secret/i);
  });

  test('nodes that only others see are missing, like nodes that do not exist', async () => {
    const id = await shared();
    const own = (await get(`${id}/nodes?query=po-secret`, alice)).body as { nodes: { id: string }[] };
    const secret = own.nodes[0]?.id ?? '';
    const answers = [];
    for (const node of [secret, 'Order_0000000000000000']) {
      const { status, body } = await get(`${id}/neighbours?node=${node}`, bob);
      answers.push([
        status,
        JSON.stringify(body)
          .replaceAll(node, 'NODE')
          .replace(/"trace":"[^"]*"/, ''),
      ]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(404);
    expect((await get(`${id}/paths?from=${secret}&to=${secret}`, bob)).status).toBe(404);
  });

  test('revoked rights take effect at once, for the owner too', async () => {
    const id = await shared();
    await sets.documentSets.write(setId, origin, [chunk('open', 'x', ['dora']), chunk('closed', 'x', ['bob'])]);
    expect(await everything(id, alice)).not.toMatch(/Harbour|PO-1|Leith/);
    expect(await everything(id, bob)).toMatch(/Secretville/);
    expect(getCode(await get(`${id}/result`, alice))).toEqual([409, 'GRAPH_NOT_READY']);
  });

  test('a document of which the reader may read only some chunks supports nothing for them', async () => {
    const part = (index: number, users: string[]) =>
      chunk(`long_${index}`, 'text', users, { document_id: 'long', chunk_index: index });
    await sets.documentSets.write(setId, origin, [part(0, ['alice', 'bob']), part(1, ['alice'])]);
    const { id } = (await create({ readers: ['bob'] })).body as unknown as GraphReply;
    await read(id, { long: getText('PO-5', 'Hull') });
    finish(id);
    expect((await get(`${id}/statistics`, alice)).body).toMatchObject({ nodes: 2 });
    expect((await get(`${id}/statistics`, bob)).body).toMatchObject({ nodes: 0, edges: 0 });
  });

  test('others do not see the graph; administrators see that it exists but not its content', async () => {
    const id = await shared();
    for (const path of [id, `${id}/nodes`, `${id}/statistics`, `${id}/documents`, `${id}/result`])
      expect(getCode(await get(path, dora))).toEqual([404, 'GRAPH_NOT_FOUND']);
    expect(await everything(id, admin)).not.toMatch(/Secretville|PO-1|Harbour/);
    for (const path of ['nodes', 'statistics', 'documents', 'result', 'neighbours?node=x', 'paths?from=x&to=y'])
      expect(getCode(await get(`${id}/${path}`, admin))).toEqual([403, 'FORBIDDEN']);
  });

  test('documents are listed by state with their errors, each reader sees their own; support names its document', async () => {
    const id = await shared();
    const failed = { documentId: 'closed', name: 'closed.md', signature: 'x', state: 'failed' } as const;
    const error = { code: 'LLM_FAILED', message: 'The model at 10.0.0.7 is unreachable.' };
    await graphs.corpora.put(id, { ...failed, error }, { nodes: [], edges: [] });
    const documents = async (user: User, query = '') =>
      (await get(`${id}/documents${query}`, user)).body as unknown as GraphDocuments;
    expect(await documents(alice, '?state=failed')).toEqual({
      documents: [{ document_id: 'closed', name: 'closed.md', state: 'failed', error }],
      next: null,
    });
    const { next } = await documents(alice, '?limit=1');
    expect((await documents(alice, `?limit=1&after=${next}`)).documents).toMatchObject([{ document_id: 'open' }]);
    expect(await documents(bob, '?state=failed')).toEqual({ documents: [], next: null });
    await graphs.corpora.put(id, { ...failed, documentId: 'open', error }, { nodes: [], edges: [] });
    expect(JSON.stringify(await documents(bob))).not.toContain('10.0.0.7');
    await read(id, { open: getText('PO-1', 'Leith') });
    const { nodes } = (await get(`${id}/nodes`, bob)).body as unknown as GraphNodes;
    expect(nodes.flatMap(({ support }) => support.map(({ name }) => name))).toEqual(['open.md', 'open.md']);
  });

  test('a page that ends among hidden documents reveals none of their ids, and has a next page', async () => {
    const id = await shared();
    const hidden = Array.from({ length: 12_600 }, (_, index) => `hidden-${String(index).padStart(5, '0')}`);
    for (const documentId of hidden)
      await graphs.corpora.put(
        id,
        { documentId, name: `${documentId}.md`, signature: 'x', state: 'done' },
        { nodes: [], edges: [] },
      );
    const page = async (user: User, after?: string) =>
      (await get(`${id}/documents${after === undefined ? '' : `?after=${after}`}`, user))
        .body as unknown as GraphDocuments;
    const first = await page(bob);
    const next = String(first.next);
    expect(first.documents).toEqual([]);
    expect(next + Buffer.from(next, 'base64url').toString()).not.toMatch(/hidden|closed/);
    expect(await page(bob, next)).toMatchObject({ documents: [{ document_id: 'open' }], next: null });
    for (const [user, after] of [
      [alice, next],
      [bob, 'hidden-00000'],
    ] as const)
      expect(getCode(await get(`${id}/documents?after=${after}`, user))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('readers may neither update nor delete the graph', async () => {
    const id = await shared();
    const update = await api.call('POST', `/api/v1/graphs/${id}/update`, { user: bob, body: {} });
    expect(getCode(update)).toEqual([403, 'FORBIDDEN']);
    expect(getCode(await api.call('DELETE', `/api/v1/graphs/${id}`, { user: bob }))).toEqual([403, 'FORBIDDEN']);
    expect(getCode(await api.call('DELETE', `/api/v1/graphs/${id}`, { user: dora }))).toEqual([404, 'GRAPH_NOT_FOUND']);
    expect((await api.call('DELETE', `/api/v1/graphs/${id}`, { user: alice })).status).toBe(204);
    expect(await graphs.corpora.findDocument(id, 'open')).toBeUndefined();
  });
});

describe('asking for a graph of a corpus', () => {
  test('it has a name, and starts its first update', async () => {
    const { status, body } = await create({ limit: { model_calls: 10 }, readers: ['bob', 'bob'] });
    expect([status, body]).toMatchObject([
      202,
      {
        name: 'orders',
        readers: ['bob'],
        state: 'QUEUED',
        source: { name: 'orders', document_set_id: setId },
        nodes: null,
        corpus: { update: 1, limit: { model_calls: 10 }, changes: null, updated_at: null, is_dry_run: false },
      },
    ]);
    expect(graphs.started).toEqual([(body as unknown as GraphReply).id]);
    expect(getCode(await create())).toEqual([409, 'CONFLICT']);
  });

  test('it is updated after its last update has ended, and not concurrently', async () => {
    const { id } = (await create({ dry_run: true })).body as unknown as GraphReply;
    const update = (body: object) => api.call('POST', `/api/v1/graphs/${id}/update`, { user: alice, body });
    expect(getCode(await update({}))).toEqual([409, 'CONFLICT']);
    finish(id);
    expect((await update({ limit: { documents: 5 } })).body).toMatchObject({
      state: 'QUEUED',
      corpus: { update: 2, is_dry_run: false, limit: { documents: 5 } },
    });
    expect(graphs.started).toEqual([id, id]);
  });

  test('a graph that follows its set is updated after a run, and again after runs during that update', async () => {
    const { id } = (await create({ auto_update: true, limit: { documents: 9 } })).body as unknown as GraphReply;
    const { id: other } = (await create({ name: 'other' })).body as unknown as GraphReply;
    const { id: dry } = (await create({ name: 'dry', auto_update: true, dry_run: true })).body as unknown as GraphReply;
    [id, other, dry].forEach(finish);
    const started = () => graphs.started.slice(3);
    await graphs.services.updateAfterRun(['another set']);
    expect(started()).toEqual([]);
    await graphs.services.updateAfterRun([setId]);
    expect(started()).toEqual([id]);
    expect(graphs.records.get(id)).toMatchObject({ state: 'QUEUED', corpus: { update: 2, limit: { documents: 9 } } });
    await graphs.services.updateAfterRun([setId]);
    expect(started()).toEqual([id]);
    finish(id);
    await graphs.services.updateAfterRun([]);
    finish(id);
    await graphs.services.updateAfterRun([]);
    expect(started()).toEqual([id, id]);
    const change = { user: alice, body: { auto_update: false } };
    expect((await api.call('PATCH', `/api/v1/graphs/${id}`, change)).body).toMatchObject({
      corpus: { auto_update: false },
    });
    await graphs.services.updateAfterRun([setId]);
    expect(started()).toEqual([id, id]);
  });

  test('while the workflow engine is unavailable, the graph reports it and can be updated later', async () => {
    graphs.engineError = new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'away');
    expect(getCode(await create())).toEqual([503, 'WORKFLOW_ENGINE_UNAVAILABLE']);
    const [graph] = graphs.records.values();
    expect(graph).toMatchObject({ state: 'FAILED', error: { code: 'WORKFLOW_ENGINE_UNAVAILABLE' } });
    graphs.engineError = undefined;
    expect((await api.call('POST', `/api/v1/graphs/${graph?.id}/update`, { user: alice, body: {} })).status).toBe(202);
  });

  test.each([
    ['a name without a set', { document_set_id: undefined }, 400, 'VALIDATION_ERROR'],
    ['a document besides', { document_id: 'd' }, 400, 'VALIDATION_ERROR'],
    ['readers without a name', { name: undefined, document_id: 'd', readers: ['bob'] }, 400, 'VALIDATION_ERROR'],
    [
      'pictures',
      { options: { backend: 'vlm', provider_config: { model_id: 'm' } } },
      400,
      'GRAPH_CONFIGURATION_INVALID',
    ],
    ['the profile peer', { options: { profile: 'peer' } }, 400, 'GRAPH_CONFIGURATION_INVALID'],
    ['a negative limit', { limit: { model_calls: -1 } }, 400, 'VALIDATION_ERROR'],
    ['a missing set', { document_set_id: '00000000-0000-4000-8000-000000000000' }, 404, 'DOCUMENT_SET_NOT_FOUND'], // prettier-ignore
  ])('%s is rejected', async (_name, body, status, code) => {
    expect(getCode(await create(body))).toEqual([status, code]);
    expect(graphs.records.size).toBe(0);
  });

  test('a set that the user may not see is missing', async () => {
    expect(getCode(await create({}, dora))).toEqual([404, 'DOCUMENT_SET_NOT_FOUND']);
  });
});

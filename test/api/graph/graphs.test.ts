// Long because every source and every route of graphs is tested against one api.
import { unzipSync } from 'fflate';
import { AppError } from '../../../model/errors';
import type { User } from '../../../model/access';
import type { GraphReply } from '../../../model/graph/wire';
import { graphInput, getGraphPrefix } from '../../../services/graph/files';
import type { GraphRecord } from '../../../services/graph/store';
import type { DocumentResponse } from '../../../services/search/ports';
import { memoryConversion } from '../../support/api/conversion-services';
import { memoryDocumentSets } from '../../support/api/document-set-services';
import { memoryGraphs } from '../../support/api/graph-services';
import { alice, bob, carol, startApi, type TestApi } from '../../support/api/server';
import { defaultConvertOptions } from '../../../model/conversion/request/options';

const template = {
  title: 'Invoice',
  type: 'object',
  'x-graph-id-fields': ['number'],
  properties: { number: { type: 'string', description: 'Invoice number' } },
};
const record = (id: string, content: string, metadata: Record<string, unknown> = {}): DocumentResponse => ({
  id,
  content,
  title: `Title of ${id}`,
  metadata,
  created_at: '',
  updated_at: '',
});
const documents = new Map([
  ['invoice', record('invoice', 'Invoice number: A-1')],
  // The third chunk overlaps the second, the fourth has no position.
  ['c3', record('c3', ' world, and', { document_id: 'long', chunk_index: 2, start_index: 13 })],
  ['c1', record('c1', 'First.', { document_id: 'long', chunk_index: 0, start_index: 0 })],
  ['c2', record('c2', 'hello world', { document_id: 'long', chunk_index: 1, start_index: 8 })],
  ['c4', record('c4', 'more', { document_id: 'long', chunk_index: 3 })],
  ...Array.from({ length: 150 }, (_, index): [string, DocumentResponse] => {
    const id = `m${index}`;
    return [id, record(id, `part ${index}`, { document_id: 'many', chunk_index: index })];
  }),
]);
const dora: User = { username: 'dora', email: '', full_name: '', groups: [] };
const mayRead = (user: User) => user.username === 'alice';

let api: TestApi;
let graphs: ReturnType<typeof memoryGraphs>;
const conversion = memoryConversion();
const settings = { tenantHeader: 'X-Tenant-Id' };
const sets = memoryDocumentSets();

async function start(apiKeys: string[] = []) {
  graphs = memoryGraphs();
  const { defaultConversionSettings } = await import('../../../api/conversion/settings');
  api = await startApi(
    {
      graphs: graphs.services,
      ...sets,
      conversion: conversion.services,
      search: {
        get: async (user, id) => (mayRead(user) ? documents.get(id) : undefined),
        search: async (user, { filters = {}, limit = 10, offset = 0 }) => {
          const found = [...documents.values()].filter(
            ({ metadata }) => mayRead(user) && metadata['document_id'] === filters['document_id'],
          );
          const items = found.slice(offset, offset + limit);
          return { documents: items, total: found.length, limit, offset, has_more: false };
        },
      },
    },
    { adminGroups: ['admins'], conversion: { ...defaultConversionSettings, ...settings, apiKeys } },
  );
}
beforeEach(() => start());
afterEach(() => api.close());

interface Init {
  user?: User;
  headers?: Record<string, string>;
}
const post = (body: object, { user = alice, headers }: Init = {}) =>
  api.call('POST', '/api/v1/graphs', { user, body, headers });
const get = (path: string, user = alice) => api.call('GET', `/api/v1/graphs/${path}`, { user });
const made = async (body: object = { document_id: 'invoice', template }) =>
  (await post(body)).body as unknown as GraphReply;
const outcome = ({ status, body }: { status: number; body: unknown }) => {
  const [error] = (body as { errors?: { code: string; message: string }[] }).errors ?? [];
  return [status, error?.code];
};
const getSource = (id: string) => graphs.files.get(graphInput(id).source)?.toString();
const getBytes = async (path: string, user = alice) => {
  const headers = { Authorization: `Bearer ${api.tokenOf(user)}` };
  const response = await fetch(`${api.url}/api/v1/graphs/${path}`, { headers });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
};

describe('asking for a graph', () => {
  test('the answer is the waiting graph; source and template are stored, the workflow is started', async () => {
    const { status, body } = await post({ document_id: 'invoice', template, options: { formats: ['csv'] } });
    const graph = body as unknown as GraphReply;
    expect([status, graph]).toEqual([
      202,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        owner: 'alice',
        state: 'QUEUED',
        source: { name: 'Title of invoice', document_id: 'invoice' },
        template: 'Invoice',
        options: expect.objectContaining({ backend: 'rules', formats: ['csv'] }),
        progress: { chunks: 0 },
        nodes: null,
        edges: null,
        problems: null,
        files: [],
        error: null,
        created_at: expect.any(String),
        started_at: null,
        ended_at: null,
      },
    ]);
    expect(graphs.started).toEqual([graph.id]);
    expect(getSource(graph.id)).toBe('Invoice number: A-1');
    expect(JSON.parse(graphs.files.get(graphInput(graph.id).template)?.toString() ?? '')).toEqual({ template });
  });

  test('the chunks of a document are joined in order, with overlaps once', async () => {
    const graph = await made({ document_id: 'long', template });
    expect(getSource(graph.id)).toBe('First.\n\nhello world, and\n\nmore');
    expect(graph.source).toEqual({ name: 'Title of c3', document_id: 'long' });
    const many = getSource((await made({ document_id: 'many', template })).id)?.split('\n\n');
    expect(many).toEqual(Array.from({ length: 150 }, (_, index) => `part ${index}`));
  });

  test('a text in the request is a source; the idempotency key distinguishes two texts', async () => {
    const headers = { 'Idempotency-Key': 'text' };
    const { status, body } = await post({ text: 'Invoice number: T-1', template }, { user: bob, headers });
    const graph = body as unknown as GraphReply;
    expect([status, graph.source, getSource(graph.id)]).toEqual([202, { name: 'text' }, 'Invoice number: T-1']);
    expect((await post({ text: 'Invoice number: T-1', template }, { user: bob, headers })).status).toBe(202);
    const other = await post({ text: 'Invoice number: T-2', template }, { user: bob, headers });
    expect(outcome(other)).toEqual([409, 'CONFLICT']);
  });

  test('a missing document and a document of another user return the same 404', async () => {
    const missing = await post({ document_id: 'no-such', template });
    const foreign = await post({ document_id: 'invoice', template }, { user: bob });
    expect(outcome(foreign)).toEqual([404, 'DOCUMENT_NOT_FOUND']);
    expect({ ...(foreign.body as object), trace: '' }).toEqual({ ...(missing.body as object), trace: '' });
    expect(graphs.started).toEqual([]);
  });

  test.each([
    ['no source', { template }, 'VALIDATION_ERROR'],
    ['two sources', { document_id: 'invoice', task_id: 't', template }, 'VALIDATION_ERROR'],
    ['a text and a document', { document_id: 'invoice', text: 'Invoice number: 1', template }, 'VALIDATION_ERROR'],
    ['a set without a document', { text: 'a', document_set_id: '00000000-0000-4000-8000-000000000000', template }, 'VALIDATION_ERROR'], // prettier-ignore
    ['a place without a task', { document_id: 'invoice', document_index: 1, template }, 'VALIDATION_ERROR'],
    ['no template', { document_id: 'invoice' }, 'VALIDATION_ERROR'],
    ['a dotted path', { document_id: 'invoice', template: 'shop.invoice.Template' }, 'GRAPH_CONFIGURATION_INVALID'],
    ['a file name', { document_id: 'invoice', template: 'templates/invoice.yaml' }, 'GRAPH_CONFIGURATION_INVALID'],
    ['an empty schema', { document_id: 'invoice', template: { type: 'object' } }, 'GRAPH_CONFIGURATION_INVALID'],
    ['YAML that is none', { document_id: 'invoice', template: 'root: [' }, 'GRAPH_CONFIGURATION_INVALID'],
    ['a long template', { document_id: 'invoice', template: { title: 'x'.repeat(200_001) } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['a model without name', { document_id: 'invoice', template, options: { backend: 'llm' } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['a model for rules', { document_id: 'invoice', template, options: { type: 'gateway' } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['a contract that needs a model', { document_id: 'invoice', template, options: { extraction_contract: 'dense' } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['pictures of a text', { document_id: 'invoice', template, options: { backend: 'vlm', provider_config: { model_id: 'm' } } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['a model that sees elsewhere', { document_id: 'invoice', template, options: { backend: 'vlm', type: 'hosted', provider_config: { model_id: 'm' } } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['an unknown format', { document_id: 'invoice', template, options: { formats: ['pdf'] } }, 'VALIDATION_ERROR'],
    ['an unknown option', { document_id: 'invoice', template, options: { speed: 1 } }, 'VALIDATION_ERROR'],
  ])('%s is refused', async (_name, body, code) => {
    expect(outcome(await post(body))).toEqual([400, code]);
    expect(graphs.records.size).toBe(0);
  });

  test('an endlessly nested template is rejected, not an internal error', async () => {
    for (const levels of [3_000, 30_000]) {
      const deep = `${'{"type": "object", "properties": {"a": '.repeat(levels)}{"type": "string"}${'}}'.repeat(levels)}`;
      const body = `{"document_id": "invoice", "template": ${deep}}`;
      expect((await api.call('POST', '/api/v1/graphs', { user: alice, body })).status).toBe(400);
      const text = JSON.stringify({ document_id: 'invoice', template: deep.slice(0, 200_000) });
      expect((await api.call('POST', '/api/v1/graphs', { user: alice, body: text })).status).toBe(400);
    }
  });

  test('no reply contains the key of a model host, and the record drops it at the end', async () => {
    const provider_config = { model_id: 'm', api_key: 'sesame', api_base: 'https://models.example', max_tokens: 900 };
    const graph = await made({ document_id: 'invoice', template, options: { backend: 'llm', provider_config } });
    expect(graph.options).toMatchObject({ backend: 'llm', model_id: 'm', max_output_tokens: 900 });
    expect(graphs.records.get(graph.id)?.provider_config).toContain('sesame');
    for (const path of [graph.id, '']) expect(JSON.stringify((await get(path)).body)).not.toContain('sesame');
  });

  test('the same idempotency key gives the same graph; for another template it is refused', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await post({ document_id: 'invoice', template }, { headers });
    const again = await post({ document_id: 'invoice', template }, { headers });
    expect([again.status, again.body]).toEqual([202, first.body]);
    // As after a crash between record and start.
    graphs.started.length = 0;
    graphs.files.clear();
    const third = await post({ document_id: 'invoice', template }, { headers });
    expect(graphs.started).toEqual([(third.body as GraphReply).id]);
    expect(getSource((third.body as GraphReply).id)).toBe('Invoice number: A-1');
    const other = await post({ document_id: 'invoice', template: { ...template, title: 'Bill' } }, { headers });
    expect(outcome(other)).toEqual([409, 'CONFLICT']);
    expect(graphs.started).toHaveLength(1);
    expect(outcome(await post({ document_id: 'invoice', template }, { headers: { 'Idempotency-Key': 'ä' } }))[0]).toBe(
      400,
    );
  });

  test('while the workflow engine is unavailable nothing is stored', async () => {
    graphs.engineError = new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'away');
    expect(outcome(await post({ document_id: 'invoice', template }))).toEqual([503, 'WORKFLOW_ENGINE_UNAVAILABLE']);
    expect([graphs.records.size, graphs.files.size]).toEqual([0, 0]);
  });
});

describe('a document of a set as the source', () => {
  const origin = { jobId: 'job', runId: 'run', operator: 'set', startedAt: '2026-01-01T00:00:00.000Z' };
  const row = (id: string, more: object) => ({ id, name: `${id}.md`, path: id, allowed_users: ['alice'], ...more });

  test('its rows are joined, for those who may see the set and read the rows', async () => {
    const { set } = await sets.documentSets.getOrCreate({ name: 'orders', owner: 'alice', readers: ['bob'] });
    const chunk = { document_id: 'd', content: 'Second.', chunk_index: 1 };
    await sets.documentSets.write(set.id, origin, [
      row('d_1', chunk),
      row('other', { document_id: 'other', content: 'Other.', chunk_index: 0 }),
      row('d_0', { ...chunk, content: 'First.', chunk_index: 0 }),
      row('hidden', { document_id: 'hidden', content: 'No.', chunk_index: 0, allowed_users: ['carol'] }),
    ]);
    const asked = (document_id: string, user = alice) =>
      post({ document_id, document_set_id: set.id, template }, { user });
    const graph = (await asked('d')).body as unknown as GraphReply;
    expect(graph.source).toEqual({ name: 'd_1.md', document_id: 'd', document_set_id: set.id });
    expect(getSource(graph.id)).toBe('First.\n\nSecond.');
    expect((await asked('other')).status).toBe(202);
    for (const id of ['hidden', 'no-such']) expect(outcome(await asked(id))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
    expect(outcome(await asked('d', bob))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
    expect(outcome(await asked('d', dora))).toEqual([404, 'DOCUMENT_SET_NOT_FOUND']);
    await graphs.complete(graph.id);
    expect((await getBytes(`${graph.id}/result`)).status).toBe(200);
    await sets.documentSets.remove(set.id);
    expect(outcome(await get(`${graph.id}/result`))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
  });

  test('a set without text, and one that does not exist', async () => {
    const { set } = await sets.documentSets.getOrCreate({ name: 'bare', owner: 'alice' });
    await sets.documentSets.write(set.id, origin, [row('d', {})]);
    const asked = (document_set_id: string) => post({ document_id: 'd', document_set_id, template });
    expect(outcome(await asked(set.id))).toEqual([400, 'GRAPH_CONFIGURATION_INVALID']);
    expect(outcome(await asked(crypto.randomUUID()))).toEqual([404, 'DOCUMENT_SET_NOT_FOUND']);
    expect(outcome(await asked('bare'))).toEqual([400, 'VALIDATION_ERROR']);
    expect(outcome(await post({ document_set_id: set.id, template }))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('a task of /v1 as the source', () => {
  const submit = async (names: string[], to_formats: string[], tenant = 'default') => {
    const id = crypto.randomUUID();
    await conversion.services.tasks.submit({
      id,
      tenant,
      task_type: 'convert',
      options: { ...defaultConvertOptions(), to_formats } as ReturnType<typeof defaultConvertOptions>,
      sources: names.map((filename) => ({ kind: 'file', key: filename, filename, size: 1 })),
      target: { kind: names.length > 1 ? 'zip' : 'inbody' },
      callbacks: [],
    });
    return id;
  };

  test('its document is the source, the full one before its texts', async () => {
    const both = await submit(['a.docx'], ['md', 'json']);
    const graph = await made({ task_id: both, template });
    expect(graph.source).toEqual({ name: 'a.docx', task_id: both, document_index: 0 });
    expect(graphs.records.get(graph.id)?.source_type).toBe('document');
    const options = { backend: 'vlm', provider_config: { model_id: 'm' } };
    expect((await post({ task_id: both, template, options })).status).toBe(202);
    const plain = { task_id: await submit(['a.docx'], ['md']), template, options };
    expect(outcome(await post(plain))).toEqual([400, 'GRAPH_CONFIGURATION_INVALID']);
    const text = await made({ task_id: await submit(['a.docx'], ['md']), template });
    expect(graphs.records.get(text.id)?.source_type).toBe('markdown');
  });

  test('one of several documents is selected by its position', async () => {
    const id = await submit(['a.docx', 'b.docx'], ['md']);
    expect(outcome(await post({ task_id: id, template }))).toEqual([400, 'VALIDATION_ERROR']);
    expect((await made({ task_id: id, document_index: 1, template })).source.name).toBe('b.docx');
    expect(outcome(await post({ task_id: id, document_index: 2, template }))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
  });

  test('outputs that contain no graph source, unfinished and unknown tasks are distinguished', async () => {
    expect(outcome(await post({ task_id: await submit(['a.docx'], ['html']), template }))).toEqual([
      400,
      'GRAPH_CONFIGURATION_INVALID',
    ]);
    conversion.atOnce = false;
    const waiting = await submit(['a.docx'], ['md']);
    conversion.atOnce = true;
    expect(outcome(await post({ task_id: waiting, template }))).toEqual([404, 'CONVERSION_RESULT_NOT_READY']);
    expect(outcome(await post({ task_id: 'no-such', template }))).toEqual([404, 'CONVERSION_TASK_NOT_FOUND']);
  });

  test('a task of another tenant does not exist, and keys of the conversion service apply', async () => {
    const id = await submit(['a.docx'], ['md'], 'blue');
    expect(outcome(await post({ task_id: id, template }))).toEqual([404, 'CONVERSION_TASK_NOT_FOUND']);
    const blue = { 'X-Tenant-Id': 'blue' };
    expect((await post({ task_id: id, template }, { headers: blue })).status).toBe(202);
    await api.close();
    await start(['key']);
    expect(outcome(await post({ task_id: id, template }, { headers: blue }))).toEqual([403, 'FORBIDDEN']);
    const wrong = { ...blue, 'X-Api-Key': 'no' };
    expect(outcome(await post({ task_id: id, template }, { headers: wrong }))).toEqual([403, 'FORBIDDEN']);
    const right = { ...blue, 'X-Api-Key': 'key' };
    expect((await post({ task_id: id, template }, { headers: right })).status).toBe(202);
  });
});

describe('a graph', () => {
  test('is listed for its owner and administrators, by state', async () => {
    const [one, two] = [await made(), await made()];
    await graphs.complete(one.id);
    const ids = async (query: string, user = alice) =>
      ((await get(query, user)).body as { items: GraphReply[] }).items.map(({ id }) => id).toSorted();
    expect(await ids('')).toEqual([one.id, two.id].toSorted());
    expect(await ids('?state=COMPLETED')).toEqual([one.id]);
    expect(await ids('?limit=1&offset=1')).toHaveLength(1);
    expect(await ids('', bob)).toEqual([]);
    expect(await ids('', carol)).toHaveLength(2);
    const shown = async (user: User) => (await get(two.id, user)).body as unknown as GraphReply;
    const message = 'Nothing about Title of invoice.';
    const error = { code: 'GRAPH_EXTRACTION_FAILED', message };
    graphs.records.set(two.id, { ...(graphs.records.get(two.id) as GraphRecord), state: 'FAILED', error });
    expect(await shown(alice)).toMatchObject({ source: { name: 'Title of invoice' }, error });
    expect(JSON.stringify(await shown(carol))).not.toContain('Title');
    expect(await shown(carol)).toMatchObject({ state: 'FAILED', error: { code: 'GRAPH_EXTRACTION_FAILED' } });
    expect(outcome(await get('?state=DONE'))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('returns its counts and files when it is complete', async () => {
    const { id } = await made();
    await graphs.complete(id);
    expect((await get(id)).body).toMatchObject({
      state: 'COMPLETED',
      nodes: 2,
      edges: 1,
      problems: 0,
      files: [{ name: 'graph.json', format: 'json', bytes: 37, media_type: 'application/json' }, {}, {}],
    });
  });

  test('is cancelled while it is built, and removed when it has ended', async () => {
    const { id } = await made();
    const cancel = () => api.call('DELETE', `/api/v1/graphs/${id}`, { user: alice });
    expect(await cancel()).toMatchObject({ status: 202, body: { state: 'CANCELED' } });
    expect(graphs.cancelled).toEqual([id]);
    expect(outcome(await get(`${id}/result`))).toEqual([409, 'GRAPH_NOT_READY']);
    expect((await cancel()).status).toBe(204);
    expect(outcome(await get(id))).toEqual([404, 'GRAPH_NOT_FOUND']);
    expect([...graphs.files.keys()].filter((key) => key.startsWith(getGraphPrefix(id)))).toEqual([]);
    expect(outcome(await cancel())).toEqual([404, 'GRAPH_NOT_FOUND']);
  });

  test('an id that is none is 400', async () => {
    expect(outcome(await get('abc'))).toEqual([400, 'VALIDATION_ERROR']);
    expect(outcome(await get('0B8C0F6E-0000-4000-8000-000000000000'))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('the files of a graph', () => {
  test('a format with one file is sent as is, two or all formats as an archive', async () => {
    const { id } = await made();
    await graphs.complete(id);
    const json = await getBytes(`${id}/result`);
    expect([Buffer.from(json.bytes).toString(), json.headers.get('Content-Type')]).toEqual([
      '{"nodes": [{"id": "a"}], "edges": []}',
      'application/json',
    ]);
    expect(json.headers.get('Content-Disposition')).toBe('attachment; filename="graph.json"');
    const csv = await getBytes(`${id}/result?format=csv`);
    expect(csv.headers.get('Content-Type')).toBe('application/zip');
    expect(Object.keys(unzipSync(csv.bytes))).toEqual(['nodes.csv', 'edges.csv']);
    expect(Object.keys(unzipSync((await getBytes(`${id}/result?format=zip`)).bytes))).toEqual([
      'graph.json',
      'nodes.csv',
      'edges.csv',
    ]);
    expect(Buffer.from((await getBytes(`${id}/files/nodes.csv`)).bytes).toString()).toBe('id\n');
  });

  test('a file that was not requested or does not exist is 404', async () => {
    const { id } = await made();
    await graphs.complete(id);
    for (const path of ['result?format=gexf', 'files/other.json', 'files/..%2F..%2Finput%2Fsource', 'files/input'])
      expect([path, ...outcome(await get(`${id}/${path}`))]).toEqual([path, 404, 'NOT_FOUND']);
    expect(outcome(await get(`${id}/result?format=exe`))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('they belong to the requester, and only while the document may be read', async () => {
    const { id } = await made();
    await graphs.complete(id);
    expect(outcome(await get(`${id}/result`, carol))).toEqual([403, 'FORBIDDEN']);
    expect(outcome(await get(`${id}/result`, bob))).toEqual([404, 'GRAPH_NOT_FOUND']);
    const kept = documents.get('invoice');
    documents.delete('invoice');
    try {
      expect(outcome(await get(`${id}/result`))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
      expect(outcome(await get(`${id}/files/graph.json`))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
    } finally {
      if (kept) documents.set('invoice', kept);
    }
  });

  test('a file missing from the store is 410', async () => {
    const { id } = await made();
    await graphs.complete(id);
    graphs.files.clear();
    expect(outcome(await get(`${id}/result`))).toEqual([410, 'TABLE_NOT_FOUND']);
    expect(outcome(await get(`${id}/result?format=zip`))).toEqual([410, 'TABLE_NOT_FOUND']);
  });
});

test('no malformed request causes an internal error', async () => {
  const { default: fc } = await import('fast-check');
  const { id } = await made();
  await graphs.complete(id);
  const odd = fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue(),
    fc.record(
      {
        $ref: fc.constantFrom('#/$defs/A', '#', '#/properties/a', '../x', ''),
        title: fc.jsonValue(),
        type: fc.constantFrom('object', 'array', 'string', 'null', ['string', 'null'], 7),
        properties: fc.dictionary(fc.constantFrom('a', 'id', '__proto__', 'constructor', ''), fc.jsonValue()),
        'x-graph-id-fields': fc.jsonValue(),
        $defs: fc.dictionary(fc.constantFrom('A', '__proto__'), fc.jsonValue()),
        items: fc.jsonValue(),
        anyOf: fc.jsonValue(),
        root: fc.jsonValue(),
        classes: fc.dictionary(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
    fc.string(),
  );
  const body = fc.record(
    {
      document_id: fc.oneof(fc.constant('invoice'), fc.string(), fc.jsonValue()),
      task_id: fc.oneof(fc.string(), fc.jsonValue()),
      document_index: fc.oneof(fc.integer(), fc.jsonValue()),
      template: fc.oneof(
        odd,
        odd.map((value) => JSON.stringify(value)),
      ),
      options: fc.oneof(
        fc.jsonValue(),
        fc.record(
          { backend: fc.constantFrom('rules', 'llm', 'vlm'), provider_config: fc.jsonValue(), formats: fc.jsonValue() },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: ['template'] },
  );
  const sane = { numRuns: 150 };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        body,
        body.map(({ template: given }) => ({ document_id: 'invoice', template: given })),
      ),
      async (given) => {
        expect((await post(given)).status).toBeLessThan(500);
      },
    ),
    sane,
  );
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (name, value) => {
      for (const path of [
        `${id}/files/${encodeURIComponent(name)}`,
        `${id}/result?format=${encodeURIComponent(value)}`,
        `?state=${encodeURIComponent(value)}&limit=${encodeURIComponent(name)}`,
        encodeURIComponent(name),
      ])
        expect((await getBytes(path)).status).toBeLessThan(500);
    }),
    { numRuns: 40 },
  );
}, 60_000);

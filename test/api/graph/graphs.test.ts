import { unzipSync } from 'fflate';
import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import type { GraphReply } from '../../../model/graph/wire';
import { buildGraphPrefix, locateGraphInput } from '../../../services/graph/files';
import type { GraphRecord } from '../../../services/graph/store';
import { createGraphClient, getOutcome, template } from '../../support/api/graph-client';
import { alice, bob, carol } from '../../support/api/server';

const { create, current, documents, get, getBytes, getSource, post } = createGraphClient();

describe('requesting a graph', () => {
  test('replies with the queued graph, stores source and template, and starts the workflow', async () => {
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
    expect(current.graphs.started).toEqual([graph.id]);
    expect(getSource(graph.id)).toBe('Invoice number: A-1');
    expect(JSON.parse(current.graphs.files.get(locateGraphInput(graph.id).template)?.toString() ?? '')).toEqual({
      template,
    });
  });

  test('the chunks of a document are joined in order, with overlaps once', async () => {
    const graph = await create({ document_id: 'long', template });
    expect(getSource(graph.id)).toBe('First.\n\nhello world, and\n\nmore');
    expect(graph.source).toEqual({ name: 'Title of c3', document_id: 'long' });
    const many = getSource((await create({ document_id: 'many', template })).id)?.split('\n\n');
    expect(many).toEqual(Array.from({ length: 150 }, (_, index) => `part ${index}`));
  });

  test('the text in a request is a source; an idempotency key cannot be reused for another text', async () => {
    const headers = { 'Idempotency-Key': 'text' };
    const { status, body } = await post({ text: 'Invoice number: T-1', template }, { user: bob, headers });
    const graph = body as unknown as GraphReply;
    expect([status, graph.source, getSource(graph.id)]).toEqual([202, { name: 'text' }, 'Invoice number: T-1']);
    expect((await post({ text: 'Invoice number: T-1', template }, { user: bob, headers })).status).toBe(202);
    const other = await post({ text: 'Invoice number: T-2', template }, { user: bob, headers });
    expect(getOutcome(other)).toEqual([409, 'CONFLICT']);
  });

  test('a missing document and a document of another user return the same 404', async () => {
    const missing = await post({ document_id: 'no-such', template });
    const foreign = await post({ document_id: 'invoice', template }, { user: bob });
    expect(getOutcome(foreign)).toEqual([404, 'DOCUMENT_NOT_FOUND']);
    expect({ ...(foreign.body as object), trace: '' }).toEqual({ ...(missing.body as object), trace: '' });
    expect(current.graphs.started).toEqual([]);
  });

  test.each([
    ['no source', { template }, 'VALIDATION_ERROR'],
    ['two sources', { document_id: 'invoice', task_id: 't', template }, 'VALIDATION_ERROR'],
    ['a text and a document', { document_id: 'invoice', text: 'Invoice number: 1', template }, 'VALIDATION_ERROR'],
    ['a set without a document', { text: 'a', document_set_id: '00000000-0000-4000-8000-000000000000', template }, 'VALIDATION_ERROR'], // prettier-ignore
    ['an index without a task', { document_id: 'invoice', document_index: 1, template }, 'VALIDATION_ERROR'],
    ['no template', { document_id: 'invoice' }, 'VALIDATION_ERROR'],
    ['a dotted path', { document_id: 'invoice', template: 'shop.invoice.Template' }, 'GRAPH_CONFIGURATION_INVALID'],
    ['a file name', { document_id: 'invoice', template: 'templates/invoice.yaml' }, 'GRAPH_CONFIGURATION_INVALID'],
    ['an empty schema', { document_id: 'invoice', template: { type: 'object' } }, 'GRAPH_CONFIGURATION_INVALID'],
    ['invalid YAML', { document_id: 'invoice', template: 'root: [' }, 'GRAPH_CONFIGURATION_INVALID'],
    ['a long template', { document_id: 'invoice', template: { title: 'x'.repeat(200_001) } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['a model without name', { document_id: 'invoice', template, options: { backend: 'llm' } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['a model type for rules', { document_id: 'invoice', template, options: { type: 'gateway' } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['a contract that needs a model', { document_id: 'invoice', template, options: { extraction_contract: 'dense' } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['a vision model for a text', { document_id: 'invoice', template, options: { backend: 'vlm', provider_config: { model_id: 'm' } } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['a vision model of a hosted vendor', { document_id: 'invoice', template, options: { backend: 'vlm', type: 'hosted', provider_config: { model_id: 'm' } } }, 'GRAPH_CONFIGURATION_INVALID'], // prettier-ignore
    ['an unknown format', { document_id: 'invoice', template, options: { formats: ['pdf'] } }, 'VALIDATION_ERROR'],
    ['an unknown option', { document_id: 'invoice', template, options: { speed: 1 } }, 'VALIDATION_ERROR'],
  ])('%s is rejected', async (_name, body, code) => {
    expect(getOutcome(await post(body))).toEqual([400, code]);
    expect(current.graphs.records.size).toBe(0);
  });

  test('an endlessly nested template is rejected, not an internal error', async () => {
    for (const levels of [3_000, 30_000]) {
      const deep = `${'{"type": "object", "properties": {"a": '.repeat(levels)}{"type": "string"}${'}}'.repeat(levels)}`;
      const body = `{"document_id": "invoice", "template": ${deep}}`;
      expect((await current.api.call('POST', '/api/v1/graphs', { user: alice, body })).status).toBe(400);
      const text = JSON.stringify({ document_id: 'invoice', template: deep.slice(0, 200_000) });
      expect((await current.api.call('POST', '/api/v1/graphs', { user: alice, body: text })).status).toBe(400);
    }
  });

  test('no reply contains the key of a model host, and the record drops it at the end', async () => {
    const provider_config = { model_id: 'm', api_key: 'sesame', api_base: 'https://models.example', max_tokens: 900 };
    const graph = await create({ document_id: 'invoice', template, options: { backend: 'llm', provider_config } });
    expect(graph.options).toMatchObject({ backend: 'llm', model_id: 'm', max_output_tokens: 900 });
    expect(current.graphs.records.get(graph.id)?.provider_config).toContain('sesame');
    for (const path of [graph.id, '']) expect(JSON.stringify((await get(path)).body)).not.toContain('sesame');
  });

  test('the same idempotency key returns the same graph; with another template it is rejected', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await post({ document_id: 'invoice', template }, { headers });
    const again = await post({ document_id: 'invoice', template }, { headers });
    expect([again.status, again.body]).toEqual([202, first.body]);
    // As after a crash between record and start.
    current.graphs.started.length = 0;
    current.graphs.files.clear();
    const third = await post({ document_id: 'invoice', template }, { headers });
    expect(current.graphs.started).toEqual([(third.body as GraphReply).id]);
    expect(getSource((third.body as GraphReply).id)).toBe('Invoice number: A-1');
    const other = await post({ document_id: 'invoice', template: { ...template, title: 'Bill' } }, { headers });
    expect(getOutcome(other)).toEqual([409, 'CONFLICT']);
    expect(current.graphs.started).toHaveLength(1);
    expect(
      getOutcome(await post({ document_id: 'invoice', template }, { headers: { 'Idempotency-Key': 'ä' } }))[0],
    ).toBe(400);
  });

  test('nothing is stored while the workflow engine is unavailable', async () => {
    current.graphs.engineError = new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'away');
    expect(getOutcome(await post({ document_id: 'invoice', template }))).toEqual([503, 'WORKFLOW_ENGINE_UNAVAILABLE']);
    expect([current.graphs.records.size, current.graphs.files.size]).toEqual([0, 0]);
  });
});

describe('a graph', () => {
  test('is listed for its owner and administrators, by state', async () => {
    const [one, two] = [await create(), await create()];
    await current.graphs.complete(one.id);
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
    current.graphs.records.set(two.id, {
      ...(current.graphs.records.get(two.id) as GraphRecord),
      state: 'FAILED',
      error,
    });
    expect(await shown(alice)).toMatchObject({ source: { name: 'Title of invoice' }, error });
    expect(JSON.stringify(await shown(carol))).not.toContain('Title');
    expect(await shown(carol)).toMatchObject({ state: 'FAILED', error: { code: 'GRAPH_EXTRACTION_FAILED' } });
    expect(getOutcome(await get('?state=DONE'))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('returns its counts and files when it is complete', async () => {
    const { id } = await create();
    await current.graphs.complete(id);
    expect((await get(id)).body).toMatchObject({
      state: 'COMPLETED',
      nodes: 2,
      edges: 1,
      problems: 0,
      files: [{ name: 'graph.json', format: 'json', bytes: 37, media_type: 'application/json' }, {}, {}],
    });
  });

  test('is cancelled while it runs, and removed after it has ended', async () => {
    const { id } = await create();
    const cancel = () => current.api.call('DELETE', `/api/v1/graphs/${id}`, { user: alice });
    expect(await cancel()).toMatchObject({ status: 202, body: { state: 'CANCELED' } });
    expect(current.graphs.cancelled).toEqual([id]);
    expect(getOutcome(await get(`${id}/result`))).toEqual([409, 'GRAPH_NOT_READY']);
    expect((await cancel()).status).toBe(204);
    expect(getOutcome(await get(id))).toEqual([404, 'GRAPH_NOT_FOUND']);
    expect([...current.graphs.files.keys()].filter((key) => key.startsWith(buildGraphPrefix(id)))).toEqual([]);
    expect(getOutcome(await cancel())).toEqual([404, 'GRAPH_NOT_FOUND']);
  });

  test('an id that is not a UUID is 400', async () => {
    expect(getOutcome(await get('abc'))).toEqual([400, 'VALIDATION_ERROR']);
    expect(getOutcome(await get('0B8C0F6E-0000-4000-8000-000000000000'))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('the files of a graph', () => {
  test('a format with one file is sent as is, two or all formats as an archive', async () => {
    const { id } = await create();
    await current.graphs.complete(id);
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
    const { id } = await create();
    await current.graphs.complete(id);
    for (const path of ['result?format=gexf', 'files/other.json', 'files/..%2F..%2Finput%2Fsource', 'files/input'])
      expect([path, ...getOutcome(await get(`${id}/${path}`))]).toEqual([path, 404, 'NOT_FOUND']);
    expect(getOutcome(await get(`${id}/result?format=exe`))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('are sent to the requester only, and only while the requester may read the document', async () => {
    const { id } = await create();
    await current.graphs.complete(id);
    expect(getOutcome(await get(`${id}/result`, carol))).toEqual([403, 'FORBIDDEN']);
    expect(getOutcome(await get(`${id}/result`, bob))).toEqual([404, 'GRAPH_NOT_FOUND']);
    const kept = documents.get('invoice');
    documents.delete('invoice');
    try {
      expect(getOutcome(await get(`${id}/result`))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
      expect(getOutcome(await get(`${id}/files/graph.json`))).toEqual([404, 'DOCUMENT_NOT_FOUND']);
    } finally {
      if (kept) documents.set('invoice', kept);
    }
  });

  test('a file missing from the store is 410', async () => {
    const { id } = await create();
    await current.graphs.complete(id);
    current.graphs.files.clear();
    expect(getOutcome(await get(`${id}/result`))).toEqual([410, 'TABLE_NOT_FOUND']);
    expect(getOutcome(await get(`${id}/result?format=zip`))).toEqual([410, 'TABLE_NOT_FOUND']);
  });
});

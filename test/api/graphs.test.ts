import { alice, bob, startApi, type TestApi } from './server';

const template = {
  title: 'Invoice',
  type: 'object',
  'x-graph-id-fields': ['number'],
  properties: {
    number: { type: 'string', description: 'Invoice number' },
    seller: {
      type: 'object',
      title: 'Party',
      'x-graph-id-fields': ['name'],
      'x-edge-label': 'ISSUED_BY',
      properties: { name: { type: 'string' } },
    },
  },
};
const contents: Record<string, string> = {
  invoice: 'Invoice number: A-1\n\nSeller: Acme Ltd\n',
  prose: 'Nothing is labelled here.',
  large: 'x'.repeat(200_001),
  worst: 'a: b\n'.repeat(40_000),
};

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    search: {
      get: async (user, id) =>
        user.username === 'alice' && contents[id] !== undefined
          ? { id, content: contents[id], title: id, metadata: {}, created_at: '', updated_at: '' }
          : undefined,
      search: async () => Promise.reject(new Error('nobody searches')),
    },
  });
});
afterAll(() => api.close());
const post = (document_id: string, given: unknown = template, user = alice) =>
  api.call('POST', '/api/v1/graphs', { user, body: { document_id, template: given } });
const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { errors: { code: string }[] }).errors[0]?.code,
];

test('the graph of a document, by a JSON Schema or its YAML', async () => {
  const { status, body } = await post('invoice');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    metadata: { node_count: 2, edge_count: 1 },
    edges: [{ label: 'ISSUED_BY' }],
    graph: { template_name: 'Invoice' },
  });
  const yaml = 'title: Invoice\nproperties:\n  number: { type: string, description: Invoice number }\n';
  expect((await post('invoice', yaml)).body).toMatchObject({ nodes: [{ number: 'A-1' }], edges: [] });
});

test('a missing document and one of somebody else give the same 404', async () => {
  const [missing, foreign] = [await post('no-such'), await post('invoice', template, bob)];
  expect(codeOf(foreign)).toEqual([404, 'DOCUMENT_NOT_FOUND']);
  expect({ ...(foreign.body as object), trace: '' }).toEqual({ ...(missing.body as object), trace: '' });
});

test.each([
  ['a dotted path', 'shop.invoice.Template', 400],
  ['a file name', 'templates/invoice.yaml', 400],
  ['a schema without properties', { type: 'object' }, 400],
  ['YAML that is none', 'root: [', 400],
  ['more fields than may be', { title: 'T', properties: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`f${i}`, { type: 'string' }])) }, 400], // prettier-ignore
  ['a template that is too long', { title: 'T', description: 'x'.repeat(100_001), properties: {} }, 400],
])('%s is no template', async (_name, given, status) => {
  expect(codeOf(await post('invoice', given))).toEqual([status, 'GRAPH_CONFIGURATION_INVALID']);
});

test('a document that is too large is 413, one without anything to find 422', async () => {
  expect(codeOf(await post('large'))).toEqual([413, 'DOCUMENT_TOO_LARGE']);
  expect(codeOf(await post('prose'))).toEqual([422, 'GRAPH_EXTRACTION_FAILED']);
});

test('the most labels and fields that are allowed hold up nobody for long', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `f${index}`);
  const before = process.cpuUsage();
  await post('worst', { title: 'T', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) });
  const { user } = process.cpuUsage(before);
  expect(user / 1e6).toBeLessThan(3);
});

import { operators } from '../../../operators';
import { getJobId } from '../../../services/run/job-id';
import { alice, startApi, type TestApi } from '../../support/api/server';

/** One test per row of the specification's tables about flows: fields, operator types, their configuration, the rules. */
let api: TestApi;
beforeAll(async () => {
  api = await startApi({ operators });
});
afterAll(() => api.close());

interface Alert {
  code: string;
  message_code: string;
  node_name: string | null;
}
interface Verdict {
  status: string;
  errors: Alert[];
  warnings: Alert[];
}
type Operator = { type: string; name: string; config?: Record<string, unknown>; depends_on?: string[] };

const ingest = (config: Record<string, unknown> = {}): Operator => ({
  type: 'ingest_source',
  name: 'ingest',
  config: { provider: 'filesystem', connection_params: { paths: ['/data/in', '/data/more'] }, ...config },
});
const extract = (config?: Record<string, unknown>): Operator => ({
  type: 'extract_operator',
  name: 'extract',
  config,
  depends_on: ['ingest'],
});
const chunker = (config: Record<string, unknown> = {}): Operator => ({
  type: 'chunker',
  name: 'chunk',
  config: { chunk_type: 'simple', chunk_size: 512, chunk_overlap: 50, ...config },
  depends_on: ['extract'],
});
const embeddings = (config: Record<string, unknown> = {}): Operator => ({
  type: 'embeddings',
  name: 'embed',
  config: { type: 'local_api', provider_config: { model_id: 'nomic-embed-text' }, ...config },
  depends_on: ['chunk'],
});
const vectordb = (config: Record<string, unknown> = {}): Operator => ({
  type: 'vectordb',
  name: 'index',
  config: { provider: 'opensearch', index_name: 'documents-one', ...config },
  depends_on: ['embed'],
});
const filter = (query: string): Operator => ({
  type: 'sql_filter',
  name: 'filter',
  config: { filter_criteria: query },
  depends_on: ['extract'],
});
const full = (...replaced: Operator[]): Operator[] =>
  [ingest(), extract(), chunker(), embeddings(), vectordb()].map(
    (usual) => replaced.find(({ name }) => name === usual.name) ?? usual,
  );
const filtered = (query: string) => [ingest(), extract(), filter(query), { ...vectordb(), depends_on: ['filter'] }];

async function verdict(flow: Operator[], more: Record<string, unknown> = {}): Promise<Verdict> {
  const body = { flow_name: 'spec', flow, ...more };
  const reply = await api.call('POST', '/api/v1/validation/validate_flow', { user: alice, body });
  expect(reply.status).toBe(200);
  return reply.body;
}
const problems = async (flow: Operator[], more: Record<string, unknown> = {}) =>
  (await verdict(flow, more)).errors.map(({ message_code, node_name }) => `${message_code} ${node_name}`);
const stored = async (more: Record<string, unknown>) => {
  const body = { flow_name: `spec ${JSON.stringify(more)}`.slice(0, 200), flow: full(), ...more };
  return (await api.call('POST', '/api/v1/flows', { user: alice, body })) as { status: number; body: never };
};

describe('fields of a flow definition', () => {
  test('flow_name: equal names give equal job ids of 36 characters, a UUID of version 5', () => {
    expect(getJobId('my-pipeline')).toBe('aec97d92-fe4a-5801-ac8b-90f274c32349');
    expect(getJobId('my-pipeline')).toBe(getJobId('my-pipeline'));
    expect(getJobId('another')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
  test('description: a string', async () => {
    expect(await stored({ description: 'what it does' })).toMatchObject({
      status: 201,
      body: { description: 'what it does' },
    });
    expect((await stored({ description: 5 })).status).toBe(400);
  });
  test('global_config: force_ingest is a boolean', async () => {
    expect(await problems(full(), { global_config: { force_ingest: true } })).toEqual([]);
    expect(await problems(full(), { global_config: { force_ingest: 'yes' } })).toHaveLength(1);
  });
  test('flow: an array of operators', async () => {
    expect((await stored({ flow: [] })).status).toBe(400);
    expect((await stored({ flow: {} })).status).toBe(400);
  });
  test('edges: objects with source and target connect operators', async () => {
    const loose = full().map(({ depends_on: _links, ...operator }) => operator);
    const edges = full().flatMap(({ name, depends_on = [] }) => depends_on.map((source) => ({ source, target: name })));
    expect(await problems(loose)).toContainEqual(expect.stringContaining('DISJOINT_OPERATORS_DETECTED'));
    expect(await problems(loose, { edges })).toEqual([]);
  });
});

describe('an operator entry', () => {
  test.each([
    ['type: a string', { type: 5 }],
    ['name: a string', { name: null }],
    ['config: an object', { config: [] }],
    ['depends_on: an array of operator names', { depends_on: 'ingest' }],
  ])('%s', async (_row, change) => {
    const flow = full().map((operator) => (operator.name === 'extract' ? { ...operator, ...change } : operator));
    expect((await stored({ flow })).status).toBe(400);
  });
  test('depends_on is optional', async () => expect(await problems([ingest()])).toEqual([]));
});

test.each(['ingest_source', 'extract_operator', 'chunker', 'embeddings', 'vectordb', 'sql_filter'])(
  'the operator type %s exists',
  async (type) => {
    const { body } = await api.call('GET', '/api/v1/operators/metadata', { user: alice });
    expect(body).toHaveProperty(type);
  },
);

describe('configuration of operators', () => {
  test('ingest_source: provider, connection_params.paths', async () => {
    expect(await problems(full(ingest({ connection_params: { paths: [] } })))).not.toEqual([]);
    expect(await problems(full(ingest({ provider: 'nowhere' })))).not.toEqual([]);
  });
  test('extract_operator: text_extraction.provider, entity_extraction.provider, timeout in seconds, default 60', async () => {
    expect(await problems(full(extract({ text_extraction: { provider: 'local' }, timeout: 5 })))).toEqual([]);
    expect(await problems(full(extract({ entity_extraction: { provider: 'none' } })))).toEqual([]);
    expect(await problems(full(extract({ text_extraction: { provider: 'nobody' } })))).not.toEqual([]);
    expect(await problems(full(extract({ timeout: 'long' })))).not.toEqual([]);
    const metadata = (await api.call('GET', '/api/v1/operators/metadata', { user: alice })).body;
    expect(metadata).toHaveProperty('extract_operator.attributes.timeout.default', 60);
  });
  test.each(['simple', 'semantic', 'hybrid'])('chunker: chunk_type %s', async (chunk_type) => {
    const found = await problems(full(chunker({ chunk_type })));
    expect(found).not.toContain('CHUNKER_INVALID_CHUNK_TYPE chunk');
  });
  test.each(['chunk_size', 'chunk_overlap'])('chunker: %s is an integer', async (member) => {
    expect(await problems(full(chunker({ [member]: '512' })))).not.toEqual([]);
    expect(await problems(full(chunker({ [member]: 100.5 })))).not.toEqual([]);
  });
  test('chunker: hybrid requires an extract operator', async () => {
    const flow = [ingest(), { ...chunker({ chunk_type: 'hybrid' }), depends_on: ['ingest'] }];
    expect(await problems(flow)).toContain('EXTRACT_OPERATOR_MISSING chunk');
  });
  test.each(['local_api', 'gateway', 'hosted'])('embeddings: the type %s', async (type) => {
    const provider_config = { model_id: 'm', api_base: 'https://models.example/v1', api_key: '${DOCLOOM_SECRET_KEY}' };
    const found = await problems(full(embeddings({ type, provider_config })));
    expect(found).not.toContain('EMBEDDINGS_INVALID_TYPE embed');
  });
  test('embeddings: provider_config contains api_key, api_base, container_id, container_kind, model_id', async () => {
    const settings = {
      api_base: 'https://models.example/v1',
      container_id: 'c',
      container_kind: 'space',
      model_id: 'm',
    };
    expect(await problems(full(embeddings({ provider_config: settings })))).toEqual([]);
    expect(await problems(full(embeddings({ provider_config: { ...settings, model_id: 5 } })))).not.toEqual([]);
  });
  test('embeddings: embeddings_column names the output column', async () => {
    const namedOperators = full(
      embeddings({ embeddings_column: 'vectors' }),
      vectordb({ embeddings_column: 'vectors' }),
    );
    expect(await problems(namedOperators)).toEqual([]);
    expect(await problems(full(embeddings({ embeddings_column: 'content' })))).not.toEqual([]);
  });
  test.each(['Documents', 'my documents'])(
    'vectordb: an index_name is lowercase without spaces, not %s',
    async (name) => {
      expect(await problems(full(vectordb({ index_name: name })))).not.toEqual([]);
    },
  );
  test('vectordb: vector_dimension is an integer and may be omitted', async () => {
    expect(await problems(full(vectordb()))).toEqual([]);
    expect(await problems(full(vectordb({ vector_dimension: 'many' })))).not.toEqual([]);
  });
  test.each([
    ['engine', ['nmslib', 'faiss', 'lucene']],
    ['algorithm', ['hnsw']],
    ['space_type', ['l2']],
    ['index_type', ['HNSW']],
    ['metric_type', ['L2']],
    ['index_parameters', [{ M: 16, efConstruction: 100 }]],
  ])('vectordb: provider_config.%s', async (member, values) => {
    for (const value of values)
      expect(await problems(full(vectordb({ provider_config: { [member]: value } })))).toEqual([]);
    expect(await problems(full(vectordb({ provider_config: { [member]: 'something else' } })))).not.toEqual([]);
  });
  test('vectordb: provider_config.host and port', async () => {
    expect(await problems(full(vectordb({ provider_config: { host: 'search.example', port: 9200 } })))).toEqual([]);
    expect(await problems(full(vectordb({ provider_config: { port: 'high' } })))).not.toEqual([]);
  });
  test('sql_filter: filter_criteria is an SQL SELECT string that keeps id, content, pages_processed', async () => {
    expect(await problems(filtered('SELECT * FROM input WHERE pages_processed < 10'))).toEqual([]);
    expect(await problems(filtered('SELECT id, content, pages_processed FROM input'))).toEqual([]);
    expect(await problems(filtered('DELETE FROM input'))).not.toEqual([]);
  });
});

describe('rules of the validation, each with its message code', () => {
  const unknownType = { type: 'quantum' };
  const rows: [rule: string, code: string, flow: Operator[]][] = [
    ['the first operator is an ingest operator', 'INGEST_OPERATOR_MISPLACED', [{ ...extract(), depends_on: [] }]],
    [
      'all operators are connected by edges',
      'DISJOINT_OPERATORS_DETECTED',
      [ingest(), { ...extract(), depends_on: [] }],
    ],
    ['operator names are unique', 'OPERATOR_NAME_REPEATED', [ingest(), extract(), extract()]],
    [
      'an extract operator exists and is connected before a chunker',
      'EXTRACT_OPERATOR_MISSING',
      [ingest(), { ...chunker(), depends_on: ['ingest'] }],
    ],
    ['chunk_type is a valid value', 'CHUNKER_INVALID_CHUNK_TYPE', full(chunker({ chunk_type: 'odd' }))],
    ['the embeddings type is a valid value', 'EMBEDDINGS_INVALID_TYPE', full(embeddings(unknownType))],
    [
      'an SQL filter does not drop mandatory columns',
      'DROPPING_MANDATORY_FEATURES',
      filtered('SELECT id, content FROM input'),
    ],
  ];
  test.each(rows)('%s: %s', async (_rule, code, flow) => {
    const { status, errors } = await verdict(flow);
    expect(status).toBe('FAILED');
    expect(errors).toContainEqual(expect.objectContaining({ code: 'FLOW_VALIDATION_FAILED', message_code: code }));
  });
  test('a flow that keeps all of them succeeds', async () => {
    expect(await verdict(full())).toMatchObject({ status: expect.stringMatching(/^SUCCEEDED/), errors: [] });
  });
});

describe('the name of a document set', () => {
  const create = async (name: string) =>
    (await api.call('POST', '/api/v1/document-sets', { user: alice, body: { name } })).status;
  test.each(['Letters', '0123', 'under_score', 'hyphen-ated', 'x'.repeat(254)])('%s is valid', async (name) => {
    expect(await create(name)).toBe(201);
  });
  test.each(['', 'a blank', 'a.dot', 'ümlaut', 'x'.repeat(255)])('%j is invalid', async (name) => {
    expect(await create(name)).toBe(400);
  });
});

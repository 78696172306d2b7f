import type { FlowDefinition } from '../flow/flow';
import { toElyra, readElyra } from './elyra';

const flow: FlowDefinition = {
  flow_name: 'invoices',
  description: 'All of them.',
  global_config: { force_ingest: true },
  flow: [
    { type: 'ingest_source', name: 'ingest', config: { provider: 'filesystem' }, depends_on: [] },
    {
      type: 'branching',
      name: 'split',
      config: { branches: { large: { criteria_list: ['size > 10'] }, small: { criteria_list: ['size <= 10'] } } },
      depends_on: ['ingest'],
    },
    { type: 'extract_operator', name: 'first', config: {}, depends_on: ['split.large'] },
    { type: 'extract_operator', name: 'second', config: {}, depends_on: ['split.small'] },
    { type: 'vectordb', name: 'index', config: { index_name: 'x' }, depends_on: ['first', 'second'] },
  ],
};
const node = (id: string, op: string, more: Record<string, unknown> = {}) => ({
  id,
  type: 'execution_node',
  op,
  ...more,
});
const document = (nodes: unknown[], more: Record<string, unknown> = {}) => ({
  doc_type: 'pipeline',
  primary_pipeline: 'p',
  pipelines: [{ id: 'p', nodes, ...more }],
});

test('a flow that is written and read again is the same flow, branches included', () => {
  const { flow: read, problems } = readElyra(toElyra(flow));
  expect(problems).toEqual([]);
  expect(read).toEqual({
    flowName: 'invoices',
    description: 'All of them.',
    globalConfig: { force_ingest: true },
    flow: flow.flow,
    edges: [],
    nodes: flow.flow.map(({ name }, index) => ({ id: name, pointer: `/pipelines/0/nodes/${index}` })),
  });
});

test('edges of a flow become links', () => {
  const { flow: first } = readElyra(
    toElyra({
      ...flow,
      flow: [
        { type: 'a', name: 'a' },
        { type: 'b', name: 'b' },
      ],
      edges: [{ source: 'a', target: 'b' }],
    }),
  );
  expect(first.flow.map(({ depends_on }) => depends_on)).toEqual([[], ['a']]);
});

test('nodes are in columns, and the same flow gives the same document', () => {
  const written = toElyra(flow) as {
    pipelines: { nodes: { app_data: { ui_data: { x_pos: number; y_pos: number } } }[] }[];
  };
  const places =
    written.pipelines[0]?.nodes.map(({ app_data }) => [app_data.ui_data.x_pos, app_data.ui_data.y_pos]) ?? [];
  expect(places.map(([x]) => x)).toEqual([60, 280, 500, 500, 720]);
  expect(new Set(places.map(String)).size).toBe(5);
  expect(toElyra(flow)).toEqual(toElyra(structuredClone(flow)));
});

test('names come from labels, otherwise from the operators, and are made unique', () => {
  const { flow: read } = readElyra(
    document([
      node('1', 'ingest_source', { app_data: { ui_data: { label: 'My files' } } }),
      node('2', 'extract_operator', { inputs: [{ id: 'in', links: [{ node_id_ref: '1', port_id_ref: 'out' }] }] }),
      node('3', 'extract_operator', { inputs: [{ id: 'in', links: [{ node_id_ref: '2' }] }] }),
    ]),
  );
  expect(read.flow.map(({ name, depends_on }) => [name, depends_on])).toEqual([
    ['My files', []],
    ['extract_operator', ['My files']],
    ['extract_operator_2', ['extract_operator']],
  ]);
});

test('names and settings of a flow are read from both places', () => {
  const app_data = { ds_flow: { name: 'from ds', global_config: { fail_fast: true } } };
  expect(readElyra(document([], { app_data })).flow).toMatchObject({
    flowName: 'from ds',
    globalConfig: { fail_fast: true },
  });
  const properties = { force_ingest: true };
  expect(readElyra(document([], { app_data: { properties } })).flow.globalConfig).toEqual({ force_ingest: true });
});

test('all problems are reported together, each with its position', () => {
  const { problems } = readElyra({
    ...document([
      node('1', 'ingest_source', { outputs: [{ id: 'out' }] }),
      { id: '2' },
      node('3', 'vectordb', {
        inputs: [{ id: 'in', links: [{ node_id_ref: 'gone' }, { node_id_ref: '1', port_id_ref: 'other' }] }],
      }),
      node('1', 'vectordb'),
      { id: 'note', type: 'comment' },
    ]),
    primary_pipeline: 'elsewhere',
  });
  expect(problems.map(({ pointer }) => pointer).sort()).toEqual([
    '/pipelines/0/nodes/1',
    '/pipelines/0/nodes/2/inputs/0/links/0',
    '/pipelines/0/nodes/2/inputs/0/links/1',
    '/pipelines/0/nodes/3/id',
    '/primary_pipeline',
  ]);
});

test.each([
  ['no kind', {}, ''],
  ['no pipelines', { doc_type: 'pipeline' }, '/pipelines'],
  ['an empty list of pipelines', { doc_type: 'pipeline', pipelines: [] }, '/pipelines'],
  ['nodes that are not a list', { doc_type: 'pipeline', pipelines: [{ nodes: {} }] }, '/pipelines/0/nodes'],
])('%s is a problem', (_name, definition, pointer) => {
  expect(readElyra(definition).problems.map((problem) => problem.pointer)).toEqual([pointer]);
});

test('more than a hundred nodes are too many', () => {
  const nodes = Array.from({ length: 101 }, (_, index) => node(String(index), 'x'));
  expect(readElyra(document(nodes)).problems).toHaveLength(1);
});

test('an authoring flow instead of a definition is accepted', () => {
  const { flow: read, problems } = readElyra({ ...flow });
  expect(problems).toEqual([]);
  expect(read).toMatchObject({ flowName: 'invoices', flow: flow.flow });
});

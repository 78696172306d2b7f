import { Type } from '@sinclair/typebox';
import { chunker } from '../../operators/chunker/schema';
import type { FlowDefinition, FlowOperator } from './flow';
import { findDownstream, readGraph } from './graph';
import type { OperatorDefinition } from './operator';
import { planFlow } from './plan-flow';
import { validateFlow } from './validation';

const definition = (name: string, change: Partial<OperatorDefinition>): OperatorDefinition => ({
  name,
  label: name,
  category: 'Functional',
  scope: 'row',
  queue: 'cpu',
  needs: [],
  reads: [],
  writes: [],
  config: Type.Object({}),
  summary: name,
  ...change,
});
const operators = [
  definition('ingest_source', { category: 'Ingest', scope: 'source', queue: 'io', writes: ['id', 'name', 'path'] }),
  definition('extract_operator', { category: 'Extract', reads: ['path'], writes: ['content', 'pages_processed'] }),
  definition('chunker', {
    place: chunker.place,
    reads: ['content'],
    config: Type.Object({
      chunk_type: Type.Union([Type.Literal('simple')]),
      chunk_size: Type.Optional(Type.Integer({ minimum: 50 })),
    }),
    validate: (config) =>
      config['chunk_type'] === 'simple'
        ? []
        : [
            {
              severity: 'error',
              messageCode: 'CHUNKER_INVALID_CHUNK_TYPE',
              message: 'chunk_type',
              pointer: '/chunk_type',
            },
          ],
  }),
  definition('dedup', { scope: 'table' }),
  definition('vectordb', { category: 'VectorDB', reads: ['content'] }),
];
const op = (type: string, name: string, depends_on?: string[], config?: Record<string, unknown>): FlowOperator => ({
  type,
  name,
  config,
  depends_on,
});
const getFlow = (...flow: FlowOperator[]): FlowDefinition => ({ flow_name: 'test', flow });
const good = () =>
  getFlow(
    op('ingest_source', 'in'),
    op('extract_operator', 'text', ['in']),
    op('chunker', 'chunk', ['text'], { chunk_type: 'simple' }),
    op('vectordb', 'index', ['chunk']),
  );
const codes = (flow: FlowDefinition) => validateFlow(flow, operators).errors.map(({ message_code }) => message_code);

test('a valid flow has neither errors nor warnings', () => {
  expect(validateFlow(good(), operators)).toEqual({ errors: [], warnings: [] });
});

test('edges connect as depends_on does', () => {
  const flow = good();
  for (const operator of flow.flow) delete operator.depends_on;
  flow.edges = [
    { source: 'in', target: 'text' },
    { source: 'text', target: 'chunk' },
    { source: 'chunk', target: 'index' },
  ];
  expect(codes(flow)).toEqual([]);
  expect(planFlow(flow, operators)).toEqual(planFlow(good(), operators));
});

test.each<[string, FlowDefinition, string[]]>([
  [
    'a flow that begins with a chunker',
    getFlow(op('chunker', 'chunk', [], { chunk_type: 'simple' }), op('vectordb', 'index', ['chunk'])),
    ['INGEST_OPERATOR_MISPLACED', 'EXTRACT_OPERATOR_MISSING'],
  ],
  [
    'an operator that is not connected',
    getFlow(...good().flow, op('vectordb', 'alone')),
    ['DISJOINT_OPERATORS_DETECTED'],
  ],
  ['a name used twice', getFlow(...good().flow, op('vectordb', 'index', ['chunk'])), ['OPERATOR_NAME_REPEATED']],
  [
    'a chunker without an extract operator',
    getFlow(op('ingest_source', 'in'), op('chunker', 'chunk', ['in'], { chunk_type: 'simple' })),
    ['EXTRACT_OPERATOR_MISSING'],
  ],
  [
    'an unknown chunk_type',
    getFlow(
      op('ingest_source', 'in'),
      op('extract_operator', 'text', ['in']),
      op('chunker', 'chunk', ['text'], { chunk_type: 'odd' }),
    ),
    ['CHUNKER_INVALID_CHUNK_TYPE'],
  ],
  [
    'a cycle',
    getFlow(op('ingest_source', 'in'), op('extract_operator', 'a', ['in', 'b']), op('extract_operator', 'b', ['a'])),
    ['CYCLIC_DEPENDENCY_DETECTED'],
  ],
  [
    'a dependency on a missing operator',
    getFlow(op('ingest_source', 'in'), op('extract_operator', 'text', ['in', 'nobody'])),
    ['DEPENDENCY_NOT_FOUND'],
  ],
  [
    'an unknown operator alone, without the columns that it would provide',
    getFlow(
      op('ingest_source', 'in'),
      op('magic', 'text', ['in']),
      op('chunker', 'chunk', ['text'], { chunk_type: 'simple' }),
    ),
    ['OPERATOR_NOT_AVAILABLE'],
  ],
  ['an unknown operator', getFlow(op('ingest_source', 'in'), op('magic', 'text', ['in'])), ['OPERATOR_NOT_AVAILABLE']],
  [
    'columns that no operator provides',
    getFlow(op('ingest_source', 'in'), op('vectordb', 'index', ['in'])),
    ['MISSING_FEATURES'],
  ],
  [
    'a configuration out of bounds',
    getFlow(
      op('ingest_source', 'in'),
      op('extract_operator', 'text', ['in']),
      op('chunker', 'chunk', ['text'], { chunk_type: 'simple', chunk_size: 1 }),
    ),
    ['OPERATOR_VALIDATION_FAILED'],
  ],
  [
    'a global_config of a wrong type',
    { ...good(), global_config: { force_ingest: 'yes' as unknown as boolean } },
    ['INVALID_GLOBAL_CONFIG'],
  ],
  [
    'a confirmation for a single run as a setting of the flow',
    { ...good(), global_config: { confirm_empty_source: true } },
    ['INVALID_GLOBAL_CONFIG'],
  ],
])('%s is reported', (_name, flow, expected) => {
  expect(codes(flow)).toEqual(expected);
});

test('several problems are reported together, each with its pointer', () => {
  const { errors } = validateFlow(
    getFlow(
      op('ingest_source', 'in'),
      op('extract_operator', 'text', ['in']),
      op('chunker', 'chunk', ['text'], { chunk_type: 'odd', chunk_size: 1 }),
      op('magic', 'm', ['chunk']),
    ),
    operators,
  );
  expect(errors.map(({ message_code, pointer }) => [message_code, pointer])).toEqual([
    ['OPERATOR_NOT_AVAILABLE', '/flow/3/type'],
    ['CHUNKER_INVALID_CHUNK_TYPE', '/flow/2/config/chunk_type'],
    ['OPERATOR_VALIDATION_FAILED', '/flow/2/config/chunk_size'],
  ]);
});

test('messages do not show passwords of addresses that they quote', () => {
  const web = definition('web', {
    category: 'Ingest',
    scope: 'source',
    config: Type.Object({ url: Type.String() }),
    validate: ({ url }) => [
      {
        severity: 'error',
        messageCode: 'CHUNKER_INVALID_CHUNK_TYPE',
        message: `'${String(url)}' is odd.`,
        pointer: '/url',
      },
    ],
  });
  const url = 'htps://bob:hunter2@example.org/?api_key=k-1';
  const flow = [{ type: 'web', name: 'a', config: { url }, depends_on: [] }];
  const { errors } = validateFlow({ flow_name: 'x', flow }, [web]);
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("'htps://bob:********@example.org/?api_key=********' is odd."),
  ]);
});

test('an unknown setting and a flow without an output are warnings', () => {
  const flow = getFlow(
    op('ingest_source', 'in', [], { chunking_strategy: 'x' }),
    op('extract_operator', 'text', ['in']),
  );
  const { errors, warnings } = validateFlow(flow, operators);
  expect(errors).toEqual([]);
  expect(warnings.map(({ message_code }) => message_code)).toEqual([
    'GENERATE_OUTPUT_MISSING',
    'UNKNOWN_CONFIGURATION_KEY',
  ]);
});

test('the plan is divided where an operator needs all rows', () => {
  const flow = getFlow(
    op('ingest_source', 'in'),
    op('extract_operator', 'text', ['in']),
    op('dedup', 'once', ['text']),
    op('vectordb', 'index', ['once']),
  );
  const { sources, stages } = planFlow(flow, operators);
  expect(sources.map(({ name }) => name)).toEqual(['in']);
  expect(stages.map(({ scope, operators: planned }) => [scope, planned.map(({ name }) => name)])).toEqual([
    ['row', ['text']],
    ['table', ['once']],
    ['row', ['index']],
  ]);
});

test('a plan always ends with a stage over parts', () => {
  expect(planFlow(getFlow(op('ingest_source', 'in')), operators).stages).toEqual([{ scope: 'row', operators: [] }]);
});

test('a long chain of operators is validated without deep recursion', () => {
  const chain = Array.from({ length: 2_000 }, (_, index) =>
    op('extract_operator', `e${index}`, [index === 0 ? 'in' : `e${index - 1}`]),
  );
  expect(codes(getFlow(op('ingest_source', 'in'), ...chain))).toEqual([]);
});

test('a flow without operators may not run', () => {
  expect(validateFlow({ flow_name: 'begun', flow: [] }, []).errors).toMatchObject([
    { message_code: 'DAG_PIPELINE_MISSING', pointer: '/flow' },
  ]);
});

const plainNoop = (name: string, depends_on: string[]) => ({ type: 'noop', name, depends_on });

test('downstream of a type is everything after it, not itself', () => {
  const graph = readGraph({
    flow_name: 'f',
    flow: [
      plainNoop('a', []),
      { ...plainNoop('b', ['a']), type: 'extract' },
      plainNoop('c', ['b']),
      plainNoop('d', ['c']),
      plainNoop('e', ['a']),
    ],
  });
  expect([...findDownstream(graph, 'extract')]).toEqual(['c', 'd']);
});

test('the producers of an operator are listed once, whichever branches they feed', () => {
  const graph = readGraph({ flow_name: 'f', flow: [plainNoop('a', []), plainNoop('b', ['a.x', 'a.y', 'a'])] });
  expect(graph.inputs.get('b')).toEqual(['a.x', 'a.y', 'a']);
  expect(graph.producers.get('b')).toEqual(['a']);
});

test('more than 10,000 connections are a single error, and nothing else is checked', () => {
  const names = Array.from({ length: 600 }, (_, index) => `o${index}`);
  const { errors } = validateFlow({ flow_name: 'f', flow: names.map((name) => plainNoop(name, names)) }, []);
  expect(errors.map(({ message_code }) => message_code)).toEqual(['TOO_MANY_CONNECTIONS']);
  expect(errors[0]?.message).toContain('360000 connections');
});

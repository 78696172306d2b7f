import { Type } from '@sinclair/typebox';
import { chunker } from '../../operators/chunker/schema';
import { embeddings } from '../../operators/embeddings/schema';
import { extractOperator } from '../../operators/extract_operator/schema';
import { merge } from '../../operators/merge/schema';
import type { FlowDefinition, FlowOperator } from './flow';
import type { OperatorDefinition } from './operator';
import { validateFlow } from './validation';

const define = (name: string, definition: Partial<OperatorDefinition> = {}): OperatorDefinition => ({
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
  ...definition,
});
const operators = [
  define('ingest_source', { category: 'Ingest', scope: 'source', writes: ['id'] }),
  define('extract_operator', { writes: ['content'], place: extractOperator.place }),
  define('chunker', { writes: ['chunk_index'], place: chunker.place }),
  define('embeddings', { writes: ['embeddings'], place: embeddings.place }),
  define('merge', { drops: merge.drops, place: merge.place }),
  define('odd', {
    validate: () => {
      throw new Error('no such thing');
    },
  }),
  define('vectordb', { category: 'VectorDB' }),
];
const op = (
  type: string,
  name: string,
  depends_on: string[] = [],
  config: Record<string, unknown> = {},
): FlowOperator => ({
  type,
  name,
  depends_on,
  config,
});
const check = (operatorsOfFlow: FlowOperator[], more: Partial<FlowDefinition> = {}) =>
  validateFlow({ flow_name: 'f', flow: operatorsOfFlow, ...more }, operators);
const brief = (alerts: ReturnType<typeof check>['errors']) =>
  alerts.map(({ message_code, node_name, pointer }) => [message_code, node_name, pointer]);

test('columns that every row must keep are neither dropped nor renamed', () => {
  const { errors } = check([
    op('ingest_source', 'in', [], { output_features_to_drop: ['name', 'id'] }),
    op('extract_operator', 'extract', ['in'], {
      updated_features: [
        { old_feature: 'name', new_feature: 'n' },
        { old_feature: 'content', new_feature: 'c' },
      ],
    }),
    op('vectordb', 'out', ['extract']),
  ]);
  expect(brief(errors)).toEqual([
    ['MANDATORY_FEATURES_DROPPED', 'in', '/flow/0/config/output_features_to_drop/1'],
    ['RENAMING_MANDATORY_FEATURES', 'extract', '/flow/1/config/updated_features/1'],
  ]);
});

test('a merge needs two inputs and drops no mandatory column', () => {
  const { errors } = check([
    op('ingest_source', 'in'),
    op('merge', 'both', ['in'], { features_to_drop: ['content'] }),
    op('vectordb', 'out', ['both']),
  ]);
  expect(brief(errors)).toEqual([
    ['MANDATORY_FEATURES_DROPPED', 'both', '/flow/1/config/features_to_drop/0'],
    ['MERGE_INPUT_LINKS_INSUFFICIENT', 'both', '/flow/1/depends_on'],
  ]);
});

test('documents that are read twice and vectors of whole documents are warnings', () => {
  const { errors, warnings } = check([
    op('ingest_source', 'in'),
    op('extract_operator', 'one', ['in']),
    op('extract_operator', 'two', ['one']),
    op('embeddings', 'embed', ['two']),
    op('vectordb', 'out', ['embed']),
  ]);
  expect(errors).toEqual([]);
  expect(brief(warnings)).toEqual([
    ['MULTIPLE_EXTRACTED_DETECTED', 'two', '/flow/2'],
    ['CHUNKER_OPERATOR_MISSING', 'embed', '/flow/3'],
  ]);
});

test('unknown members of global_config are warnings; those of an operator are accepted', () => {
  const input: Record<string, unknown> = { force_ingest: true, embeddings: {}, out: {}, 'a/b': 1 };
  const { warnings } = check([op('ingest_source', 'in'), op('vectordb', 'out', ['in'])], { global_config: input });
  expect(brief(warnings)).toEqual([['UNKNOWN_CONFIGURATION_KEY', undefined, '/global_config/a~1b']]);
});

test('a check that throws is reported as a problem of its operator', () => {
  const { errors } = check([op('ingest_source', 'in'), op('odd', 'odd', ['in']), op('vectordb', 'out', ['odd'])]);
  expect(errors).toMatchObject([
    { message_code: 'OPERATOR_VALIDATION_FAILED', node_name: 'odd', pointer: '/flow/1/config' },
  ]);
});

test('every finding has a position and the operator that it concerns', () => {
  const { errors, warnings } = check(
    [
      op('ingest_source', 'in'),
      op('chunker', 'a', ['b', 'in']),
      op('chunker', 'b', ['a']),
      op('none', 'alone'),
      op('vectordb', 'out', ['nowhere']),
      op('extract_operator', 'last', ['in'], { 'x~y/z': 1 }),
    ],
    { edges: [{ source: 'ghost', target: 'in' }] },
  );
  const all = [...errors, ...warnings];
  expect(new Set(all.map(({ message_code }) => message_code)).size).toBeGreaterThanOrEqual(7);
  expect(all.filter(({ pointer }) => !pointer.startsWith('/'))).toEqual([]);
  expect(all.filter(({ node_name }) => node_name === undefined)).toEqual([]);
  expect(warnings.map(({ pointer }) => pointer)).toContain('/flow/5/config/x~0y~1z');
});

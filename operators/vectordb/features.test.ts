import type { ColumnFacts } from '../../model/flow/columns';
import { findDeclaredColumns } from '../../model/flow/flow-columns';
import { documentRow } from '../../test/support/operators/operator-test-support';
import { findOperator } from '../index';
import { findFeatureProblems, listFeatures, readFeatures } from './features';
import type { VectordbConfig } from './schema';

const config = (more: Partial<VectordbConfig> = {}): VectordbConfig => ({ index_name: 'docs', ...more });
const facts = (type: string, indexed = true): ColumnFacts => ({ type, indexed, description: '' });
const declared = new Map<string, ColumnFacts>([
  ['lang_name', facts('string')],
  ['score', facts('double')],
  ['secret', facts('string', false)],
  ['vectors', facts('vector')],
  ['content', facts('string')],
]);
const fields = (more: Partial<VectordbConfig>) =>
  listFeatures(config(more), declared).map(({ column, field, type }) => `${column} ${field} ${type}`);

test('declared columns are written under their name; vectors and columns with their own fields are not', () => {
  expect(fields({})).toEqual(['lang_name lang_name text', 'score score number']);
});

test('a flow adds columns with their types, removes declared ones, and renames', () => {
  expect(
    fields({
      available_features: {
        due: { type: 'date', available_for_vector_db: true },
        lang_name: { available_for_vector_db: false },
        noted: { type: 'string' },
      },
      feature_mappings: { score: 'metadata.rating', secret: 'quoted.part', headline: 'title' },
    }),
  ).toEqual(['score rating number', 'due due date', 'secret quoted.part text', 'headline title text']);
});

test.each(['allowed_users', 'metadata.allowed_users', 'allowed_users.x', 'id', 'run_id', 'embedding', '', 'a..b'])(
  'no column is written as %j',
  (field) => {
    expect(fields({ feature_mappings: { due: field } })).not.toContainEqual(expect.stringContaining('due'));
    expect(findFeatureProblems(config({ feature_mappings: { due: field } }), new Set())).toMatchObject([
      { severity: 'warning', messageCode: 'FEATURE_MAPPING_IGNORED' },
    ]);
  },
);

test('mappings of other systems to standard fields are accepted', () => {
  const mapped = { content: 'content', allowed_users: 'allowed_users', id: 'id' };
  expect(fields({ feature_mappings: mapped })).toEqual(fields({}));
  expect(findFeatureProblems(config({ feature_mappings: mapped }), new Set())).toEqual([]);
});

test('a column without a producer is a warning of validation', () => {
  const input = config({
    feature_mappings: { gone: 'x' },
    available_features: { due: { available_for_vector_db: true } },
  });
  expect(findFeatureProblems(input, new Set(['due']))).toMatchObject([
    { messageCode: 'MISSING_FEATURES', pointer: '/feature_mappings/gone' },
  ]);
  expect(findFeatureProblems(input, new Set(['*']))).toEqual([]);
});

test('values keep their types; objects give their plain members, empty values nothing', () => {
  const row = documentRow('a', 'x', {
    total: '12.5',
    due: '2024-05-01',
    none: null,
    entities: { total: 3, names: ['a', 'b'], items: [{ a: 1 }], address: { city: 'x' }, empty: null },
  });
  const types = { total: 'number', due: 'date', none: 'text', entities: 'text' } as const;
  const features = Object.entries(types).map(([column, type]) => ({ column, field: column, type }));
  expect(readFeatures(row, features)).toEqual({
    total: 12.5,
    due: '2024-05-01',
    entities: { total: 3, names: ['a', 'b'] },
  });
});

describe('declared columns of a flow', () => {
  const step = (type: string, name: string, after: string | undefined, more: Record<string, unknown> = {}) => ({
    type,
    name,
    config: more,
    ...(after === undefined ? {} : { depends_on: [after] }),
  });
  const getColumns = (...steps: ReturnType<typeof step>[]) =>
    findDeclaredColumns({ flow_name: 'f', flow: steps }, steps.at(-1)?.name ?? '', findOperator);
  const ingest = step('ingest_source', 'ingest', undefined);
  const extract = step('extract_operator', 'extract', 'ingest');

  test('have the names from the flow', () => {
    const columns = getColumns(
      ingest,
      extract,
      step('document_classifier', 'class', 'extract', { output_column: 'kind' }),
      step('vectordb', 'index', 'class'),
    );
    expect(columns.get('kind')).toMatchObject({ type: 'string', indexed: true });
    expect(columns.has('document_type')).toBe(false);
    expect(columns.get('size')).toMatchObject({ indexed: true });
  });

  test('that quote the text are not indexed if the text is masked, unless the flow enables it', () => {
    const index = step('vectordb', 'index', 'extract');
    expect(getColumns(ingest, extract, index).get('entities')?.indexed).toBe(true);
    const masked = getColumns(
      ingest,
      extract,
      step('redaction', 'mask', 'extract', { redaction_regex: ['x'] }),
      step('vectordb', 'index', 'mask'),
    );
    expect(masked.get('entities')?.indexed).toBe(false);
    expect(listFeatures(config(), masked).map(({ column }) => column)).not.toContain('entities');
    expect(listFeatures(config({ feature_mappings: { entities: 'facts' } }), masked)).toContainEqual({
      column: 'entities',
      field: 'facts',
      type: 'text',
    });
  });
});

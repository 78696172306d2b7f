import { operators } from '../../operators/index';
import type { FlowOperator } from './flow';
import { validateFlow } from './validation';

const step = (type: string, config: Record<string, unknown>, name = type): FlowOperator => ({ type, name, config });
const ingest = step('ingest_source', { paths: ['x'] });
const extract = step('extract_operator', {});
const store = step('document_set', { document_set_name: 's' });

/** The codes and pointers of the errors of a flow whose operators form a chain. */
function findErrors(...steps: FlowOperator[]): string[] {
  const edges = steps.slice(1).map(({ name }, index) => ({ source: steps[index]?.name ?? '', target: name }));
  const { errors } = validateFlow({ flow_name: 'f', flow: steps, edges }, operators);
  return errors.map(({ message_code: code, pointer }) => `${code} ${pointer}`);
}

test('a column that a setting names must come from an earlier operator', () => {
  const mask = (doc_column: string) => step('redaction', { redaction_regex: ['x'], doc_column });
  expect(findErrors(ingest, extract, mask('contents'), store)).toEqual(['MISSING_FEATURES /flow/2/config/doc_column']);
  expect(findErrors(ingest, extract, mask('name'), store)).toEqual([]);
  const other = step('extract_operator', { text_extraction: { provider: 'local', doc_column: 'body' } });
  expect(findErrors(ingest, other, mask('body'), store)).toEqual([]);
  const vectors = step('vectordb', { index_name: 'i', embeddings_column: 'vectors' });
  const embed = step('embeddings', { type: 'hashing', embeddings_column: 'vectors' });
  const chunk = step('chunker', {});
  expect(findErrors(ingest, extract, chunk, embed, vectors)).toEqual([]);
  expect(findErrors(ingest, extract, chunk, step('embeddings', { type: 'hashing' }), vectors)).toEqual([
    'MISSING_FEATURES /flow/4/config/embeddings_column',
  ]);
});

test('criteria may use the columns that earlier settings name', () => {
  const filter = (variable: string) =>
    step('sql_filter', { criteria_json: { variable, operator: '>', value: 0 } }, `of_${variable}`);
  const mask = step('redaction', { redaction_regex: ['x'], stats_column: 'masked' });
  expect(findErrors(ingest, extract, mask, filter('masked'), store)).toEqual([]);
  expect(findErrors(ingest, extract, mask, filter('marked'), store)).toEqual([
    'SQL_FILTER_INVALID_COLUMN /flow/3/config/criteria_json',
  ]);
});

test('after an operator that may add any column, columns are checked only when the flow runs', () => {
  const query = step('sql_filter', { filter_criteria: 'SELECT *, 1 AS rank FROM input' });
  const ranked = step('ededup', { doc_column: 'rank' });
  expect(findErrors(ingest, extract, query, ranked, store)).toEqual([]);
  expect(findErrors(ingest, extract, ranked, store)).toEqual(['MISSING_FEATURES /flow/2/config/doc_column']);
});

test('documents that keep their tables in a column may be cut, unlike rows of tables', () => {
  const tables = (output: string) => step('table_rows', { output });
  expect(findErrors(ingest, extract, tables('column'), step('chunker', {}), store)).toEqual([]);
  expect(findErrors(ingest, extract, tables('rows'), step('chunker', {}), store)).toEqual([
    'CHUNKER_OPERATOR_MISPLACED /flow/3/config',
  ]);
});

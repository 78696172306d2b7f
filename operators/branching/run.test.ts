import { createSqlRunner } from '../../services/table/sql';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { run } from './run';
import { branching, type BranchingConfig } from './schema';

const sql = createSqlRunner();
afterAll(() => sql.close());
const rows = [60, 80, 98, 120].map((words) => documentRow(`w${words}`, 'x', { docq_total_words: words }));
const names = (list: readonly { id: string }[] = []) => list.map(({ id }) => id);
const route = (branches: BranchingConfig['branches'], input = rows) => run(input, { branches }, contextFor({ sql }));

test('rows go to the branch whose criteria they meet, in each notation', async () => {
  const result = await route({
    long: {
      criteria_json: {
        logical_operator: 'AND',
        criteria_list: [{ variable: 'docq_total_words', operator: '>=', value: 98 }],
      },
    },
    middle: { criteria_list: ['docq_total_words >= 78', 'docq_total_words < 98'], logical_operator: 'AND' },
    short: { criteria_json: { variable: 'docq_total_words', operator: '<', value: 78 } },
  });
  expect(Object.fromEntries(Object.entries(result.branches ?? {}).map(([name, own]) => [name, names(own)]))).toEqual({
    long: ['w98', 'w120'],
    middle: ['w80'],
    short: ['w60'],
  });
  expect(names(result.rows)).toEqual(names(rows));
  expect(result.skipped).toEqual([]);
  expect(result.metrics).toEqual({ branch_long: 2, branch_middle: 1, branch_short: 1 });
});

test('overlapping branches each receive the row, and a branch without criteria receives every row', async () => {
  const { branches, rows: taken } = await route({ big: { criteria_list: ['docq_total_words > 70'] }, all: {} });
  expect(names(branches?.['big'])).toEqual(['w80', 'w98', 'w120']);
  expect(names(branches?.['all'])).toEqual(names(rows));
  expect(names(taken)).toEqual(names(rows));
});

test('a row that matches no branch is skipped, and NULL matches no criterion', async () => {
  const input = [...rows, documentRow('none', 'x')];
  const { rows: taken, skipped } = await route({ big: { criteria_list: ['docq_total_words > 90'] } }, input);
  expect(names(taken)).toEqual(['w98', 'w120']);
  expect(skipped).toEqual(['w60', 'w80', 'none'].map((id) => ({ id, name: `${id}.md`, reason: 'No branch takes it' })));
});

test('a document is not skipped if one of its chunks matches', async () => {
  const chunks = [0, 1].map((index) => documentRow(`d_${index}`, 'x', { document_id: 'd', chunk_index: index }));
  const { skipped, branches } = await route({ first: { criteria_list: ['chunk_index = 0'] } }, chunks);
  expect(skipped).toEqual([]);
  expect(names(branches?.['first'])).toEqual(['d_0']);
});

test('a branch may drop columns, except mandatory ones and access lists', async () => {
  const { branches } = await route({
    lean: { features_to_drop: ['docq_total_words', 'allowed_users', 'content'] },
    full: {},
  });
  expect(branches?.['lean']?.[0]).toMatchObject({ id: 'w60', content: 'x', allowed_users: ['alice'] });
  expect(branches?.['lean']?.[0]).not.toHaveProperty('docq_total_words');
  expect(branches?.['full']?.[0]).toHaveProperty('docq_total_words', 60);
});

test('a condition that fails fails the operator with SQL_FILTER_ERROR', async () => {
  await expect(route({ odd: { criteria_list: ['no_such_column = 1'] } })).rejects.toMatchObject({
    code: 'SQL_FILTER_ERROR',
  });
  await expect(
    route({ odd: { criteria_list: ["content IN (SELECT content FROM read_text('/etc/passwd'))"] } }),
  ).rejects.toMatchObject({
    code: 'SQL_FILTER_ERROR',
  });
});

test('problems of a branch are reported with their position', () => {
  const problems = (branches: unknown) =>
    branching.validate({ branches }, new Set(['id'])).map(({ messageCode, pointer }) => `${messageCode} ${pointer}`);
  expect(problems({})).toEqual(['OPERATOR_VALIDATION_FAILED /branches']);
  expect(problems({ 'a.b': {} })).toEqual(['OPERATOR_VALIDATION_FAILED /branches/a.b']);
  expect(problems({ a: { criteria_json: { variable: 'x', operator: '=', value: 1 } } })).toEqual([
    'SQL_FILTER_INVALID_COLUMN /branches/a/criteria_json',
  ]);
  expect(problems({ a: { criteria_list: ['x ='], features_to_drop: ['id'] }, b: { criteria_list: ['('] } })).toEqual([
    'DROPPING_MANDATORY_FEATURES /branches/a/features_to_drop',
    'OPERATOR_VALIDATION_FAILED /branches/b/criteria_list/0',
  ]);
  expect(branching.branches({ branches: { a: {}, b: {} } })).toEqual(['a', 'b']);
  expect(branching.branches({ branches: 'odd' })).toEqual([]);
});

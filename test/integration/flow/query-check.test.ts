import type { FlowDefinition } from '../../../model/flow/flow';
import { operators } from '../../../operators';
import { createQueryCheck } from '../../../services/flow/query-check';
import { createSqlRunner } from '../../../services/table/sql';

const sql = createSqlRunner();
afterAll(() => sql.close());
const check = createQueryCheck({ sql, operators });

const flowWith = (config: Record<string, unknown>, before: FlowDefinition['flow'] = []): FlowDefinition => ({
  flow_name: 'f',
  flow: [
    { type: 'ingest_source', name: 'ingest', config: {} },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    ...before,
    { type: 'sql_filter', name: 'filter', depends_on: [before.at(-1)?.name ?? 'extract'], config },
  ],
});
const problems = async (flow: FlowDefinition) =>
  (await check.findProblems(flow, new Set(), new AbortController().signal)).map(
    ({ message_code, pointer, message }) => ({
      found: [message_code, pointer],
      message,
    }),
  );
const language: FlowDefinition['flow'] = [{ type: 'lang_detect', name: 'lang', depends_on: ['extract'] }];

test.each([
  'SELECT * FROM input WHERE pages_processed > 2 ORDER BY size DESC LIMIT 3',
  "SELECT *, metadata->>'k' AS k, row_number() OVER (PARTITION BY source) AS n FROM input",
  'SELECT any_value(id) AS id, content, max(pages_processed) AS pages_processed FROM input GROUP BY content',
  'SELECT * RENAME (size AS bytes) FROM input',
  "FROM input WHERE list_contains(allowed_users, 'alice')",
])('%s can run', async (filter_criteria) => {
  expect(await problems(flowWith({ filter_criteria }))).toEqual([]);
});

test.each([
  ['SELECT * RENAME (id AS x) FROM input', 'DROPPING_MANDATORY_FEATURES', 'drops id'],
  ['SELECT * EXCLUDE (content) FROM (FROM input)', 'DROPPING_MANDATORY_FEATURES', 'drops content'],
  ['SELECT * FROM documents', 'OPERATOR_VALIDATION_FAILED', 'Table with name documents does not exist'],
  ['FROM documents', 'OPERATOR_VALIDATION_FAILED', 'The table is named input'],
  ['SELECT * FROM input WHERE pages > 3', 'SQL_FILTER_INVALID_COLUMN', 'Referenced column "pages" not found'],
  ['SELECT input.pages, * FROM input', 'SQL_FILTER_INVALID_COLUMN', 'pages'],
  ['SELECT * EXCLUDE (pages) FROM input', 'SQL_FILTER_INVALID_COLUMN', 'pages'],
  ['SELECT * FROM input ORDER BY nothing', 'SQL_FILTER_INVALID_COLUMN', 'nothing'],
  ['SELECT *, nofunction(id) FROM input', 'OPERATOR_VALIDATION_FAILED', 'nofunction does not exist'],
  ['SELECT * FROM input WHERE sum(size) > 3', 'OPERATOR_VALIDATION_FAILED', 'WHERE clause cannot contain aggregates'],
  ['SELECT * FROM input WHERE size > ', 'OPERATOR_VALIDATION_FAILED', 'Parser Error'],
  ["SELECT * FROM read_csv('/etc/passwd')", 'OPERATOR_VALIDATION_FAILED', ''],
  ['SELECT * FROM input; SELECT 1', 'OPERATOR_VALIDATION_FAILED', 'one statement'],
])('%s is %s', async (filter_criteria, code, text) => {
  const [problem, ...others] = await problems(flowWith({ filter_criteria }));
  expect(others).toEqual([]);
  expect(problem).toEqual({
    found: [code, '/flow/2/config/filter_criteria'],
    message: expect.stringContaining(text) as string,
  });
});

test('columns of earlier operators count, and so do conditions', async () => {
  const filter_criteria = "SELECT * FROM input WHERE lang_name = 'en'";
  expect(await problems(flowWith({ filter_criteria }, language))).toEqual([]);
  expect(await problems(flowWith({ filter_criteria }))).toMatchObject([
    { found: ['SQL_FILTER_INVALID_COLUMN', '/flow/2/config/filter_criteria'] },
  ]);
  expect(await problems(flowWith({ criteria_list: ['sise > 3'] }))).toMatchObject([
    { found: ['SQL_FILTER_INVALID_COLUMN', '/flow/2/config/criteria_list'] },
  ]);
  expect(await problems(flowWith({ criteria_list: ['size > 3', "name LIKE '%.pdf'"] }))).toEqual([]);
});

test('after a query that may add columns, only definite problems are reported', async () => {
  const first: FlowDefinition['flow'] = [
    {
      type: 'sql_filter',
      name: 'first',
      depends_on: ['extract'],
      config: { filter_criteria: 'SELECT *, 1 AS own FROM input' },
    },
  ];
  expect(await problems(flowWith({ filter_criteria: 'SELECT * FROM input WHERE own = 1' }, first))).toEqual([]);
  expect(await problems(flowWith({ filter_criteria: 'SELECT * FROM documents WHERE own = 1' }, first))).toHaveLength(1);
});

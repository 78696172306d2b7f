import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { listProblems } from '../../model/validate';
import type { OperatorContext } from '../operator';
import { run } from './run';
import { sqlFilter } from './schema';

const rows: Row[] = [
  { id: '1', name: 'a', path: '/a', content: 'x', pages_processed: 1, allowed_users: ['alice'], metadata: { k: 1 } },
  { id: '2', name: 'b', path: '/b', content: 'y', pages_processed: 2, allowed_users: ['bob'] },
];

function context(select: (sql: string) => Row[]) {
  const asked: string[] = [];
  const value: OperatorContext<'sql'> = {
    signal: new AbortController().signal,
    progress: () => undefined,
    operator: 'filter',
    run: {
      runId: 'r',
      jobId: 'j',
      owner: 'o',
      startedAt: '',
      forceIngest: false,
      planHash: '',
      flow: { flow_name: 'f', flow: [] },
    },
    services: {
      sql: {
        select: async (_rows, sql) => {
          asked.push(sql);
          return select(sql);
        },
        listResultColumns: async () => [],
        close: async () => undefined,
      },
    },
  };
  return { value, asked };
}
const result = async (values: object[], input = rows, config = { filter_criteria: 'SELECT …' }) =>
  run(input, config, context(() => values as Row[]).value);

test('rows that the query leaves out are skipped and counted', async () => {
  const { rows: kept, skipped, metrics } = await result([rows[1] as Row]);
  expect(kept).toEqual([rows[1]]);
  expect(skipped).toEqual([{ id: '1', name: 'a', reason: 'Left out by the SQL filter' }]);
  expect(metrics).toEqual({ docs_before_filter: 2, docs_after_filter: 1 });
});

test('a document with some remaining chunks is not skipped', async () => {
  const chunks = [0, 1].map((index): Row => ({
    ...(rows[0] as Row),
    id: `1_${index}`,
    document_id: '1',
    chunk_index: index,
  }));
  const { rows: kept, skipped, metrics } = await result([chunks[1] as Row], chunks);
  expect(kept).toEqual([chunks[1]]);
  expect(skipped).toEqual([]);
  expect(metrics).toEqual({ docs_before_filter: 1, docs_after_filter: 1 });
});

test('identifying columns and access lists survive a short select list', async () => {
  const { rows: kept } = await result([{ id: '1', content: 'X', pages_processed: 1 }]);
  expect(kept).toEqual([
    { id: '1', name: 'a', path: '/a', content: 'X', pages_processed: 1, allowed_users: ['alice'] },
  ]);
});

test('a query can remove readers but not add any, and cannot change where a document comes from', async () => {
  const own = { ...(rows[0] as Row), allowed_users: ['alice', 'bob'], source: 's', document_ref: 'documents/1.json' };
  const asked = { ...own, name: 'other', path: '/others', source: 't', document_ref: 'documents/2.json' };
  const getReaders = async (allowed_users: unknown) => {
    const { rows: kept } = await result([{ ...asked, allowed_users }], [own]);
    const [{ path, source, document_ref, name } = {}] = kept;
    expect({ path, source, document_ref, name }).toEqual({
      path: '/a',
      source: 's',
      document_ref: 'documents/1.json',
      name: 'other',
    });
    return kept[0]?.allowed_users;
  };
  expect(await getReaders(['mallory', 'bob'])).toEqual(['bob']);
  expect(await getReaders([])).toEqual([]);
  expect(await getReaders(undefined)).toEqual(['alice', 'bob']);
  expect(await getReaders('mallory')).toEqual([]);
});

test('a query cannot add a column that places a document elsewhere to a row that lacks it', async () => {
  const added = { document_id: 'of alice', document_ref: 'documents/job/of-alice.json', parent_id: 'of alice' };
  const [kept] = (await result([{ ...(rows[0] as Row), ...added }])).rows;
  expect(kept).toMatchObject({ document_id: null, document_ref: null, parent_id: null });
});

test('column names match those of the flow in any letter case', async () => {
  const { rows: kept } = await result([{ ID: '2', Content: 'y', PAGES_PROCESSED: 2, Own: 1 }]);
  expect(kept).toEqual([
    { id: '2', name: 'b', path: '/b', content: 'y', pages_processed: 2, allowed_users: ['bob'], Own: 1 },
  ]);
});

test.each([
  [[{ content: 'x', pages_processed: 1 }], 'lacks the column id'],
  [[{ id: '1', pages_processed: 1 }], 'lacks the column content'],
  [[{ id: '1', content: 'x' }], 'lacks the column pages_processed'],
  [[{ id: '3', content: 'x', pages_processed: 1 }], 'holds an id that is not in the input'],
  [[{ id: 1, content: 'x', pages_processed: 1 }], 'holds an id that is not in the input'],
  [[rows[0] as Row, rows[0] as Row], 'holds the id "1" more than once'],
])('the result %j is rejected', async (value, reason) => {
  await expect(result(value)).rejects.toMatchObject({
    code: 'SQL_FILTER_ERROR',
    message: expect.stringContaining(reason) as string,
  });
});

test('a column without values in the input may be absent', async () => {
  const { rows: kept } = await result([{ id: '1' }], [{ id: '1', name: 'a', path: '/a' }]);
  expect(kept).toEqual([{ id: '1', name: 'a', path: '/a' }]);
});

test('a query that fails fails the operator', async () => {
  const failing = context(() => {
    throw new AppError('SQL_FILTER_ERROR', 'no');
  });
  await expect(run(rows, { criteria_list: ['nope'] }, failing.value)).rejects.toMatchObject({
    code: 'SQL_FILTER_ERROR',
  });
});

test('criteria ask for ids only and keep the rows as they are', async () => {
  const { value, asked } = context(() => [{ id: '2' } as Row]);
  expect((await run(rows, { criteria_list: ['a = 1'], logical_operator: 'OR' }, value)).rows).toEqual([rows[1]]);
  expect((await run(rows, { criteria_json: { variable: 'size', operator: '>', value: 1 } }, value)).rows).toEqual([
    rows[1],
  ]);
  expect(asked).toEqual(['SELECT id FROM input WHERE (\na = 1\n)', 'SELECT id FROM input WHERE ("size" > 1)']);
});

test('criteria send only the columns that they may use', async () => {
  const sent: string[][] = [];
  const { value } = context(() => []);
  const listening = {
    ...value,
    services: {
      sql: {
        ...value.services.sql,
        select: async (input: readonly Row[]) => (sent.push(Object.keys(input[0] ?? {})), []),
      },
    },
  };
  for (const fragment of [`lower("NAME") = 'x'`, 'len(COLUMNS(*)) > 1', 'row_to_json(input) IS NULL'])
    await run(rows, { criteria_list: [fragment] }, listening);
  expect(sent).toEqual([['id', 'name'], Object.keys(rows[0] as Row), Object.keys(rows[0] as Row)]);
});

test('features_to_drop removes columns afterwards, but none that the flow needs', async () => {
  const { rows: kept } = await run(
    rows.slice(0, 1),
    { features_to_drop: ['metadata', 'id', 'allowed_users', 'unknown'] },
    context(() => []).value,
  );
  expect(kept).toEqual([
    { id: '1', name: 'a', path: '/a', content: 'x', pages_processed: 1, allowed_users: ['alice'] },
  ]);
  expect(rows[0]?.metadata).toEqual({ k: 1 });
});

test('no rows need no query', async () => {
  const { value, asked } = context(() => []);
  expect((await run([], { filter_criteria: 'SELECT 1' }, value)).rows).toEqual([]);
  expect(asked).toEqual([]);
});

describe('validation', () => {
  const columns = new Set(['id', 'name', 'content', 'pages_processed', 'size']);
  const codes = (config: Record<string, unknown>) =>
    sqlFilter.validate(config, columns).map(({ messageCode, pointer }) => [messageCode, pointer]);

  test.each([
    [{ filter_criteria: 'SELECT * FROM input WHERE size > 3' }],
    [{ criteria_list: ['size > 3', `name like '%.pdf'`], logical_operator: 'or' }],
    [{ criteria_json: { variable: 'Size', operator: '>', value: 3 } }],
    [{ features_to_drop: ['size'] }],
  ])('%j is right', (config) => {
    expect(listProblems(sqlFilter.config, structuredClone(config))).toEqual([]);
    expect(codes(config)).toEqual([]);
  });

  test.each([
    [{ filter_criteria: 'SELECT id, content FROM input' }, [['DROPPING_MANDATORY_FEATURES', '/filter_criteria']]],
    [{ features_to_drop: ['size', 'content'] }, [['DROPPING_MANDATORY_FEATURES', '/features_to_drop']]],
    [{ filter_criteria: 'DROP TABLE input' }, [['OPERATOR_VALIDATION_FAILED', '/filter_criteria']]],
    [{ criteria_list: ['1=1) OR (1=1'] }, [['OPERATOR_VALIDATION_FAILED', '/criteria_list/0']]],
    [
      { criteria_json: { variable: 'size', operator: '~', value: 3 } },
      [['OPERATOR_VALIDATION_FAILED', '/criteria_json/operator']],
    ],
    [
      { criteria_json: { variable: 'sise', operator: '>', value: 3 } },
      [['SQL_FILTER_INVALID_COLUMN', '/criteria_json']],
    ],
    [{}, [['OPERATOR_VALIDATION_FAILED', '']]],
    [{ filter_criteria: 'FROM input', criteria_list: ['size > 1'] }, [['OPERATOR_VALIDATION_FAILED', '']]],
  ])('%j is reported', (config, expected) => {
    expect(codes(config)).toEqual(expected);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AppError } from '../../../model/errors';
import type { Row } from '../../../model/flow/row';
import { run as branch } from '../../../operators/branching/run';
import type { OperatorContext } from '../../../operators/operator';
import { run } from '../../../operators/sql_filter/run';
import type { SqlFilterConfig } from '../../../operators/sql_filter/schema';
import { createSqlRunner } from '../../../services/table/sql';

const runner = createSqlRunner();
const limits = (timeoutMs = 20_000) => ({ timeoutMs, signal: new AbortController().signal });
const select = (sql: string, rows: readonly Row[] = input, timeoutMs?: number) =>
  runner.select(rows, sql, limits(timeoutMs));
const failure = (sql: string, timeoutMs?: number) =>
  select(sql, input, timeoutMs).then(
    (rows) => ({ code: 'no error', message: JSON.stringify(rows) }),
    (error: { code: string; message: string }) => error,
  );

const input: Row[] = [
  {
    id: '1',
    name: 'a.pdf',
    path: '/a.pdf',
    content: "It's a \0 tést 😀",
    pages_processed: 2,
    allowed_users: ['alice', 'bob'],
    metadata: { author: 'Ada', tags: ['x', 'y'], n: { m: 1.5 } },
    embedding: Array.from({ length: 384 }, (_, index) => Math.sin(index)),
    bbox: [[1.5, 2, 3, 4]],
  },
  {
    id: '2',
    name: 'b.md',
    path: '/b.md',
    content: 'second',
    pages_processed: 10,
    allowed_users: [],
    metadata: { author: 'Bob' },
    headings: ['H'],
  },
  { id: '3', name: 'c.md', path: '/c.md', content: '', pages_processed: 0, Odd: 'x', odd: 1 },
];

let folder = '';
let secret = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'docloom-sql-test-'));
  secret = path.join(folder, 'secret.csv');
  await writeFile(secret, 'a,b\ntop,secret\n');
});
afterAll(async () => {
  await runner.close();
  await rm(folder, { recursive: true, force: true });
});

test('rows that the query does not change survive a round trip', async () => {
  expect(await select('SELECT * FROM input')).toEqual(input);
});

test('an empty input has every standard column and no row', async () => {
  expect(await select('SELECT id, metadata, headings FROM input WHERE pages_processed > 1', [])).toEqual([]);
});

test('a column without a value in this part can be selected', async () => {
  expect(await select('SELECT id FROM input WHERE mimetype IS NULL ORDER BY id LIMIT 1')).toEqual([{ id: '1' }]);
  const query = "SELECT * FROM input WHERE language IS DISTINCT FROM 'de' AND confidence + 1 IS NULL";
  const declared = new Map([
    ['language', { type: 'string' }],
    ['confidence', { type: 'double' }],
  ]);
  expect(
    await runner.select(input.slice(0, 1), query, {
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      declared,
    }),
  ).toEqual(input.slice(0, 1));
});

test('metadata is JSON and lists are lists', async () => {
  expect(
    await select(`SELECT id FROM input WHERE metadata->>'author' = 'Ada' AND (metadata->'n'->>'m')::DOUBLE > 1`),
  ).toEqual([{ id: '1' }]);
  expect(await select(`SELECT id FROM input WHERE list_contains(allowed_users, 'bob')`)).toEqual([{ id: '1' }]);
  expect(await select(`SELECT id FROM input WHERE len(headings) = 1`)).toEqual([{ id: '2' }]);
});

test('values that the query makes are plain JSON', async () => {
  const [row] =
    await select(`SELECT 1::HUGEINT AS big, 1.50::DECIMAL(9,2) AS price, DATE '2024-05-06' AS day, TIMESTAMP '2024-05-06 07:08:09' AS at, {'a': 1, 'b': [2.5]} AS s,
    map {'k': 1} AS m, [1, NULL] AS l, true AS t, 'nan'::DOUBLE AS nan, count(*) AS n, sum(pages_processed) AS pages, '[1]'::JSON AS j FROM input`);
  expect(row).toEqual({
    big: 1,
    price: 1.5,
    day: '2024-05-06',
    at: '2024-05-06 07:08:09',
    s: { a: 1, b: [2.5] },
    m: { k: 1 },
    l: [1, null],
    t: true,
    n: 3,
    pages: 12,
    j: [1],
  });
});

test('common table expressions, FROM first, comments and a closing semicolon are selects too', async () => {
  for (const sql of [
    'WITH x AS (SELECT id FROM input) SELECT * FROM x',
    'FROM input SELECT id',
    '-- all\n/* of them */ (SELECT id FROM input);',
    'select id from input union select id from input',
  ]) {
    expect((await select(sql)).length).toBe(3);
  }
});

describe('anything but a SELECT over the table is rejected', () => {
  const file = () => secret;
  const attempts: [string, () => string][] = [
    ['read_csv', () => `SELECT * FROM read_csv('${file()}')`],
    ['read_text', () => `SELECT * FROM read_text('${file()}')`],
    ['read_blob', () => `SELECT * FROM read_blob('/etc/passwd')`],
    ['a file as table', () => `SELECT * FROM '${file()}'`],
    ['glob', () => `SELECT * FROM glob('/etc/*')`],
    ['the environment of the process', () => `SELECT * FROM read_text('/proc/self/environ')`],
    ['the network', () => `SELECT * FROM read_csv('http://127.0.0.1:9200/')`],
    ['COPY to a file', () => `COPY input TO '${folder}/out.csv'`],
    ['COPY after a select', () => `SELECT 1; COPY input TO '${folder}/out.csv'`],
    ['EXPORT', () => `EXPORT DATABASE '${folder}/out'`],
    ['ATTACH a file', () => `ATTACH '${folder}/x.db'`],
    ['ATTACH memory', () => `ATTACH ':memory:' AS other`],
    ['INSTALL', () => 'INSTALL httpfs'],
    ['LOAD', () => `LOAD '${folder}/x.duckdb_extension'`],
    ['SET', () => 'SET enable_external_access = true'],
    ['PRAGMA', () => 'PRAGMA version'],
    ['PRAGMA with a setting', () => `PRAGMA memory_limit='100GB'`],
    ['SHOW', () => 'SHOW TABLES'],
    ['CALL', () => 'CALL enable_logging()'],
    ['CREATE', () => 'CREATE TABLE x AS SELECT 1'],
    ['DROP', () => 'DROP TABLE input'],
    ['DELETE', () => 'DELETE FROM input'],
    [
      'INSERT in a common table expression',
      () => 'WITH x AS (INSERT INTO input SELECT * FROM input RETURNING *) SELECT * FROM x',
    ],
    ['several statements', () => 'SELECT * FROM input; SELECT * FROM input'],
    ['EXPLAIN', () => 'EXPLAIN SELECT 1'],
    ['nothing', () => ' -- nothing'],
    ['bad SQL', () => 'SELECT FROM WHERE'],
    ['an unknown column', () => 'SELECT nope FROM input'],
  ];
  test.each(attempts)('%s', async (_name, sql) => {
    const { code, message } = await failure(sql());
    expect({ code, message }).toEqual({
      code: 'SQL_FILTER_ERROR',
      message: expect.stringMatching(/^The query failed: ./) as string,
    });
    expect(message).not.toMatch(/top|secret,|root:x/);
    expect((await readdir(folder)).toSorted()).toEqual(['secret.csv']);
    expect((await select('SELECT id FROM input')).length).toBe(3);
  });
});

test('the message of DuckDB reaches the user', async () => {
  expect((await failure('SELECT nope FROM input')).message).toMatch(/Binder Error.*nope/s);
});

describe('no error quotes a document, since messages go to logs and histories', () => {
  const word = 'wombat';
  const quoting = [
    { ...(input[0] as Row), content: word, size: 987_654 },
    { ...(input[1] as Row), content: word },
  ];
  test.each([
    'SELECT error(content) FROM input',
    'SELECT CAST(content AS INTEGER) FROM input',
    "SELECT strptime(content, '%Y') FROM input",
    'SELECT json_extract(content, content) FROM input',
    'SELECT regexp_matches(content, content || chr(40)) FROM input',
    'SELECT (SELECT content FROM input) FROM input',
    'SELECT CAST(size AS TINYINT) FROM input',
    'SELECT error(content) FROM (SELECT content FROM input LIMIT 1)',
    'SELECT CAST(content AS DATE), 1 / 0 FROM input',
    'SELECT nextval(content) FROM input',
    'SELECT * FROM query_table(content)',
    "SELECT content->>'$[' FROM input",
    'SELECT map([content, content], [1, 2]) FROM input',
    'SELECT content::JSON FROM input',
    'SELECT repeat(content, 2000000000000) FROM input',
  ])('%s', async (sql) => {
    const { message } = await runner.select(quoting, sql, limits()).then(
      (rows) => ({ message: `no error but ${rows.length} rows` }),
      (error: AppError) => error,
    );
    expect(message).not.toMatch(/wombat|987654/);
  });

  test('an error over the rows has its kind', async () => {
    expect((await failure('SELECT CAST(content AS INTEGER) FROM input')).message).toBe(
      'The query failed: Conversion Error while the query ran. The message of the database is not shown, because it may quote documents.',
    );
  });

  test('an unknown column is named, existing ones are not', async () => {
    const rows = [{ ...(input[0] as Row), wombats: 1 }];
    const error = await runner.select(rows, 'SELECT wombat FROM input', limits()).catch((error: AppError) => error);
    expect((error as AppError).message).toContain('wombat');
    expect((error as AppError).message).not.toContain('wombats');
  });
});

test('a query can see nothing of the worker but its table', async () => {
  const rows = await select('SELECT database_name, table_name FROM duckdb_tables()');
  expect(rows.map((row) => row['table_name'])).toEqual(['input']);
});

describe('queries that need too much are ended, and the next one works', () => {
  test.each([
    ['a text of two gigabytes', `SELECT length(repeat('x', 2000000000)) AS n FROM input`],
    ['a padded text', `SELECT length(lpad('x', 2000000000, 'y')) AS n`],
    ['a list without end', 'SELECT list(range) AS l FROM range(1000000000)'],
    ['a long list', 'SELECT unnest(range(2000000000)) AS n'],
    ['a cross join', 'SELECT a.id FROM input a, range(100000000) b'],
    ['wide rows', `SELECT repeat('x', 10000000) AS content FROM range(100)`],
    [
      'a recursion without end',
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT sum(n) AS s FROM r',
    ],
    [
      'a regular expression',
      `SELECT regexp_matches(repeat('a', 100000), '(a*)*(a*)*(a*)*b') AS r FROM range(100000000)`,
    ],
  ])('%s', async (_name, sql) => {
    const started = Date.now();
    const { code } = await failure(sql, 3000);
    expect(code).toBe('SQL_FILTER_ERROR');
    expect(Date.now() - started).toBeLessThan(10_000);
    expect((await select('SELECT id FROM input')).length).toBe(3);
  });
});

test('a query over its time limit is reported as such', async () => {
  const { message } = await failure(
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT sum(n) AS s FROM r',
    500,
  );
  expect(message).toBe('The query took longer than 500 ms and was ended.');
});

test('an abort ends the query at once with the given reason', async () => {
  const controller = new AbortController();
  const running = runner.select(
    input,
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT sum(n) AS s FROM r',
    { timeoutMs: 60_000, signal: controller.signal },
  );
  const reason = new Error('cancelled');
  setImmediate(() => controller.abort(reason));
  await expect(running).rejects.toBe(reason);
  await expect(runner.select(input, 'SELECT 1', { timeoutMs: 1000, signal: controller.signal })).rejects.toBe(reason);
  expect((await select('SELECT id FROM input')).length).toBe(3);
});

test('queries run side by side', async () => {
  const results = await Promise.all([1, 2, 3].map((id) => select(`SELECT name FROM input WHERE id = '${id}'`)));
  expect(results.map(([row]) => row?.name)).toEqual(['a.pdf', 'b.md', 'c.md']);
});

test('a warm query over a part of 32 rows takes a few tens of milliseconds', async () => {
  const rows = Array.from({ length: 32 }, (_, index): Row => ({
    id: String(index),
    name: 'n',
    path: '/n',
    content: 'word '.repeat(1000),
    pages_processed: 1,
  }));
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now();
    await select('SELECT * FROM input', rows);
    times.push(performance.now() - started);
  }
  expect(Math.min(...times)).toBeLessThan(500);
});

describe('sql_filter on the real engine', () => {
  const context: OperatorContext<'sql'> = {
    signal: new AbortController().signal,
    progress: () => undefined,
    services: { sql: runner },
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
  };
  const keeps = async (config: SqlFilterConfig) => (await run(input, config, context)).rows.map(({ id }) => id);

  test.each<[SqlFilterConfig, string[]]>([
    [{ filter_criteria: `SELECT * FROM input WHERE metadata->>'author' = 'Ada'` }, ['1']],
    [{ filter_criteria: 'SELECT ID, Content, pages_processed FROM input WHERE len(content) > 0;' }, ['1', '2']],
    [{ criteria_list: ['pages_processed > 1', `name LIKE '%.md' -- text`] }, ['2']],
    [{ criteria_list: ['pages_processed > 5', 'id = 3'], logical_operator: 'or' }, ['2', '3']],
    [{ criteria_list: ['nullif(id, 1) IS NULL'] }, ['1']],
    [{ criteria_json: { variable: 'name', operator: 'not in', value: ["it's", 'a.pdf'] } }, ['2', '3']],
    [{ criteria_json: { variable: 'pages_processed', operator: 'between', value: [1, 5] } }, ['1']],
    [{ criteria_json: { variable: 'headings', operator: 'is not null' } }, ['2']],
    [{ criteria_json: { variable: 'mimetype', operator: 'is null' } }, ['1', '2', '3']],
    [{ criteria_json: { variable: 'name', operator: 'not like', value: '%.md' } }, ['1']],
    [
      {
        criteria_json: {
          logical_operator: 'OR',
          criteria_list: [
            { variable: 'id', operator: '==', value: '1' },
            { variable: 'pages_processed', operator: '>=', value: 10 },
          ],
        },
      },
      ['1', '2'],
    ],
  ])('%j', async (config, ids) => {
    expect(await keeps(config)).toEqual(ids);
  });

  test.each<SqlFilterConfig>([
    { filter_criteria: 'SELECT * FROM (SELECT id FROM input)' },
    { filter_criteria: 'SELECT * FROM input UNION ALL SELECT * FROM input' },
    { filter_criteria: 'SELECT * FROM nowhere' },
    { criteria_list: ['nope = 1'] },
    { criteria_list: [`EXISTS (SELECT 1 FROM read_text('/etc/passwd'))`] },
    { criteria_list: [`id IN (SELECT * FROM '/etc/passwd')`] },
    { criteria_json: { variable: 'x" = 1) OR (1=1) --', operator: '=', value: 1 } },
  ])('%j drops all rows', async (config) => {
    await expect(keeps(config)).rejects.toMatchObject({ code: 'SQL_FILTER_ERROR' });
  });

  test.each([`EXISTS (SELECT 1 FROM read_text('/etc/passwd'))`, `EXISTS (SELECT 1 FROM glob('/etc/*'))`, 'nope'])(
    'branching lets no row through by %s',
    async (criterion) => {
      const branches = { taken: { criteria_list: [criterion] }, rest: {} };
      await expect(branch(input, { branches }, context)).rejects.toMatchObject({ code: 'SQL_FILTER_ERROR' });
    },
  );

  test('rows that stay are equal to those that came', async () => {
    expect((await run(input, { filter_criteria: 'SELECT * FROM input' }, context)).rows).toEqual(input);
  });
});

test('after close no child is left and no query is taken', async () => {
  const other = createSqlRunner();
  await other.select(input, 'SELECT id FROM input', limits());
  const children = () =>
    execFileSync('ps', ['-o', 'args=', '--ppid', String(process.pid)])
      .toString()
      .split('\n')
      .filter((line) => line.includes('sql-child')).length;
  const before = children();
  await other.close();
  while (children() >= before) await new Promise(setImmediate);
  await expect(other.select(input, 'SELECT id FROM input', limits())).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});

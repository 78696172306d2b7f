import { listDroppedColumns, findQueryProblem } from './select-list';

test.each([
  'SELECT * FROM input WHERE pages_processed > 2',
  'select * exclude (metadata, "name") from input;',
  'select * exclude size from input',
  'SELECT * REPLACE (upper(content) AS content) FROM input',
  'SELECT input.* FROM input',
  'SELECT main.input.* FROM input',
  'SELECT id, content, pages_processed FROM input',
  'SELECT i.id, lower(i.content) AS content, 1 pages_processed FROM input i',
  'SELECT ID, "Content", PAGES_PROCESSED FROM input',
  `SELECT id, content: 'x', pages_processed FROM input`,
  `SELECT id, replace(content, ',', ' from ') AS content, pages_processed FROM input`,
  'SELECT DISTINCT id, content, pages_processed FROM input ORDER BY id',
  'SELECT DISTINCT ON (name) id FROM input',
  'FROM input',
  'FROM input SELECT *',
  'WITH x AS (SELECT id FROM input) SELECT i.* FROM input i JOIN x USING (id)',
  'SELECT id FROM input UNION SELECT id FROM input',
  '(SELECT id FROM input)',
  `SELECT COLUMNS('id|content|pages_processed') FROM input`,
  'SELECT unnest(x) FROM input',
  `SELECT id, content, 1 AS 'pages_processed' FROM input`,
  'SELECT -- id\n * /* id, name */ FROM input',
  'not sql at all',
])('may keep all columns: %s', (sql) => {
  expect(listDroppedColumns(sql)).toEqual([]);
});

test.each([
  ['SELECT id FROM input', ['content', 'pages_processed']],
  ['SELECT name, path FROM input', ['id', 'content', 'pages_processed']],
  ['SELECT id, content AS text, pages_processed FROM input', ['content']],
  ['SELECT id, lower(content), pages_processed FROM input', ['content']],
  ['SELECT * EXCLUDE (id, size) FROM input', ['id']],
  ['SELECT * EXCLUDE content FROM input', ['content']],
  ['SELECT * EXCLUDE ("pages_processed") REPLACE (1 AS size) FROM input', ['pages_processed']],
  ['SELECT input.* EXCLUDE (content) FROM input', ['content']],
  ['WITH x AS (SELECT * FROM input) SELECT id, content FROM x', ['pages_processed']],
  ['FROM input SELECT id, content', ['pages_processed']],
  ['SELECT id, (SELECT content FROM input LIMIT 1), pages_processed FROM input', ['content']],
  [`SELECT id, 'content, pages_processed' AS x, content FROM input`, ['pages_processed']],
  ['SELECT count(*) FROM input', ['id', 'content', 'pages_processed']],
])('certainly drops: %s', (sql, dropped) => {
  expect(listDroppedColumns(sql)).toEqual(dropped);
});

test('a column listed beside a star that excludes it is kept', () => {
  expect(listDroppedColumns('SELECT * EXCLUDE (content), upper(content) AS content FROM input')).toEqual([]);
});

test.each([
  ['', 'it is empty'],
  [' -- nothing', 'it is empty'],
  ['DELETE FROM input', "it begins with 'DELETE', not with SELECT"],
  ['PRAGMA version', "it begins with 'PRAGMA', not with SELECT"],
  ['SELECT 1; SELECT 2', 'it holds more than one statement'],
  [`SELECT 'open`, 'a quote, a comment or a parenthesis is not closed'],
  ['SELECT (1', 'a quote, a comment or a parenthesis is not closed'],
  ['SELECT 1)', 'a quote, a comment or a parenthesis is not closed'],
  ['SELECT /* open', 'a quote, a comment or a parenthesis is not closed'],
])('is not a query: %j', (sql, problem) => {
  expect(findQueryProblem(sql)).toBe(problem);
});

test.each([
  `SELECT ';' FROM input;`,
  'SELECT "a;b" FROM input ; ',
  '(SELECT 1)',
  'WITH x AS (SELECT 1) SELECT * FROM x',
  'FROM input',
  `SELECT $$it's$$`,
  `SELECT e'it\\'s'`,
  'SELECT 7/2, a[1], {x: 1}',
])('may be a query: %s', (sql) => {
  expect(findQueryProblem(sql)).toBeUndefined();
});

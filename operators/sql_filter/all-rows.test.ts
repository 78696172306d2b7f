import { DuckDBInstance } from '@duckdb/node-api';
import { planFlow } from '../../model/flow/plan-flow';
import { operators } from '../index';
import { aggregates, needsAllRows } from './all-rows';

test.each([
  'SELECT * FROM input',
  'SELECT * FROM input WHERE pages_processed > 2;',
  'from input select id, upper(content) AS content, pages_processed where size > 1',
  `SELECT * EXCLUDE (size) FROM input AS i WHERE i.name LIKE 'order by%' -- limit 3`,
  'SELECT id, content, pages_processed, extract(year FROM modified_time::DATE) AS year FROM input i',
  'SELECT * FROM input WHERE name IS NOT DISTINCT FROM path',
  'SELECT * FROM "input" WHERE list_max(page_numbers) > 3 AND "order" = 1',
  'FROM input',
])('%s processes each row independently', (sql) => {
  expect(needsAllRows(sql)).toBe(false);
});

test.each([
  'SELECT * FROM input ORDER BY size LIMIT 3',
  'SELECT * FROM input LIMIT 3',
  'SELECT DISTINCT * FROM input',
  'SELECT DISTINCT ON (content) * FROM input',
  'SELECT max(size), any_value(id) FROM input',
  'SELECT "max"(size) FROM input',
  'SELECT *, row_number() OVER () AS n FROM input',
  'SELECT * FROM input QUALIFY rank() OVER (ORDER BY size) = 1',
  'SELECT * FROM input WHERE size = (SELECT max(size) FROM input)',
  'SELECT * FROM input, input AS other WHERE input.id <> other.id',
  'SELECT a.* FROM input a JOIN input b ON a.id = b.id',
  'SELECT * FROM input USING SAMPLE 3',
  'SELECT * FROM input WHERE EXISTS (FROM input)',
  'SELECT * FROM (FROM input) AS input',
  'WITH few AS (FROM input) SELECT * FROM few',
  'SELECT * FROM input UNION ALL SELECT * FROM input',
  'SELECT id, content, pages_processed FROM input GROUP BY ALL',
  'PIVOT input ON name',
])('%s means all rows', (sql) => {
  expect(needsAllRows(sql)).toBe(true);
});

test('every function of the engine over several rows is known', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(
    "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate' AND function_name SIMILAR TO '[a-z_0-9]+'",
  );
  connection.closeSync();
  instance.closeSync();
  const names = reader.getRows().map(([name]) => String(name));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !aggregates.has(name))).toEqual([]);
});

test('a flow is divided before and after a filter that needs all rows, and not at any other', () => {
  const stages = (filter_criteria: string) =>
    planFlow(
      {
        flow_name: 'f',
        flow: [
          { type: 'ingest_source', name: 'ingest', config: {} },
          { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
          { type: 'sql_filter', name: 'filter', depends_on: ['extract'], config: { filter_criteria } },
          { type: 'chunker', name: 'chunk', depends_on: ['filter'] },
        ],
      },
      operators,
    ).stages.map(({ scope, operators: own }) => [scope, ...own.map(({ name }) => name)]);
  expect(stages('SELECT * FROM input WHERE size > 1')).toEqual([['row', 'extract', 'filter', 'chunk']]);
  expect(stages('SELECT * FROM input LIMIT 1')).toEqual([
    ['row', 'extract'],
    ['table', 'filter'],
    ['row', 'chunk'],
  ]);
});

import type { Row } from '../model/row';
import type { TableKey, TablesStore } from '../services/ports';
import { countInputs, rangeOf, readInputs, readTable } from './input-rows';

const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id, name: id, path: id }));
function tablesOf(content: Record<string, Row[]>): TablesStore {
  const find = ({ operator, part }: TableKey) => content[`${operator}/${part}`];
  return {
    write: () => Promise.reject(new Error('not used')),
    read: async (key, range) => (find(key) ?? []).slice(range?.from ?? 0, range?.to),
    count: async (key) => find(key)?.length ?? 0,
    exists: async (key) => find(key) !== undefined,
    parts: () => Promise.reject(new Error('not used')),
    removeRun: () => Promise.reject(new Error('not used')),
  };
}

test('slices cover every row once, whatever the number of rows', () => {
  for (const total of [0, 1, 3, 7, 32, 1_000]) {
    for (const count of [1, 2, 4, 8]) {
      const ranges = Array.from({ length: count }, (_, index) => rangeOf(total, { index, of: count }));
      expect(ranges[0]?.[0]).toBe(0);
      expect(ranges.at(-1)?.[1]).toBe(total);
      expect(ranges.slice(1).map(([from]) => from)).toEqual(ranges.slice(0, -1).map(([, to]) => to));
    }
  }
});

test('of rows with the same id from several inputs the first is kept', async () => {
  const tables = tablesOf({ 'a/p': rows('1', '2'), 'b/p': rows('2', '3') });
  const inputs = [
    { operator: 'a', part: 'p' },
    { operator: 'b', part: 'p' },
  ];
  expect((await readInputs(tables, 'run', inputs)).map(({ id }) => id)).toEqual(['1', '2', '3']);
});

test('a slice is read and counted alone, and a table that is not there counts nothing', async () => {
  const tables = tablesOf({ 'a/p': rows('1', '2', '3', '4') });
  const half = { operator: 'a', part: 'p', slice: { index: 1, of: 2 } };
  expect((await readInputs(tables, 'run', [half])).map(({ id }) => id)).toEqual(['3', '4']);
  expect(await countInputs(tables, 'run', [half, { operator: 'b', part: 'p', slice: half.slice }])).toBe(2);
});

test('an operator over the whole table reads the parts of every source, and those only that exist', async () => {
  const tables = tablesOf({ 'x/s0p00000': rows('1'), 'x/s0p00001': rows('2'), 'y/s1p00000': rows('3') });
  const sources = [
    { prefix: 's0', parts: 2 },
    { prefix: 's1', parts: 1 },
  ];
  const parts = await readTable(tables, {
    runId: 'r',
    operator: 'd',
    inputs: [],
    part: 'all',
    table: { inputs: ['x', 'y'], sources },
  });
  expect(parts.map(({ part, rows: own }) => [part, own.map(({ id }) => id)])).toEqual([
    ['s0p00000', ['1']],
    ['s0p00001', ['2']],
    ['s1p00000', ['3']],
  ]);
});

test('the rows of several inputs are those of the largest, so that halving ends with one row each', async () => {
  const tables = tablesOf({ 'a/p': rows('1'), 'b/p': rows('1') });
  const slice = { index: 1, of: 2 };
  expect(
    await countInputs(tables, 'run', [
      { operator: 'a', part: 'p', slice },
      { operator: 'b', part: 'p', slice },
    ]),
  ).toBe(1);
});

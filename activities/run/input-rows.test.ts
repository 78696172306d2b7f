import type { Row } from '../../model/flow/row';
import type { TableKey, TablesStore } from '../../services/table/tables';
import { countInputs, listPieces, computeRange, readInputs, readTable } from './input-rows';

const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id, name: id, path: id }));
function getTables(content: Record<string, Row[]>): TablesStore {
  const find = ({ operator, part }: TableKey) => content[`${operator}/${part}`];
  return {
    write: () => Promise.reject(new Error('not used')),
    copy: () => Promise.reject(new Error('not used')),
    read: async (key, range) => (find(key) ?? []).slice(range?.from ?? 0, range?.to),
    count: async (key) => find(key)?.length ?? 0,
    exists: async (key) => find(key) !== undefined,
    listParts: async (_runId, operator) =>
      Object.keys(content).flatMap((key) => (key.startsWith(`${operator}/`) ? [key.slice(operator.length + 1)] : [])),
    removeRows: async () => ({ removed: 0, isDone: true }),
    removeRun: () => Promise.reject(new Error('not used')),
  };
}

test('slices cover every row once for any number of rows', () => {
  for (const total of [0, 1, 3, 7, 32, 1_000]) {
    for (const count of [1, 2, 4, 8]) {
      const ranges = Array.from({ length: count }, (_, index) => computeRange(total, { index, of: count }));
      expect(ranges[0]?.[0]).toBe(0);
      expect(ranges.at(-1)?.[1]).toBe(total);
      expect(ranges.slice(1).map(([from]) => from)).toEqual(ranges.slice(0, -1).map(([, to]) => to));
    }
  }
});

test('the first of several input rows with the same id is kept', async () => {
  const tables = getTables({ 'a/p': rows('1', '2'), 'b/p': rows('2', '3') });
  const inputs = [
    { operator: 'a', part: 'p' },
    { operator: 'b', part: 'p' },
  ];
  expect((await readInputs(tables, 'run', inputs)).map(({ id }) => id)).toEqual(['1', '2', '3']);
});

test('a slice is read and counted separately, and a missing table counts as empty', async () => {
  const tables = getTables({ 'a/p': rows('1', '2', '3', '4') });
  const half = { operator: 'a', part: 'p', slice: { index: 1, of: 2 } };
  expect((await readInputs(tables, 'run', [half])).map(({ id }) => id)).toEqual(['3', '4']);
  expect(await countInputs(tables, 'run', [half, { operator: 'b', part: 'p', slice: half.slice }])).toBe(2);
});

test('an operator over the whole table reads the parts of every source and skips missing ones', async () => {
  const tables = getTables({ 'x/s0p00000': rows('1'), 'x/s0p00001': rows('2'), 'y/s1p00000': rows('3') });
  const sources = [
    { prefix: 's0', parts: 2 },
    { prefix: 's1', parts: 1 },
  ];
  const parts: { part: string; rows: Row[] }[] = [];
  for await (const part of readTable(tables, {
    runId: 'r',
    operator: 'd',
    inputs: [],
    part: 'all',
    table: { inputs: ['x', 'y'], sources },
  }))
    parts.push(part);
  expect(parts.map(({ part, rows: own }) => [part, own.map(({ id }) => id)])).toEqual([
    ['s0p00000', ['1']],
    ['s0p00001', ['2']],
    ['s1p00000', ['3']],
  ]);
});

test('the number of rows of several inputs is that of the largest, so halving ends at one row each', async () => {
  const tables = getTables({ 'a/p': rows('1'), 'b/p': rows('1') });
  const slice = { index: 1, of: 2 };
  expect(
    await countInputs(tables, 'run', [
      { operator: 'a', part: 'p', slice },
      { operator: 'b', part: 'p', slice },
    ]),
  ).toBe(1);
});

test('a slice counted by the source contains the same documents in every table, and their chunks', async () => {
  const chunk = (id: string, document_id: string) => ({ id, name: id, path: id, document_id });
  const tables = getTables({
    'source/p': rows('1', '2', '3', '4'),
    'a/p': rows('4', '2'),
    'b/p': [chunk('1_0', '1'), chunk('2_0', '2'), chunk('2_1', '2'), chunk('3_0', '3')],
  });
  const halves = (operator: string, index: number) => ({ operator, part: 'p', by: 'source', slice: { index, of: 2 } });
  const read = async (operator: string, index: number) =>
    (await readInputs(tables, 'run', [halves(operator, index)])).map(({ id }) => id);
  expect([await read('a', 0), await read('a', 1)]).toEqual([['2'], ['4']]);
  expect([await read('b', 0), await read('b', 1)]).toEqual([['1_0', '2_0', '2_1'], ['3_0']]);
  expect(await countInputs(tables, 'run', [halves('a', 0), halves('b', 0)])).toBe(2);
});

test('a part that was halved in an earlier stage is read from its pieces, once each', async () => {
  const tables = getTables({
    'source/p': rows('1', '2'),
    'a/p-0': rows('1'),
    'a/p-0-1': rows('1'),
    'a/p-1': rows('2'),
  });
  const input = { operator: 'a', part: 'p', by: 'source' };
  expect((await readInputs(tables, 'run', [input])).map(({ id }) => id)).toEqual(['1', '2']);
  expect(listPieces(['p', 'p-0', 'q-0'], 'p')).toEqual(['p']);
  expect(listPieces(['p-1', 'p-0-1', 'p-0-0', 'p-1-0', 'px'], 'p')).toEqual(['p-0-0', 'p-0-1', 'p-1']);
});

test('a table that no document of the part reached is empty while the tables of the run are kept', async () => {
  const input = { operator: 'a', part: 'p', by: 'source' };
  expect(await readInputs(getTables({ 'source/p': rows('1') }), 'run', [input])).toEqual([]);
});

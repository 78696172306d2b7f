import { AppError } from '../../../model/errors';
import type { FindTableCells, PageModels, TableStructure } from '../../../model/page/page-models';
import { at, line, pageHeight, pageWidth, readSeen, region } from '../page-model-test-support';
import { type Drawing, grid, ruledTable } from '../pdf-test-support';

/** Texts that wrap in both columns; the text of a cell is full at its line breaks. */
const wrapped: [string, string][] = [
  ['The gauge at the pier is read', 'Engineers of the harbour office'],
  ['every day', 'do it'],
  ['Lamps of the lock are lit early', 'The keeper of the second lock'],
  ['in May', 'lights them'],
];
const columns = [100, 320] as const;
const tops = [102, 118, 134, 150];

function drawRows(pdf: Drawing, rows: readonly [string, string][]): void {
  rows.forEach((texts, row) => texts.forEach((text, column) => line(pdf, text, columns[column]!, tops[row]!)));
}

const layout = () => Promise.resolve([region('table', at(96, 98, 420, 68))]);

/** A model that sees two columns, and rows between these heights in points. `omitted` is the number of a cell that it misses. */
function seeRows(heights: readonly number[], omitted?: number): FindTableCells {
  return (_, part) => {
    const x = (points: number) => (points / pageWidth - part.x0) / (part.x1 - part.x0);
    const y = (points: number) => (points / pageHeight - part.y0) / (part.y1 - part.y0);
    const cells = heights.slice(1).flatMap((end, row) =>
      columns.map((left, column) => ({
        row,
        rowEnd: row + 1,
        column,
        columnEnd: column + 1,
        header: false,
        box: { x0: x(left - 3), x1: x(left + 190), y0: y(heights[row]!), y1: y(end) },
      })),
    );
    const structure: TableStructure = { rows: heights.length - 1, columns: 2, cells, score: 0.9 };
    return Promise.resolve({ ...structure, cells: cells.filter((_cell, index) => index !== omitted) });
  };
}

const twoRows = [100, 132, 164];
const read = (rows: readonly [string, string][], models: PageModels, warnings: string[] = []) =>
  readSeen((pdf) => drawRows(pdf, rows), { layout, ...models }, { warnings });

test('cells of a model replace the rows of a table without rulings if its words agree', async () => {
  expect(grid(await read(wrapped, {}))).toHaveLength(4);
  const document = await read(wrapped, { cells: seeRows(twoRows) });
  expect(grid(document)).toEqual([
    ['The gauge at the pier is read every day', 'Engineers of the harbour office do it'],
    ['Lamps of the lock are lit early in May', 'The keeper of the second lock lights them'],
  ]);
});

test('a word outside of the cells keeps the table of the rules', async () => {
  const byRules = await read(wrapped, {});
  const document = await read(wrapped, { cells: seeRows(twoRows, 3) });
  expect(document.tables).toEqual(byRules.tables);
});

test('lines that end where the next word had room are rows, whatever the model sees', async () => {
  const short: [string, string][] = [
    ['The gauge of the pier at night', 'Engineers of the harbour office'],
    ['Lamps', 'Keeper'],
    ['Ropes', 'Crew'],
    ['Boats', 'Owner'],
  ];
  const byRules = await read(short, {});
  expect(grid(byRules)).toHaveLength(4);
  const document = await read(short, { cells: seeRows([100, 116, 132, 164]) });
  expect(document.tables).toEqual(byRules.tables);
});

test('a border within a line of text, or a cell over two columns keeps the table of the rules', async () => {
  const byRules = await read(wrapped, {});
  const move = (shift: (box: { x0: number; x1: number }, column: number) => object): FindTableCells => {
    const find = seeRows(twoRows);
    return async (image, part) => {
      const seen = (await find(image, part))!;
      const cells = seen.cells.map((cell) => ({ ...cell, box: { ...cell.box, ...shift(cell.box, cell.column) } }));
      return { ...seen, cells };
    };
  };
  const within = move(({ x0, x1 }, column) => (column === 0 ? { x1: 0.15 } : { x0: 0.15, x1: Math.max(x0, x1) }));
  expect((await read(wrapped, { cells: within })).tables).toEqual(byRules.tables);
  const over = move((_, column) => (column === 0 ? { x1: 1 } : { x0: 1, x1: 1.2 }));
  expect((await read(wrapped, { cells: over })).tables).toEqual(byRules.tables);
});

test('a table with rulings between its columns is not shown to the model', async () => {
  let calls = 0;
  const cells: FindTableCells = () => {
    calls += 1;
    return Promise.resolve(undefined);
  };
  const rows = [
    ['Pier', 'Low'],
    ['North', '3.1'],
    ['South', '4.2'],
  ];
  const document = await readSeen((pdf) => ruledTable(pdf, rows, { x: 72, y: 72, width: 120, height: 24 }), { cells });
  expect([grid(document), calls]).toEqual([rows, 0]);
});

test('no more than 20 tables of a page are shown to the model', async () => {
  let calls = 0;
  const cells: FindTableCells = () => {
    calls += 1;
    return Promise.resolve(undefined);
  };
  const boxes = Array.from({ length: 22 }, (_, index) => at(96, 38 + 36 * index, 420, 32));
  await readSeen(
    (pdf) => {
      pdf.page.margins.bottom = 0;
      for (let index = 0; index < 22; index += 1)
        [0, 16].forEach((down) => columns.forEach((x) => line(pdf, `${index}.${down}`, x, 40 + 36 * index + down)));
    },
    { layout: () => Promise.resolve(boxes.map((box) => region('table', box))), cells },
  );
  expect(calls).toBe(20);
});

test('a model that fails is reported once, and the tables are those of the rules', async () => {
  const warnings: string[] = [];
  const cells: FindTableCells = () => Promise.reject(new AppError('PAGE_MODEL_INVALID', 'It is broken.'));
  const document = await read(wrapped, { cells }, warnings);
  expect(document.tables).toEqual((await read(wrapped, {})).tables);
  expect(warnings).toEqual([
    'cells: Rows and columns of tables are found by rules, since the model cannot be used: It is broken. (PAGE_MODEL_INVALID)',
  ]);
});

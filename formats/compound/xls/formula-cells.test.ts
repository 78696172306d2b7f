import { createFormulaBudget } from '../../ooxml/xlsx/formulas';
import { createGrid } from '../../ooxml/xlsx/grid';
import { createFormulaCells } from './formula-cells';
import { createLinks, formatSheets } from './links';

/** A formula of many attributes without a written form, and then the number 1. */
function buildLongFormula(attributes: number) {
  const space = Buffer.from([0x19, 0x40, 0, 1]);
  return { tokens: Buffer.concat([...Array<Buffer>(attributes).fill(space), Buffer.from([0x1e, 1, 0])]) };
}

test('cells that share a long formula with a short text are read within the limit of bytes', () => {
  const budget = { ...createFormulaBudget(), bytesLeft: 40_000 };
  const cells = createFormulaCells(createLinks(), budget);
  const formula = { tokens: Buffer.from([1, 0, 0, 0, 0]), constants: Buffer.alloc(0) };
  for (let row = 0; row < 100; row += 1) {
    cells.add({ row, column: 0, formula, owner: 0 });
    if (row === 0) cells.share({ ...buildLongFormula(1_000), constants: Buffer.alloc(0) }, false);
  }
  const grid = createGrid();
  cells.putInto(grid);
  expect(grid.cells.size).toBe(9);
  expect(budget.unread).toBe(91);
});

test('the sheets of a reference are written once', () => {
  let reads = 0;
  const book = {
    get file() {
      reads += 1;
      return 'Tides.xlsx';
    },
    sheetNames: ['Level'],
    names: [],
  };
  const links = { ...createLinks(), books: [book], ranges: [{ book: 0, first: 0, last: 0 }] };
  const first = formatSheets(links, 0);
  expect(first).toBe("'[Tides.xlsx]Level'!");
  const readsOfFirst = reads;
  expect(formatSheets(links, 0)).toBe(first);
  expect(reads).toBe(readsOfFirst);
});

import { createFormulaBudget } from '../../ooxml/xlsx/formulas';
import { createGrid } from '../../ooxml/xlsx/grid';
import { joinBytes, type Piece } from '../test-support';
import { createLinks } from './links';
import { biff } from './records';
import { createSheetFormulas } from './sheet-formulas';

const record = (type: number, ...pieces: Piece[]) => ({ type, at: 0, parts: [Buffer.from(joinBytes(...pieces))] });

test('a shared formula that cannot be read is parsed once, not for each cell that refers to it', () => {
  let lookups = 0;
  const links = {
    ...createLinks(),
    get names() {
      lookups += 1;
      return ['Rate'];
    },
  };
  const budget = createFormulaBudget();
  const formulas = createSheetFormulas(links, budget);
  const sharedOfFirst = joinBytes([1, 0x01], [2, 0], [2, 0]);
  const nameAndUnknown = joinBytes([1, 0x43], [2, 1], [2, 0], [1, 0x02]);
  const rows = [0, 1, 2, 3];
  for (const row of rows) {
    formulas.add(record(biff.formula, [2, row], [2, 0], Buffer.alloc(16), [2, sharedOfFirst.length], sharedOfFirst));
    if (row === 0) {
      formulas.add(record(biff.sharedFormula, Buffer.alloc(8), [2, nameAndUnknown.length], nameAndUnknown));
    }
  }
  formulas.putInto(createGrid());
  expect(budget.unread).toBe(rows.length);
  expect(lookups).toBe(1);
});

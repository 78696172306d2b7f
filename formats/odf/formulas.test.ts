import { readFormula } from './formulas';

test.each([
  ['of:=SUM([.A1:.B2];[$Sheet2.C3])', '=SUM(A1:B2;$Sheet2.C3)'],
  ['of:=[$\'My sheet\'.$A$1]&"[.A1]"', '=$\'My sheet\'.$A$1&"[.A1]"'],
  ['of:=SUM([.1:.1])', '=SUM(1:1)'],
  ['msoxl:=A1+1', '=A1+1'],
  ['=A1', '=A1'],
])('%s is shown as %s', (written, shown) => {
  expect(readFormula({ 'table:formula': written })).toBe(shown);
});

test('a cell without formula has none, and one of several cells is in braces', () => {
  expect(readFormula({})).toBeUndefined();
  expect(readFormula({ 'table:formula': 'of:=[.A1]', 'table:number-matrix-columns-spanned': '2' })).toBe('{=A1}');
});

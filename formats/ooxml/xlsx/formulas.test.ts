import type { DoclingDocument } from '../../../document/model';
import { toHtml } from '../../../document/write/html';
import { toMarkdown } from '../../../document/write/markdown';
import { convertBytes } from '../../convert';
import { workbookFile } from '../test-support';
import { shiftReferences } from './formulas';

const rows = (...cells: string[]) =>
  `<x:sheetData>${cells.map((row, index) => `<x:row r="${index + 1}">${row}</x:row>`).join('')}</x:sheetData>`;
const convert = (sheet: string, includeFormulas: boolean) =>
  convertBytes({ bytes: workbookFile({ S: sheet }), name: 'a.xlsx', includeFormulas });
const listCells = ({ tables }: DoclingDocument) =>
  tables.flatMap(({ data }) => data.table_cells.map(({ text, formula }) => [text, formula]));

const sums = rows(
  '<x:c r="A1"><x:v>2</x:v></x:c><x:c r="B1"><x:f t="shared" ref="B1:B2" si="0">A1*$A$1&amp;"A1"</x:f><x:v>4</x:v></x:c>',
  '<x:c r="A2"><x:v>3</x:v></x:c><x:c r="B2"><x:f t="shared" si="0"/><x:v>6</x:v></x:c>',
  '<x:c r="A3"><x:f t="array" ref="A3">_xlfn.UNIQUE(A1:A2)</x:f><x:v>2</x:v></x:c>',
);

test('cells have their formula if it is asked for, with references of their own when several cells share one', async () => {
  const { document } = await convert(sums, true);
  expect(listCells(document)).toEqual([
    ['2', undefined],
    ['4', '=A1*$A$1&"A1"'],
    ['3', undefined],
    ['6', '=A2*$A$1&"A1"'],
    ['2', '{=UNIQUE(A1:A2)}'],
    ['', undefined],
  ]);
  expect(toMarkdown(document, { compactTables: true })).toContain('| 3 | 6 (=A2*$A$1&"A1") |');
  expect(toHtml(document)).toContain('<td>2 ({=UNIQUE(A1:A2)})</td>');
  expect(listCells((await convert(sums, false)).document).every(([, formula]) => formula === undefined)).toBe(true);
});

test('a formula whose result the file lacks is counted and reported, and is the text of its cell if asked for', async () => {
  const sheet = rows(
    '<x:c r="A1" t="inlineStr"><x:is><x:t>Sum</x:t></x:is></x:c><x:c r="B1"><x:f>SUM(C1:C9)</x:f></x:c>',
  );
  const plain = await convert(sheet, false);
  expect(plain.coverage).toEqual([{ kind: 'formula without a result', count: 1, words: 0, in_json: false }]);
  expect(plain.warnings).toEqual([
    '1 formula without a stored result: the cells are empty. Save the file in a spreadsheet program, or request formulas.',
  ]);
  const { document } = await convert(sheet, true);
  expect(toMarkdown(document, { compactTables: true })).toContain('| Sum | =SUM(C1:C9) |');
});

test.each([
  ['B2+$B2+B$2+$B$2', 'C4+$B4+C$2+$B$2'],
  ['SUM(A:B,1:2,Sheet1!C3:D4)', 'SUM(B:C,1:2,Sheet1!D5:E6)'],
  ['\'A1 B2\'!A1&"A1"&LOG10(A1)', '\'A1 B2\'!B3&"A1"&LOG10(B3)'],
  ['Table1[[#This Row],[A1]]*rate_A1', 'Table1[[#This Row],[A1]]*rate_A1'],
  ['XFD1048576', 'A2'],
  ['TEXT(A1,"hh:mm")', 'TEXT(B3,"hh:mm")'],
  ["'My Jan:Mar'!A1", "'My Jan:Mar'!B3"],
  ['Jan:Mar!A1+Table1[a:b]', 'Jan:Mar!B3+Table1[a:b]'],
  ["SUM('My Sheet'!A:$B,Sheet1!$A:B)", "SUM('My Sheet'!B:$B,Sheet1!$A:C)"],
])('%s moved by two rows and one column is %s', (formula, moved) => {
  expect(shiftReferences(formula, 2, 1)).toBe(moved);
});

test('a long formula that many cells share is given to as many as the memory allows, and the others are counted', async () => {
  const long = `SUM(${'A1,'.repeat(30_000)}A1)`;
  const followers = Array.from({ length: 1_500 }, () => '<x:c><x:f t="shared" si="0"/><x:v>1</x:v></x:c>');
  const sheet = rows(`<x:c r="A1"><x:f t="shared" si="0">${long}</x:f><x:v>1</x:v></x:c>`, ...followers);
  const { document, warnings } = await convert(sheet, true);
  const total = listCells(document).reduce((sum, [, formula]) => sum + (formula?.length ?? 0), 0);
  expect(total).toBeLessThanOrEqual(16 * 1024 * 1024);
  expect(warnings).toEqual([expect.stringMatching(/^\d+ formulas could not be read\.$/)]);
});

test.each(['"', "'", '['])('a formula of many %s that nothing closes takes no longer than its length', (mark) => {
  const formula = `A1+${`${mark}A1`.repeat(100_001)}`;
  expect(shiftReferences(formula, 1, 0)).toMatch(/^A2\+/);
});

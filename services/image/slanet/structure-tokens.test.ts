import { decodeStructure, structureTokens } from './structure-tokens';

/** The answer of a model that writes these tokens; cells have the box of their number. */
function answer(...written: string[]) {
  const steps = written.length;
  const tokens = new Float32Array(steps * structureTokens.length);
  const corners = new Float32Array(steps * 8);
  let cell = 0;
  written.forEach((text, step) => {
    const token = text === 'end' ? structureTokens.length - 1 : structureTokens.indexOf(text);
    tokens[step * structureTokens.length + token] = 0.9;
    if (!text.startsWith('<td')) return;
    const x = cell / 10;
    corners.set([x, 0, x + 0.1, 0.02, x + 0.1, 0.1, x, 0.1], step * 8);
    cell += 1;
  });
  return { steps, tokens, corners };
}

const whole = { width: 1, height: 1 };
const cell = '<td></td>';
const wide = ['<td', ' colspan="2"', '>', '</td>'];
const high = ['<td', ' rowspan="2"', '>', '</td>'];

test('the model has 50 tokens', () => {
  expect(structureTokens).toHaveLength(50);
});

test('cells get rows and columns as browsers give them, also beside cells that span', () => {
  const structure = decodeStructure(
    answer(
      ...['<thead>', '<tr>', ...high, ...wide, '</tr>', '<tr>', cell, cell, '</tr>', '</thead>'],
      ...['<tbody>', '<tr>', cell, cell, cell, '</tr>', '</tbody>', 'end'],
    ),
    whole,
  );
  expect([structure?.rows, structure?.columns]).toEqual([3, 3]);
  expect(structure?.score).toBeCloseTo(0.9);
  const places = structure?.cells.map((item) => [item.row, item.rowEnd, item.column, item.columnEnd, item.header]);
  expect(places).toEqual([
    [0, 2, 0, 1, true],
    [0, 1, 1, 3, true],
    [1, 2, 1, 2, true],
    [1, 2, 2, 3, true],
    [2, 3, 0, 1, false],
    [2, 3, 1, 2, false],
    [2, 3, 2, 3, false],
  ]);
});

test('boxes are around the four corners, in shares of the picture that fills a part of the square', () => {
  const structure = decodeStructure(answer('<tr>', cell, cell, '</tr>', 'end'), { width: 0.5, height: 1 });
  const [, second] = structure?.cells ?? [];
  expect(second?.box.x0).toBeCloseTo(0.2);
  expect(second?.box.x1).toBeCloseTo(0.4);
  expect([second?.box.y0, second?.box.y1]).toEqual([0, expect.closeTo(0.1)]);
});

test.each([
  ['that does not end', ['<tr>', cell, cell, '</tr>']],
  ['without cells', ['<tr>', '</tr>', 'end']],
  ['with a cell outside of rows', [cell, '<tr>', cell, '</tr>', 'end']],
  ['of nothing', []],
])('an answer %s is no table', (_, written) => {
  expect(decodeStructure(answer(...written), whole)).toBeUndefined();
});

test('a cell that spans more rows than there are ends with the last one', () => {
  const structure = decodeStructure(answer('<tr>', '<td', ' rowspan="20"', '>', '</td>', '</tr>', 'end'), whole);
  expect(structure?.cells).toMatchObject([{ row: 0, rowEnd: 1 }]);
});

test('a cell whose corners are no numbers is no table', () => {
  const written = answer('<tr>', cell, cell, '</tr>', 'end');
  written.corners[8] = NaN;
  expect(decodeStructure(written, whole)).toBeUndefined();
});

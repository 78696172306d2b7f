import type { Font } from '../geometry/page';
import type { Line } from '../text/line';
import { joinFormulas } from './formulas';
import { isFormula } from './notes';
import { buildBlocks } from './paragraphs';

const roman: Font = { name: 'CMR10', bold: false, italic: false, mono: false };
const math: Font = { ...roman, name: 'CMMI10' };

let order = 0;
/** A line of text that begins at `x`; letters are half as wide as the size. */
function line(text: string, x: number, y: number, { font = roman, size = 10 } = {}): Line {
  let l = x;
  const words = text.split(' ').map((word) => {
    const box = { l, r: l + (word.length * size) / 2, b: y - 0.22 * size, t: y + 0.78 * size };
    l = box.r + size / 4;
    return { text: word, box, size, font, raised: false };
  });
  const box = { ...words[0]!.box, r: words.at(-1)!.box.r };
  order += 1;
  const style = { bold: false, italic: false, mono: false, family: 'cmr', isAside: false };
  return { text, words, box, baseline: y, size, order, ...style };
}

const above = line('The loss of the model is the sum of both of its parts', 50, 700);
const below = line('where the first part is that of the structure', 50, 664);

test('a displayed formula separates the text above and below, though it is as close as their lines are to each other', () => {
  const formula = line('L = a + b', 140, 686, { font: math });
  const blocks = buildBlocks(joinFormulas([above, formula, line('(1)', 280, 686), below]));
  expect(blocks.map(({ text }) => text)).toEqual([above.text, 'L = a + b (1)', below.text]);
  expect(blocks.map(isFormula)).toEqual([false, true, false]);
});

test('limits and indices above and below belong to the formula, another formula does not', () => {
  const parts = [
    line('L = ∑ a', 140, 682, { font: math }),
    line('N', 158, 690, { font: math, size: 7 }),
    line('i=1', 156, 672, { font: math, size: 7 }),
  ];
  const second = line('K = b', 140, 655, { font: math });
  const joined = joinFormulas([above, ...parts, second]);
  expect(joined.map(({ text }) => text)).toEqual([above.text, 'N L = ∑ a i=1', 'K = b']);
  expect(joined[1]!.box).toMatchObject({ b: parts[2]!.box.b, t: parts[1]!.box.t });
});

test('words as indices are not a sentence; a relation at the text margin and a sentence are not formulas', () => {
  const named = { ...line('L = total', 140, 686, { font: math }) };
  named.words[2] = { ...named.words[2]!, font: roman, size: 7 };
  expect(joinFormulas([above, named])[1]!.isFormula).toBe(true);
  const atMargin = line('x = 3', 50, 686, { font: math });
  const sentence = line('here the value x = 3 holds', 80, 686);
  sentence.words[3] = { ...sentence.words[3]!, font: math };
  for (const item of [atMargin, sentence]) expect(joinFormulas([above, item, below])).toEqual([above, item, below]);
});

test('an operator above the line of its relation belongs to it, one below another operator does not', () => {
  const relation = line('D = 1 - a', 140, 682, { font: math });
  const sum = line('∑ b', 190, 694, { font: math });
  expect(joinFormulas([above, relation, sum]).map(({ text }) => text)).toEqual([above.text, '∑ b D = 1 - a']);
  const rows = [line('∏ a', 140, 682, { font: math }), line('∏ b', 140, 668, { font: math })];
  expect(joinFormulas([above, ...rows]).map(({ text }) => text)).toEqual([above.text, '∏ a', '∏ b']);
});

test('a bracket in the font of the text before a name is part of the formula', () => {
  const relation = line('D = 1 -', 140, 682, { font: math });
  const numerator = line('n (πi +', 182, 688, { font: math });
  numerator.words[1] = { ...numerator.words[1]!, font: roman };
  expect(joinFormulas([above, relation, numerator])).toHaveLength(2);
  const words = line('if it is', 182, 688, { font: math });
  words.words = words.words.map((word) => ({ ...word, font: roman }));
  expect(joinFormulas([above, relation, words])).toHaveLength(3);
});

import type { Glyph, Rule } from '../geometry/page';
import { writeTex } from './tex';

const italic = { name: 'CMMI10', bold: false, italic: true, mono: false };
const roman = { name: 'CMR10', bold: false, italic: false, mono: false };

/** Signs on a baseline, starting at `x`, each half as wide as its size. */
function signs(text: string, x: number, baseline: number, { size = 10, font = italic } = {}): Glyph[] {
  return Array.from(text).map((sign, index) => {
    const l = x + (index * size) / 2;
    const box = { l, r: l + size / 2, b: baseline - 0.22 * size, t: baseline + 0.78 * size };
    return { text: sign, box, baseline, size, font, rotation: 0, invisible: false };
  });
}
const bar = (at: number, from: number, to: number): Rule => ({ axis: 'h', at, from, to });

test('smaller signs above and below the line are indices of the preceding sign', () => {
  const small = { size: 7 };
  expect(writeTex([...signs('x', 0, 100), ...signs('2', 5, 104, small), ...signs('+y', 10, 100)], [])).toBe('x^{2}+y');
  expect(writeTex([...signs('x', 0, 100), ...signs('i', 5, 98, small), ...signs('2', 5, 104, small)], [])).toBe(
    'x_{i}^{2}',
  );
});

test('a bar with signs above and below is a fraction, also inside another fraction', () => {
  const inner = [...signs('b', 12, 93), ...signs('c', 12, 81), ...signs('a', 12, 107)];
  expect(writeTex([...signs('k=', 0, 100), ...inner], [bar(102.5, 10, 20), bar(90, 11, 19)])).toBe(
    'k=\\frac{a}{\\frac{b}{c}}',
  );
});

test('a bar that starts at a root sign is a root', () => {
  expect(writeTex([...signs('√', 0, 100, { font: roman }), ...signs('x+1', 5, 100)], [bar(108, 5, 20)])).toBe(
    '\\sqrt{x+1}',
  );
});

test('limits are above and below their operator', () => {
  const sum = [...signs('∑', 10, 100, { size: 14 }), ...signs('n', 11, 113, { size: 7 })];
  expect(writeTex([...sum, ...signs('i=1', 8, 90, { size: 7 }), ...signs('α', 22, 100)], [])).toBe(
    '\\sum_{i=1}^{n}\\alpha',
  );
});

test('adjacent upright letters are a function known to TeX, or text', () => {
  expect(writeTex([...signs('log', 0, 100, { font: roman }), ...signs('x', 17, 100)], [])).toBe('\\log x');
  expect(writeTex([...signs('a=', 0, 100), ...signs('rate', 12, 100, { font: roman })], [])).toBe('a=\\mathrm{rate}');
});

test('an unknown sign gives no TeX rather than wrong TeX', () => {
  expect(writeTex(signs('a\ue001b', 0, 100), [])).toBeUndefined();
});

test('accents of letters are commands, and the increment sign is a delta', () => {
  expect(
    writeTex(
      [...signs('x', 0, 100), ...signs('=', 6, 100)].map((sign) =>
        sign.text === 'x' ? { ...sign, text: 'x\u0302' } : sign,
      ),
      [],
    ),
  ).toBe('\\hat{x}=');
  const delta = signs('D', 0, 100).map((sign) => ({ ...sign, text: '\u2206\u030c' }));
  expect(writeTex([...delta, ...signs('+é', 6, 100)], [])).toBe('\\check{\\Delta}+\\acute{e}');
});

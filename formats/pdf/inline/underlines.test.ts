import type { Rule } from '../geometry/page';
import { type Drawing, grid, labelled, paragraphs, readDrawn } from '../pdf-test-support';
import type { Line } from '../text/line';
import { omitUnderlines } from './underlines';

const put = (pdf: Drawing, text: string, x: number, y: number) => pdf.text(text, x, y, { lineBreak: false });
const rule = (pdf: Drawing, from: number, to: number, y: number) =>
  pdf.moveTo(from, y).lineTo(to, y).lineWidth(0.6).stroke();

test('paragraphs and items that a reviewer has underlined are no table', async () => {
  const lines = [
    'The harbour office keeps a daily record of the level at the northern',
    'pier, and every morning the reading is compared with tables of tides',
    'for the year, and differences of ten centimetres are always reported',
    'to the officer on duty, who looks at the gauge of the pier by midday.',
  ];
  const items = ['the engineer on duty', 'the office of the harbour', 'the pilot'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11);
    // Justified lines, which are underlined up to the margin.
    const underlined = (text: string, y: number) => {
      const white = 380 - pdf.widthOfString(text);
      const wordSpacing = white / (text.split(' ').length - 1);
      pdf.text(text, 72, y, { lineBreak: false, ...({ wordSpacing } as object) });
      rule(pdf, 72, 452, y + 10);
    };
    lines.forEach((line, index) => underlined(line, 80 + 16 * index + (index > 1 ? 80 : 0)));
    items.forEach((item, index) => {
      const y = 116 + 24 * index;
      put(pdf, '•', 100, y);
      put(pdf, item, 114, y);
      rule(pdf, 100, 114 + pdf.widthOfString(item), y + 10);
    });
  });
  expect(document.tables).toEqual([]);
  expect(paragraphs(document)).toEqual([lines.slice(0, 2).join(' '), lines.slice(2).join(' ')]);
  expect(labelled(document, 'list_item')).toEqual(items);
});

test('rulings below rows, as wide as their cells, are those of a table', async () => {
  const rows = [
    ['Pier of the harbour', 'Gauge at noon'],
    ['The northern pier of stone', '4.2 metres above zero'],
    ['The southern pier of wood', '3.9 metres above zero'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11);
    rule(pdf, 72, 420, 90);
    rows.forEach((row, index) => {
      row.forEach((cell, column) => put(pdf, cell, 72 + 200 * column, 96 + 20 * index));
      rule(pdf, 72, 420, 110 + 20 * index);
    });
  });
  expect(grid(document)).toEqual(rows);
});

const level = (at: number, from: number, to: number): Rule => ({ axis: 'h', at, from, to });

/** A line of words of equal width. */
function createLine(count: number, baseline: number): Line {
  const font = { name: 'Sans', bold: false, italic: false, mono: false };
  const words = Array.from({ length: count }, (_, index) => {
    const l = 50 + 40 * index;
    return { text: 'tides', box: { l, r: l + 36, b: baseline - 2, t: baseline + 8 }, size: 10, font, raised: false };
  });
  const box = { l: 50, r: 46 + 40 * count, b: baseline - 2, t: baseline + 8 };
  const style = { bold: false, italic: false, mono: false, family: 'sans', isAside: false };
  return { text: words.map(({ text }) => text).join(' '), words, box, baseline, size: 10, order: 0, ...style };
}

test('underlines of a page with several underlined lines are omitted; rulings beyond words or far below them stay', () => {
  const lines = [createLine(6, 700), createLine(6, 680), createLine(2, 660)];
  const underlines = [level(699, 50, 286), level(679, 50, 286), level(659, 50, 126)];
  const rulings = [level(697, 50, 286), level(699, 40, 300), level(640, 50, 286)];
  expect(omitUnderlines([...underlines, ...rulings], lines)).toEqual(rulings);
  const one = [level(699, 50, 286), level(659, 50, 126)];
  expect(omitUnderlines(one, lines)).toEqual(one);
});

test('underlines through the baseline are omitted at any height of the page', () => {
  const underlines = [level(700.1, 50, 286), level(680.1, 50, 286)];
  const lines = [createLine(6, 699.95), createLine(6, 679.95)];
  expect(omitUnderlines(underlines, lines)).toEqual([]);
});

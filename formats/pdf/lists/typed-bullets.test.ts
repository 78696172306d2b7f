import { toMarkdown } from '../../../document/write/markdown';
import { describeFont } from '../engine/glyphs';
import { type Drawing, grid, labelled, paragraphs, prose, readDrawn } from '../pdf-test-support';
import type { Line, Word } from '../text/line';
import { readTypedBullets } from './typed-bullets';

const put = (pdf: Drawing, text: string, x: number, y: number) => pdf.text(text, x, y, { lineBreak: false });
const items = ['Readings of the gauge', 'Means of the month', 'Notes of the engineer'];

/** Items with this letter, and with their text this many points further to the right. */
const readItems = (letter: string, indent: number) =>
  readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    put(pdf, '•', 90, 180);
    put(pdf, 'What the office keeps', 104, 180);
    items.forEach((item, index) => {
      put(pdf, letter, 110, 196 + 16 * index);
      put(pdf, item, 110 + indent, 196 + 16 * index);
    });
  });

test('a letter o set apart from the text is a bullet of the second level, near its item or far from it', async () => {
  for (const indent of [14, 40])
    expect(
      toMarkdown(await readItems('o', indent))
        .split('\n')
        .slice(2),
    ).toEqual(['- What the office keeps', ...items.map((item) => `    - ${item}`)]);
});

test('other letters, and an o that is a word, are text', async () => {
  expect(labelled(await readItems('e', 14), 'list_item')).toHaveLength(1);
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    ['Il molo', 'o la diga', 'o il faro'].forEach((line, index) => put(pdf, line, 72, 180 + 14 * index));
  });
  expect(labelled(document, 'list_item')).toEqual([]);
  expect(paragraphs(document).slice(1).join(' ')).toBe('Il molo o la diga o il faro');
});

const [sans, symbols] = ['Sans', 'Signs'].map((name) =>
  describeFont(name, { flags: 0, weight: 400, angled: false }),
) as [Word['font'], Word['font']];

/** A line of words side by side; the first letter of the first word may have a font of its own. */
function createLine(text: string, baseline: number, first = sans): Line {
  const words = text.split(' ').map((word, index): Word => {
    const l = 50 + 60 * index;
    const font = index === 0 ? first : sans;
    const box = { l, r: l + 6 * word.length, b: baseline - 2, t: baseline + 8 };
    return { text: word, box, size: 10, font, ...(font === sans ? {} : { main: sans }), raised: false };
  });
  const box = { l: 50, r: words.at(-1)!.box.r, b: baseline - 2, t: baseline + 8 };
  const style = { bold: false, italic: false, mono: false, family: 'sans', isAside: false };
  return { text, words, box, baseline, size: 10, order: 0, ...style };
}
const texts = (lines: Line[]) => readTypedBullets(lines).map((line) => line.text);

test('a sign that begins several lines is a bullet, also if it touches the first word', () => {
  const lines = [createLine('♫Music of', 700), createLine('the harbour', 688), createLine('♫Songs', 676)];
  expect(texts(lines)).toEqual(['♫ Music of', 'the harbour', '♫ Songs']);
  expect([lines[0]!, lines[1]!].map(({ words: [word] }) => word!.isLabel)).toEqual([true, undefined]);
  expect(lines[0]!.words[1]!.box.l).toBeGreaterThan(lines[0]!.words[0]!.box.l);
});

test('a sign on one line, signs that belong to a word, and ligatures with private characters are text', () => {
  for (const lines of [
    [createLine('♫Music', 700), createLine('Songs', 688)],
    [createLine('©2024 Harbour', 700), createLine('©2025 Harbour', 688)],
    [createLine('\ue001is gauge', 700), createLine('\ue001e tide', 688)],
  ])
    expect(texts(lines)).toEqual(lines.map(({ text }) => text));
  expect(texts([createLine('\ue001Gauge', 700, symbols), createLine('\ue001Tide', 688, symbols)])).toEqual([
    '\ue001 Gauge',
    '\ue001 Tide',
  ]);
});

test.each([
  ['triangles that say more or less', ['▲Harbour 3.4', '▼Pier 2.0', '▲Gauge 1.1', '▼Tide 0.4']],
  ['triangles before figures', ['▲ 3.4 %', '▼ 2.0 %', '▲ 1.1 %', '▼ 0.4 %']],
  ['letters that no map names', ['\ufffdnglish harbour', 'the gauge', '\ufffdlan of']],
  ['steps of a derivation', ['⇒ x = 3', '⇒ x > 0']],
  ['reactions', ['→ CO2 + H2O', '→ NH3 + O2']],
  ['arrows before figures', ['→ 0 %', '→ 0 points']],
  ['ratings', ['★ Pier Hotel', '★★ Gauge Inn', '★ Tide House']],
  ['notes with stars', ['∗Equal contribution', '∗Corresponding author']],
  ['telephones', ['☎ Harbour 12', '☎ Pier 13']],
  ['headings of Japanese', ['■会社概要', '■沿革']],
])('%s keep their signs', (_, rows) => {
  const lines = rows.map((row, index) => createLine(row, 700 - 12 * index));
  expect(texts(lines)).toEqual(rows);
  expect(lines.some(({ words }) => words.some(({ isLabel }) => isLabel))).toBe(false);
});

test.each([
  ['tables drawn with signs', ['│ name │', '│ nuts │']],
  ['prompts of a program', ['➜ git status', '➜ git add']],
])('%s are code', (_, rows) => {
  const lines = rows.map((row, index) => ({ ...createLine(row, 700 - 12 * index), mono: true, family: 'mono' }));
  expect(readTypedBullets(lines).flatMap(({ words }) => words.filter(({ isLabel }) => isLabel))).toEqual([]);
});

test('a mark in the middle of the rows of a table is no bullet', async () => {
  const rows = [
    ['Pier', 'o', 'Yes'],
    ['Gauge', 'o', 'Yes'],
    ['Tide', 'x', 'No'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    rows.forEach((row, index) =>
      row.forEach((cell, column) => put(pdf, cell, [72, 160, 200][column]!, 180 + 14 * index)),
    );
  });
  expect(grid(document)).toEqual(rows);
});

test('a word o in justified lines is text, however wide their gaps are', () => {
  const lines = ['o faz o cais', 'quando o mar', 'o porto mede'].map((row, index) => {
    const line = createLine(row, 700 - 12 * index);
    let l = 50;
    for (const word of line.words) {
      word.box = { ...word.box, l, r: l + 6 * word.text.length };
      l = word.box.r + 7;
    }
    return line;
  });
  expect(texts(lines)).toEqual(['o faz o cais', 'quando o mar', 'o porto mede']);
});

test('a row of thousands of letters takes no quadratic time and is no list', () => {
  const letters = Array.from({ length: 20_000 }, (_, index): Line => {
    const line = createLine('o', 700);
    line.words[0]!.box = { ...line.words[0]!.box, l: 20 * index, r: 20 * index + 6 };
    return line;
  });
  const started = process.cpuUsage();
  expect(readTypedBullets(letters)).toHaveLength(letters.length);
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(2);
});

test('thousands of items in one place take no quadratic time and are no list', () => {
  const lines = Array.from({ length: 30_000 }, () => {
    const line = createLine('o ab', 700);
    line.words[1]!.box = { ...line.words[1]!.box, l: 66, r: 78 };
    return line;
  });
  const started = process.cpuUsage();
  expect(readTypedBullets(lines).some(({ words: [first] }) => first!.isLabel)).toBe(false);
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(2);
});

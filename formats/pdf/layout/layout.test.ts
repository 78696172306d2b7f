import { sortForReading } from '../blocks/sort-for-reading';
import { findFurniture } from '../furniture/furniture';
import type { Box } from '../geometry/box';
import type { Font, Rule } from '../geometry/page';
import { listShadingRules, findGrids } from '../geometry/rulings';
import { noText } from '../pdf-test-support';
import { findAlignedTables } from '../table/borderless';
import { findLinedTables } from '../table/lined-tables';
import type { Line } from '../text/line';
import { pairCaptions } from './captions';
import { splitColumns } from './columns';
import { findHeadings } from './headings';
import { layoutPage } from './layout';
import { isFormula } from './notes';
import { buildBlocks } from './paragraphs';
import type { Part } from './part';

const roman: Font = { name: 'Times-Roman', bold: false, italic: false, mono: false };

const whole = { text: noText, toPage: (box: Box) => box };

let order = 0;
/** A line of text that begins at `x`; letters are half as wide as the size. */
function line(text: string, x: number, y: number, more: Partial<Line> & { font?: Font } = {}): Line {
  const { font = roman, size = 10, ...rest } = more;
  let l = x;
  const words = text.split(' ').map((word) => {
    const box = { l, r: l + (word.length * size) / 2, b: y - 0.22 * size, t: y + 0.78 * size };
    l = box.r + size / 4;
    return { text: word, box, size, font, raised: false };
  });
  const box = { ...words[0]!.box, r: words.at(-1)!.box.r };
  order += 1;
  return {
    text,
    words,
    box,
    baseline: y,
    size,
    bold: font.bold,
    italic: false,
    mono: false,
    family: 'times',
    isAside: false,
    order,
    ...rest,
  };
}

const sentence = 'the water of the northern pier is read every morning by';
const paragraph = (x: number, y: number, lines: number) =>
  Array.from({ length: lines }, (_, index) => line(sentence, x, y - index * 12));
const placed = (lines: readonly Line[]) =>
  lines.map((item) => ({ box: item.box, order: item.order, isText: true, item }));
const edges = (l: number, r: number, ys: number[], xs: number[]): Rule[] => [
  ...ys.map((at): Rule => ({ axis: 'h', at, from: l, to: r })),
  ...xs.map((at): Rule => ({ axis: 'v', at, from: Math.min(...ys), to: Math.max(...ys) })),
];

test('columns are separated and read from the left, or from the right in right-to-left text', () => {
  const left = paragraph(50, 700, 6);
  const right = paragraph(350, 700, 6);
  const mixed = left.flatMap((item, index) => [item, right[index]!]);
  const firsts = (rtl: boolean) => splitColumns(placed(mixed), 10, rtl).map((part) => part[0]!.item);
  expect(firsts(false)).toEqual([left[0], right[0]]);
  expect(firsts(true)).toEqual([right[0], left[0]]);
});

test('a line across both columns is read between the content above and below it', () => {
  const across = line(`${sentence} ${sentence}`, 50, 600);
  const all = [
    ...paragraph(50, 700, 6),
    ...paragraph(350, 700, 6),
    across,
    ...paragraph(50, 580, 6),
    ...paragraph(350, 580, 6),
  ];
  expect(splitColumns(placed(all), 10, false).map((part) => part.length)).toEqual([6, 6, 1, 6, 6]);
});

test('a full-width table is placed above the columns below it, even if nothing crosses their gutter', () => {
  const cells = Array.from({ length: 4 }, (_, row) =>
    [60, 150, 250, 340, 430].map((x) => line('3.40', x, 700 - row * 14)),
  ).flat();
  const columns = [...paragraph(50, 600, 8), ...paragraph(350, 600, 8)];
  const stretches = splitColumns(placed([...cells, ...columns]), 10, false);
  expect(stretches.map((part) => part.length)).toEqual([20, 8, 8]);
});

test('author names side by side above two columns are neither columns nor a table', () => {
  const authors = ['Anna Berg', 'Oslo University', 'anna@uio.example'].flatMap((text, row) =>
    [80, 270, 460].map((x) => line(text, x, 700 - row * 12)),
  );
  const columns = [...paragraph(50, 600, 8), ...paragraph(350, 600, 8)];
  expect(splitColumns(placed([...authors, ...columns]), 10, false).map((part) => part.length)).toEqual([9, 8, 8]);
  expect(findAlignedTables(authors)).toEqual([]);
});

test('table cells are not columns', () => {
  const cells = Array.from({ length: 8 }, (_, row) => [
    line('North', 50, 700 - row * 14),
    line('3.40', 200, 700 - row * 14),
  ]).flat();
  expect(splitColumns(placed(cells), 10, false)).toHaveLength(1);
});

test('a paragraph ends at a wide gap, at a change of size, and at a line with room for the next word', () => {
  const lines = [
    ...paragraph(50, 700, 2),
    line('first of them.', 50, 676),
    line('The next begins here and is as long as the others', 50, 664),
    ...paragraph(50, 652, 1),
    ...paragraph(50, 600, 2),
    line('A heading', 50, 576, { size: 14 }),
  ];
  expect(buildBlocks(lines).map((block) => block.lines.length)).toEqual([3, 2, 2, 1]);
});

test('content higher on the page is read first regardless of file order', () => {
  const item = (name: string, l: number, t: number, at: number) => ({
    name,
    order: at,
    box: { l, r: l + 100, t, b: t - 20 },
  });
  const items = [item('below', 0, 100, 0), item('above', 0, 200, 1), item('aside', 300, 150, 2)];
  expect(sortForReading(items).map(({ name }) => name)).toEqual(['above', 'below', 'aside']);
});

test('rulings define cells, and a missing ruling gives a cell over both places', () => {
  const rules = edges(0, 200, [300, 280, 260], [0, 100, 200]).map((rule) =>
    rule.axis === 'v' && rule.at === 100 ? { ...rule, to: 280 } : rule,
  );
  const [grid] = findGrids(rules);
  expect(grid!.cells.map(({ row, rowEnd, column, columnEnd }) => [row, rowEnd, column, columnEnd])).toEqual([
    [0, 1, 0, 2],
    [1, 2, 0, 1],
    [1, 2, 1, 2],
  ]);
});

test('rulings that do not touch are separate tables, and an empty frame is not a table', () => {
  expect(
    findGrids([...edges(0, 200, [300, 280, 260], [0, 100, 200]), ...edges(0, 200, [200, 180, 160], [0, 100, 200])]),
  ).toHaveLength(2);
  expect(findGrids(edges(0, 200, [300, 260], [0, 200]))).toEqual([]);
});

test('adjacent shaded areas bound cells; a shaded line of text does not', () => {
  const cell = (l: number, b: number): Box => ({ l, r: l + 100, b, t: b + 20 });
  expect(
    findGrids(listShadingRules([cell(0, 100), cell(100, 100), cell(0, 80), cell(100, 80)], []))[0]!.cells,
  ).toHaveLength(4);
  expect(listShadingRules([cell(0, 100)], [])).toEqual([]);
});

test('a rotated column header goes into its cell, and no word of a ruled table is lost', () => {
  const head = line('Level', 110, 285, { isAside: true });
  const lines = [line('Pier', 10, 285), line('North', 10, 265), line('3.40', 110, 265)];
  const page = {
    pageNo: 1,
    width: 600,
    height: 800,
    rules: edges(0, 200, [300, 280, 260], [0, 100, 200]),
    fills: [],
    drawings: [],
    images: [],
    links: [],
  };
  const { parts, aside } = layoutPage({ page, width: 600, height: 800, lines, aside: [head], ...whole }, lines);
  const table = parts.find((part) => part.kind === 'table');
  expect(table?.table.cells.map(({ text }) => text)).toEqual(['Pier', 'Level', 'North', '3.40']);
  expect(aside).toEqual([]);
});

test('labels of a drawing become children of its picture, and a box of prose stays text', () => {
  const shapes = Array.from({ length: 12 }, (_, index) => ({
    l: 100 + index * 10,
    r: 108 + index * 10,
    b: 400,
    t: 500,
  }));
  const layout = (lines: Line[]) => {
    const page = { pageNo: 1, width: 600, height: 800, rules: [], fills: [], drawings: shapes, images: [], links: [] };
    return layoutPage({ page, width: 600, height: 800, lines, aside: [], ...whole }, lines).parts;
  };
  const [picture] = layout([line('Pump', 120, 450)]);
  expect(picture).toMatchObject({ kind: 'picture', labels: [{ text: 'Pump' }] });
  const prose = Array.from({ length: 4 }, (_, index) => line(sentence.slice(0, 44), 105, 480 - index * 6, { size: 5 }));
  expect(layout(prose).filter(({ kind }) => kind === 'block')).toHaveLength(1);
});

test('aligned cells are a table; adjacent lists and two columns of prose are not', () => {
  const row = (cells: string[], y: number) => cells.map((text, column) => line(text, 50 + column * 120, y));
  const table = [
    row(['Year', 'Trips', 'Cars'], 700),
    row(['2030', '400', '90'], 686),
    row(['2031', '437', '101'], 672),
  ].flat();
  expect(findAlignedTables(table)[0]!.table).toMatchObject({ rows: 3, columns: 3 });
  const lists = [
    row(['- one', '- two'], 700),
    row(['- three', '- four'], 686),
    row(['- five', '- six'], 672),
    row(['- a', '- b'], 658),
  ].flat();
  expect(findAlignedTables(lists)).toEqual([]);
  const long = `${sentence} and by`;
  const prose = [700, 688, 676, 664, 652].flatMap((y) => [line(long, 20, y), line(long, 330, y)]);
  expect(findAlignedTables(prose)).toEqual([]);
});

test('the second line of a cell goes into the cell above it', () => {
  const lines = [
    ...['North', '3.40', 'calm'].map((text, column) => line(text, 50 + column * 120, 700)),
    ...['South', '3.10', 'strong wind'].map((text, column) => line(text, 50 + column * 120, 684)),
    line('from west', 290, 673),
    ...['East', '3.20', 'calm'].map((text, column) => line(text, 50 + column * 120, 657)),
  ];
  const [table] = findAlignedTables(lines);
  expect(table!.table.rows).toBe(3);
  expect(table!.table.cells.find(({ row, column }) => row === 1 && column === 2)!.text).toBe('strong wind from west');
});

test('a header over several columns spans them, above the table or in its first row', () => {
  const cells = Array.from({ length: 4 }, (_, row) =>
    ['North', '3.40', '3.50', '2.10', '2.20'].map((text, column) => line(text, 50 + column * 80, 660 - row * 14)),
  ).flat();
  const spans = (head: ReturnType<typeof line>[]) => {
    const [table] = findAlignedTables([...head, ...cells]);
    return table!.table.cells
      .filter(({ row }) => row === 0)
      .map(({ text, column, columnEnd }) => [text, column, columnEnd]);
  };
  const wide = [line('Levels of the first year', 125, 674), line('Levels of the second', 290, 674)];
  expect(spans(wide)).toEqual([
    ['Levels of the first year', 1, 3],
    ['Levels of the second', 3, 5],
  ]);
  expect(spans([line('First', 167, 674), line('Next', 329, 674)])).toEqual([
    ['First', 1, 3],
    ['Next', 3, 5],
  ]);
  expect(spans([line('First', 131, 674), line('Next', 291, 674)])).toEqual([
    ['First', 1, 2],
    ['Next', 3, 4],
  ]);
});

test('dotted lines leading to page numbers are a table of contents', () => {
  const lines = ['1 Start . . . . . . . 1', '2 Middle . . . . . . 14', '3 End . . . . . . xii'].map((text, index) =>
    line(text, 50, 700 - index * 14),
  );
  const [table] = findAlignedTables(lines);
  expect(table).toMatchObject({ isIndex: true, table: { rows: 3, columns: 2 } });
  expect(table!.table.cells.map(({ text }) => text).filter((_, index) => index % 2 === 1)).toEqual(['1', '14', 'xii']);
});

test('lines repeated at the margin are furniture, with numbers masked; a repeated line in the text is not', () => {
  const pages = [1, 2, 3].map((no) => ({
    height: 800,
    lines: [line(`Report, page ${no}`, 50, 780), ...paragraph(50, 600, 3), line(String(no), 300, 120)],
  }));
  const furniture = findFurniture(pages);
  expect([...furniture].map(([{ text }, label]) => `${label}: ${text}`).toSorted()).toEqual(
    [1, 2, 3].flatMap((no) => [`page_footer: ${no}`, `page_header: Report, page ${no}`]).toSorted(),
  );
});

test('heading levels come from bookmarks, then numbers, then shared styles, then sizes', () => {
  const heading = (text: string, size: number, pageNo: number) => ({
    block: buildBlocks([line(text, 50, (y -= 30), { size })])[0]!,
    pageNo,
  });
  let y = 800;
  const body = Array.from({ length: 6 }, () => ({ block: buildBlocks(paragraph(50, 600, 4))[0]!, pageNo: 2 }));
  const list = [
    heading('The Whole Title', 24, 1),
    heading('Start', 18, 2),
    heading('2.1.3 Numbered', 16, 2),
    heading('Set as the numbered one', 16, 2),
    heading('Smaller', 13, 2),
    heading('Marked', 16, 2),
  ];
  const levels = findHeadings([...list, ...body], [{ title: 'MARKED.', level: 4, pageNo: 2 }]);
  expect(list.map(({ block }) => levels.get(block))).toEqual([0, 1, 3, 3, 3, 4]);
  expect(body.some(({ block }) => levels.has(block))).toBe(false);
});

test('blocks side by side in larger type are names, not headings', () => {
  const at = (text: string, x: number) => ({
    block: buildBlocks([line(text, x, 700, { size: 12 })])[0]!,
    pageNo: 1,
  });
  const body = Array.from({ length: 6 }, () => ({ block: buildBlocks(paragraph(50, 600, 4))[0]!, pageNo: 1 }));
  expect(findHeadings([at('Anna Berg', 80), at('Jon Lund', 300), ...body], []).size).toBe(0);
  expect(findHeadings([at('Anna Berg', 80), ...body], []).size).toBe(1);
});

test('a caption goes to the nearest item that it can name, and each item gets one', () => {
  const block = (text: string, t: number): Part => {
    const [made] = buildBlocks([line(text, 50, t - 8)]);
    return { kind: 'block', block: made!, column: 0, box: made!.box, order: 0 };
  };
  const picture = (t: number): Part => ({
    kind: 'picture',
    labels: [],
    box: { l: 50, r: 200, t, b: t - 80 },
    order: 0,
  });
  const parts = [
    picture(700),
    block('Figure 1: The pier', 610),
    picture(590),
    block('Figure 2: The gauge', 500),
    block('Text about Figure 3', 480),
  ];
  const pairs = pairCaptions(parts);
  expect(
    [...pairs]
      .map(
        ([
          index,
          {
            block: { text },
          },
        ]) => [index, text],
      )
      .toSorted((a, b) => Number(a[0]) - Number(b[0])),
  ).toEqual([
    [0, 'Figure 1: The pier'],
    [2, 'Figure 2: The gauge'],
  ]);
});

test('a relation in a math font is a formula, a sentence with a sign is not', () => {
  const math = { ...roman, name: 'CMMI10' };
  const [formula] = buildBlocks([line('a2 + 8 = 12', 50, 700, { font: math })]);
  const [text] = buildBlocks([line('where result = 12 holds for every value', 50, 700, { font: math })]);
  expect([formula, text].map((block) => isFormula(block!))).toEqual([true, false]);
});

test('a right-to-left paragraph ends with a line that is short at the left', () => {
  const flushRight = (text: string, y: number) =>
    line(text, 500 - (text.length - text.split(' ').length + 1) * 5 - (text.split(' ').length - 1) * 2.5, y);
  const lines = [
    flushRight('aaaaaaa bbbbbbb ccccccc ddddddd', 700),
    flushRight('eeeeeee fffffff ggggggg hhhhhhh', 688),
    flushRight('nnnnn.', 676),
    flushRight('Jjjjjjj kkkkkkk lllllll mmmmmmm', 664),
  ];
  expect(buildBlocks(lines, true).map((block) => block.lines.length)).toEqual([3, 1]);
});

test('the same consonant at the start of three lines is a bullet, at the start of two it is not', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, row) => line(`r Database of pier ${row} and more of it`, 50, 700 - row * 12));
  expect(buildBlocks(lines(3)).map(({ mark }) => mark?.marker)).toEqual(['r', 'r', 'r']);
  expect(buildBlocks(lines(2)).map(({ mark }) => mark?.marker)).toEqual([undefined]);
});

test('the initial of a name is not a list mark, consecutive letters are', () => {
  const marks = (lines: Line[]) => buildBlocks(lines).map(({ mark }) => mark?.marker);
  expect(marks([line('A. Author', 50, 700)])).toEqual([undefined]);
  expect(marks([line('A. North', 50, 700), line('B. South', 50, 688)])).toEqual(['A.', 'B.']);
});

test('rows between horizontal rulings are a table, and its cells may have several lines', () => {
  const rules = [690, 660, 630, 600].map((at): Rule => ({ axis: 'h', at, from: 50, to: 400 }));
  const lines = [
    line('Term', 50, 694, { bold: true }),
    line('Meaning', 150, 694, { bold: true }),
    line('Pier', 50, 679),
    line('Where ships are', 150, 679),
    line('made fast', 150, 667),
    line('Gauge', 50, 649),
    line('What tells the level', 150, 649),
    line('Well', 50, 619),
    line('Where it stands', 150, 619),
    line('A paragraph that follows the table', 50, 570),
  ];
  const [table, ...others] = findLinedTables(rules, lines);
  expect(others).toEqual([]);
  expect(table!.table).toMatchObject({ rows: 4, columns: 2 });
  expect(table!.table.cells.filter(({ row }) => row < 2).map(({ text, header }) => [text, header])).toEqual([
    ['Term', true],
    ['Meaning', true],
    ['Pier', false],
    ['Where ships are made fast', false],
  ]);
  // Rulings between full-width sections of text.
  const sections = [675, 645, 615].map((y) =>
    line('A section of text that runs from the one side to the other side', 50, y),
  );
  expect(findLinedTables(rules, sections)).toEqual([]);
});

test('the number in the margin belongs to the equation', () => {
  const [block, ...others] = buildBlocks([line('(1)', 390, 700), line('L = a + b', 200, 700)]);
  expect([block!.text, others]).toEqual(['L = a + b (1)', []]);
});

import { defaultLimits, type HeadingRules } from '../../format';
import { draw, prose, readDrawn } from '../pdf-test-support';
import { read } from '../read';
import { assignSchemeLevels } from './heading-numbers';

const rules: HeadingRules = {
  useBookmarks: false,
  useOutlineLevels: true,
  bookmarkThreshold: 0.8,
  useNumbering: false,
  numberingSchemes: null,
  useStyle: false,
  useFontStyle: true,
  styleSizeTolerance: 0.05,
  maxLevel: 6,
};

/** The part of pdfkit's type that its declarations omit. */
interface Outline {
  addItem(title: string): Outline;
}

interface Heading {
  text: string;
  size?: number;
  font?: string;
  /** Its bookmark: the parent entry, and the title if it differs. */
  mark?: { parent?: string; title?: string };
}

/** A PDF with these headings, each with a paragraph below it. */
function withHeadings(headings: readonly Heading[]): Promise<Uint8Array> {
  return draw((pdf) => {
    const { outline } = pdf as unknown as { outline: Outline };
    const marks = new Map<string, Outline>();
    for (const { text, size = 14, font = 'Helvetica-Bold', mark } of headings) {
      if (mark) {
        const parent = mark.parent === undefined ? outline : marks.get(mark.parent);
        marks.set(text, parent!.addItem(mark.title ?? text));
      }
      pdf.font(font).fontSize(size).text(text).moveDown(0.5);
      pdf.font('Times-Roman').fontSize(11).text(prose).moveDown(0.5);
    }
  });
}

async function getLevels(headings: readonly Heading[], more: Partial<HeadingRules>): Promise<(number | undefined)[]> {
  const bytes = await withHeadings(headings);
  const paged = { headings: { ...rules, ...more } };
  const { texts } = await read(bytes, { name: 'a.pdf', limits: defaultLimits, paged });
  return texts.flatMap(({ label, level }) => (label === 'section_header' ? [level ?? 0] : []));
}

const numbered = (...texts: string[]) => texts.map((text) => ({ text }));

test('without a rule all headings have level 1', async () => {
  expect(await getLevels(numbered('1 Piers', '1.1 North', '1.1.1 Gauge'), {})).toEqual([1, 1, 1]);
});

test('use_numbering counts the steps of numbers, below chapters and parts', async () => {
  const use = { useNumbering: true };
  expect(await getLevels(numbered('1 Piers', '1.1 North', '1.1.1 Gauge', '2 Tides'), use)).toEqual([1, 2, 3, 1]);
  expect(await getLevels(numbered('Chapter 1 Piers', '1.1 North', 'Chapter 2 Tides', '2.1 Ebb'), use)).toEqual([
    1, 2, 1, 2,
  ]);
  const parts = numbered('Part I Water', 'Chapter 1 Piers', 'Article 1 North', 'Part II Land', 'Chapter 2 Roads');
  expect(await getLevels(parts, use)).toEqual([1, 2, 3, 1, 2]);
});

test('use_numbering places letters and Roman numbers by the schemes that continue after them', async () => {
  const use = { useNumbering: true };
  const outline = numbered('I. Water', 'A. Piers', '1. North', '2. South', 'B. Tides', 'II. Land', 'A. Roads');
  expect(await getLevels(outline, use)).toEqual([1, 2, 3, 3, 2, 1, 2]);
  expect(await getLevels(numbered('1 Piers', '2 Tides', 'A. Tables', 'B. Maps'), use)).toEqual([1, 1, 1, 1]);
});

test('numbering_schemes ignores numbers of other schemes', async () => {
  const use = { useNumbering: true, numberingSchemes: ['chapter'] as const };
  expect(await getLevels(numbered('Chapter 1 Piers', '1.1 North', '1.1.1 Gauge'), use)).toEqual([1, 1, 1]);
});

test('use_style ranks headings by size and, with use_font_style, by bold and capitals within one size', async () => {
  const sizes = [
    { text: 'Water of the harbour', size: 18 },
    { text: 'Piers', size: 15 },
    { text: 'North', size: 13 },
    { text: 'Tides', size: 18 },
  ];
  expect(await getLevels(sizes, { useStyle: true })).toEqual([1, 2, 3, 1]);
  const weights = [{ text: 'PIERS' }, { text: 'North' }, { text: 'South', font: 'Helvetica' }, { text: 'TIDES' }];
  expect(await getLevels(weights, { useStyle: true })).toEqual([1, 2, 3, 1]);
  expect(await getLevels(weights, { useStyle: true, useFontStyle: false })).toEqual([1, 1, 1, 1]);
});

test('style_size_tolerance treats nearly equal sizes as equal', async () => {
  const sizes = [
    { text: 'Piers', size: 16 },
    { text: 'Tides', size: 14.5 },
    { text: 'Winds', size: 16 },
  ];
  expect(await getLevels(sizes, { useStyle: true })).toEqual([1, 2, 1]);
  expect(await getLevels(sizes, { useStyle: true, styleSizeTolerance: 0.2 })).toEqual([1, 1, 1]);
});

test('a heading without a number takes the level of those in the same style', async () => {
  const mixed = [
    { text: '1 Piers', size: 16 },
    { text: '1.1 North', size: 13 },
    { text: 'References', size: 16 },
    { text: 'Gauge', size: 13 },
  ];
  expect(await getLevels(mixed, { useNumbering: true, useStyle: true })).toEqual([1, 2, 1, 2]);
});

test('use_bookmarks takes the level from the outline if the title matches closely enough for bookmark_match_threshold', async () => {
  const marked = [
    { text: 'Piers of the harbour', mark: {} },
    { text: 'The northern pier', mark: { parent: 'Piers of the harbour', title: 'The Northern Piers' } },
    { text: 'Gauge' },
  ];
  expect(await getLevels(marked, { useBookmarks: true })).toEqual([1, 2, 1]);
  expect(await getLevels(marked, { useBookmarks: true, bookmarkThreshold: 1 })).toEqual([1, 1, 1]);
  expect(await getLevels(marked, { useBookmarks: true, useOutlineLevels: false })).toEqual([1, 1, 1]);
  expect(await getLevels(marked, {})).toEqual([1, 1, 1]);
});

test('max_level is the deepest level', async () => {
  const use = { useNumbering: true, maxLevel: 2 };
  expect(await getLevels(numbered('1 Piers', '1.1 North', '1.1.1 Gauge'), use)).toEqual([1, 2, 2]);
});

test('two-step numbers below a single chapter have level 2', () => {
  const levels = assignSchemeLevels([
    { scheme: 'chapter', depth: 1, at: 0 },
    { scheme: 'arabic', depth: 2, at: 1 },
  ]);
  expect(levels).toEqual(
    new Map([
      ['chapter', 1],
      ['arabic', 1],
    ]),
  );
});

test('a bookmark makes a heading only on its target page; the same words elsewhere stay text', async () => {
  const document = await readDrawn((pdf) => {
    const { outline } = pdf as unknown as { outline: { addItem(title: string): unknown } };
    pdf.fontSize(11).text(prose, 72, 72, { width: 450 }).text('Tides', 72, 300);
    pdf.addPage().text(prose, 72, 72, { width: 450 }).text('Tides', 72, 200).text(prose, 72, 240, { width: 450 });
    outline.addItem('Tides');
  });
  const found = document.texts
    .filter(({ text }) => text === 'Tides')
    .map(({ label, prov }) => [label, prov[0]?.page_no]);
  expect(found).toEqual([
    ['text', 1],
    ['section_header', 2],
  ]);
});

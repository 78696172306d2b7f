import { type Box, measureOverlapX, measureOverlapY } from '../geometry/box';
import { createStrips } from '../geometry/strips';
import { findHeadings } from '../layout/headings';
import { buildBlocks } from '../layout/paragraphs';
import { findAlignedTables } from '../table/borderless';
import type { Line } from '../text/line';
import { sortForReading } from './sort-for-reading';

/** Numbers from 0 to 1 that look random and are the same in every run. */
function createRandom(): () => number {
  let state = 7;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

const font = { name: 'Serif', bold: false, italic: false, mono: false };

function buildLine(text: string, l: number, baseline: number, order: number): Line {
  const box = { l, r: l + 3 * text.length, b: baseline - 1, t: baseline + 4 };
  const words = [{ text, box, size: 5, font, raised: false }];
  const style = { size: 5, bold: false, italic: false, mono: false, family: 'serif', isAside: false };
  return { text, words, box, baseline, order, ...style };
}

/** Letters at random places of a page, in random order. */
function scatter(count: number): Line[] {
  const random = createRandom();
  return Array.from({ length: count }, (_, order) => buildLine('a', 500 * random(), 700 * random(), order));
}

/** Rows of `columns` cells. */
function align(count: number, columns: number): Line[] {
  return Array.from({ length: count }, (_, index) =>
    buildLine(`value ${index}`, 100 * (index % columns), 9000 - 6 * Math.floor(index / columns), index),
  );
}

/** The things with a counter of how often `key` of one of them is read. */
function watch<T extends object>(things: readonly T[], key: keyof T): { things: T[]; count: () => number } {
  let reads = 0;
  const watched = things.map((thing) => {
    const value = thing[key];
    return Object.defineProperty({ ...thing }, key, {
      enumerable: true,
      get() {
        reads += 1;
        return value;
      },
    });
  });
  return { things: watched, count: () => reads };
}

/** How much more often `key` is read for 4,000 things than for 1,000. */
function measureGrowth<T extends object>(create: (count: number) => T[], key: keyof T, work: (things: T[]) => void) {
  const [few, many] = [1000, 4000].map((count) => {
    const { things, count: countReads } = watch(create(count), key);
    work(things);
    return countReads();
  }) as [number, number];
  return many / few;
}

describe('four times as many lines on a page', () => {
  // A search of all for each would read them sixteen times as often.
  test.each([
    ['letters at random places', scatter],
    ['cells in four columns', (count: number) => align(count, 4)],
    ['lines of one column', (count: number) => align(count, 1)],
  ])('take at most seven times the reads when %s become blocks', (_, create) => {
    expect(measureGrowth(create, 'box', (lines) => buildBlocks(lines))).toBeLessThan(7);
  });

  test.each([
    ['random places', scatter],
    ['one column', (count: number) => align(count, 1)],
    [
      'one column, in reverse order',
      (count: number) => align(count, 1).map((line) => ({ ...line, order: -line.order })),
    ],
  ])('take at most seven times the reads when items at %s are put in order', (_, create) => {
    const read = (lines: Line[]) => {
      const { things, count } = watch(
        lines.map(({ box }) => box),
        'b',
      );
      sortForReading(things.map((box, index) => ({ box, order: (lines[index] as Line).order })));
      return count();
    };
    expect(read(create(4000)) / read(create(1000))).toBeLessThan(7);
  });

  test('take at most seven times the reads when aligned rows are no table, and when they are one', () => {
    const long = (count: number) =>
      align(count, 2).map((line) => ({
        ...line,
        text: 'a sentence that is much too long to be the cell of any table, so it is none',
      }));
    expect(measureGrowth(long, 'box', (lines) => findAlignedTables(lines))).toBeLessThan(7);
    expect(findAlignedTables(long(1000))).toEqual([]);
    const cells = (count: number) => align(count, 2);
    expect(measureGrowth(cells, 'box', (lines) => findAlignedTables(lines))).toBeLessThan(7);
    expect(findAlignedTables(cells(1000))[0]?.table.rows).toBe(500);
  });

  test('take at most seven times the reads when headings are searched', () => {
    const create = (count: number) =>
      align(count, 1)
        .flatMap((line) => buildBlocks([line]))
        .map((block) => ({ ...block, text: 'Heading', bold: block.order % 2 === 0 }));
    const work = (blocks: ReturnType<typeof create>) =>
      findHeadings(
        blocks.map((block) => ({ block, pageNo: 1 })),
        [],
      );
    expect(measureGrowth(create, 'box', work)).toBeLessThan(7);
  });
});

test('strips find the last box that passes a test among those that overlap, as a search of all does', () => {
  const boxes = scatter(600).map(({ box }) => box);
  const strips = createStrips(boxes);
  boxes.forEach((box, index) => strips.add(index, box));
  for (const box of boxes) {
    const isAbove = (other: Box) => other.b > box.t && measureOverlapX(other, box) > 0;
    expect(strips.findLast(box, (index) => isAbove(boxes[index] as Box))).toBe(boxes.findLastIndex(isAbove));
  }
});

/** The order by its definition: the first item that nothing left comes before; in a cycle, the first one left. */
function sortSlowly<T extends { box: Box; order: number; kind?: string }>(items: readonly T[], rtl: boolean): T[] {
  const isGraphic = ({ kind }: T) => kind !== undefined && kind !== 'block';
  const isRight = (a: Box, b: Box) => measureOverlapY(a, b) > 0.5 * Math.min(a.t - a.b, b.t - b.b) && a.l >= b.r - 1;
  const isAbove = (a: Box, b: Box) =>
    measureOverlapX(a, b) > 0.1 * Math.min(a.r - a.l, b.r - b.l) &&
    a.b >= b.t - 0.3 * Math.min(a.t - a.b, b.t - b.b) &&
    a.t > b.t;
  const isBefore = (a: T, b: T) =>
    isAbove(a.box, b.box) || (rtl ? isRight(a.box, b.box) : (isGraphic(a) || isGraphic(b)) && isRight(b.box, a.box));
  const left = items.toSorted((a, b) => a.order - b.order);
  const ordered: T[] = [];
  while (left.length > 0) {
    const next = Math.max(
      0,
      left.findIndex((item) => !left.some((other) => isBefore(other, item))),
    );
    ordered.push(...left.splice(next, 1));
  }
  return ordered;
}

test.each([
  ['text', 0, false],
  ['text and pictures', 0.2, false],
  ['right-to-left text and pictures', 0.2, true],
])('the order of %s is that of its definition, also where boxes are above one another in a cycle', (_, share, rtl) => {
  const random = createRandom();
  for (let round = 0; round < 30; round += 1) {
    const items = Array.from({ length: 60 }, (_item, order) => {
      const [l, b] = [400 * random(), 400 * random()];
      const box = { l, b, r: l + 2 + 150 * random(), t: b + 2 + 40 * random() };
      return { box, order: Math.floor(order + 20 * random()), kind: random() < share ? 'picture' : 'block' };
    });
    expect(sortForReading(items, rtl)).toEqual(sortSlowly(items, rtl));
  }
});

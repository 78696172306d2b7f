import { addAll } from '../../../model/lists/add-all';
import { findLargest, findSmallest } from '../../extremes';
import { type Box, measureOverlapY, union } from '../geometry/box';

/** An item that occupies space on a page: a line, a table or a picture. */
export interface Placed {
  box: Box;
  /** Position in the drawing order of the page. */
  order: number;
  /** False for tables, pictures and walls, which do not form a column. */
  isText: boolean;
  /** True for a ruling nearly as wide as the page's text: columns end there. */
  isWall?: boolean;
  /** True for a line that starts a list item. */
  isItem?: boolean;
  /** True for a line that may be a heading: bold, or larger than the body text. */
  isStrong?: boolean;
  /** True for a line of monospaced text. */
  isCode?: boolean;
  /** True for a line of code of one or two words, which may be the name of what is described beside it. */
  isName?: boolean;
}

/** In points, wider than any page; pictures in a damaged file may be wider. */
const widest = 20_000;
/**
 * `crossing`: share of the peak line count that may cross a gutter; `spanning`: heading to column width for a spanning heading.
 */
const limits = { lines: 3, widthInSizes: 8, depth: 6, crossing: 0.35, spanning: 1.25 };

/**
 * Splits the page into sections in reading order: columns left to right (right to left with `rtl`), interrupted by items that
 * span them. `size` is the usual type size. Items outside columns are returned as one section.
 */
export function splitColumns<T extends Placed>(items: readonly T[], size: number, rtl: boolean, depth = 0): T[][] {
  if (items.length === 0) return [];
  const gutter = depth < limits.depth ? findGutter(items, size) : undefined;
  if (!gutter) return [[...items]];
  const parts: T[][] = [];
  for (const band of splitBands(items, gutter, size)) {
    if (!band.columns) {
      addAll(parts, splitColumns(band.items, size, rtl, depth + 1));
      continue;
    }
    const left = splitColumns(
      band.items.filter(({ box }) => isLeft(box, gutter)),
      size,
      rtl,
      depth + 1,
    );
    const right = splitColumns(
      band.items.filter(({ box }) => !isLeft(box, gutter)),
      size,
      rtl,
      depth + 1,
    );
    for (const column of rtl ? [right, left] : [left, right]) addAll(parts, column);
  }
  return parts;
}

interface Band<T> {
  items: T[];
  columns: boolean;
}

/** The x that separates the most full-width lines, if any. */
function findGutter(items: readonly Placed[], size: number): number | undefined {
  const text = items.filter(({ isText }) => isText);
  if (text.length < 2 * limits.lines) return undefined;
  let best: { x: number; score: number } | undefined;
  // A picture beside a column counts; one that spans two columns does not.
  const solid = items.filter(({ isWall }) => !isWall);
  const withPictures = text.length < solid.length ? listCandidates(solid, size) : [];
  for (const x of [...listCandidates(text, size), ...withPictures]) {
    const score = splitBands(items, x, size)
      .filter(({ columns }) => columns)
      .reduce((sum, { items: inside }) => sum + inside.length, 0);
    if (score > 0 && (!best || score > best.score)) best = { x, score };
  }
  return best?.x;
}

/** Centres of the white strips that few items cross; a picture or table counts as the number of lines of its height. */
function listCandidates(items: readonly Placed[], size: number): number[] {
  const all = union(items.map(({ box }) => box));
  const width = Math.ceil(all.r - all.l);
  if (!(width < widest)) return [];
  const cover = new Float64Array(width + 2);
  for (const { box, isText } of items) {
    const weight = isText ? 1 : Math.max((box.t - box.b) / (1.2 * size), 1);
    const last = Math.min(Math.ceil(box.r - all.l), width);
    for (let x = Math.floor(box.l - all.l); x <= last; x += 1) cover[x] = (cover[x] as number) + weight;
  }
  const few = limits.crossing * cover.reduce((max, weight) => Math.max(max, weight), 0);
  const gaps: number[] = [];
  for (let x = 0; x < width;) {
    if ((cover[x] as number) > few) {
      x += 1;
      continue;
    }
    let end = x;
    while (end + 1 < cover.length && (cover[end + 1] as number) <= few) end += 1;
    const strip = findLowestStrip(cover, x, end, 0.6 * size);
    if (strip && strip.from > 0 && end < width) gaps.push(all.l + (strip.from + strip.to) / 2);
    x = end + 1;
  }
  return gaps;
}

/**
 * The strip in a valley of the coverage that is at least `minWidth` wide and crossed by the fewest lines. Cells of a wide table may
 * block a gutter and leave a free part that is too narrow.
 */
function findLowestStrip(cover: Float64Array, start: number, end: number, minWidth: number): Strip | undefined {
  const valley = cover.subarray(start, end + 1);
  for (const level of new Set(valley.toSorted())) {
    const strip = findWidestGap(cover, { from: start, to: end }, level);
    if (strip.to - strip.from + 1 >= minWidth) return strip;
  }
  return undefined;
}

interface Strip {
  from: number;
  to: number;
}

/** The longest run whose coverage does not exceed the level. */
function findWidestGap(cover: Float64Array, { from, to: end }: Strip, level: number): Strip {
  let best = { from, to: from - 1 };
  for (let x = from; x <= end; x += 1) {
    if ((cover[x] as number) > level) continue;
    let to = x;
    while (to < end && (cover[to + 1] as number) <= level) to += 1;
    if (to - x > best.to - best.from) best = { from: x, to };
    x = to;
  }
  return best;
}

function isLeft(box: Box, x: number): boolean {
  return (box.l + box.r) / 2 < x;
}

/** Bands from top to bottom: items on both sides of the gutter, and items that cross it. */
function splitBands<T extends Placed>(items: readonly T[], x: number, size: number): Band<T>[] {
  const bands: Band<T>[] = [];
  let open: T[] = [];
  const close = () => {
    if (open.length > 0) bands.push({ items: open, columns: isTwoColumns(open, x, size) });
    open = [];
  };
  const grids = listGridsAcross(items, x, size);
  const inGrid = new Set(grids.flat());
  const isSpanning = collectSpanningHeadings(items, x, size);
  const crossing = [
    ...grids,
    ...items
      .filter((item) => !inGrid.has(item) && (crosses(item.box, x) || isSpanning.has(item)))
      .map((item) => [item]),
  ].map((group) => ({ group, box: union(group.map(({ box }) => box)) }));
  const groupedItems = new Set(crossing.flatMap(({ group }) => group));
  const rest = items.filter((item) => !groupedItems.has(item) && !item.isWall).toSorted((a, b) => b.box.t - a.box.t);
  for (const { group, box } of crossing.toSorted((a, b) => b.box.t - a.box.t)) {
    const middle = (box.t + box.b) / 2;
    while (rest.length > 0 && ((rest[0] as T).box.t + (rest[0] as T).box.b) / 2 > middle) open.push(rest.shift() as T);
    close();
    bands.push({ items: group, columns: false });
  }
  open = rest;
  close();
  const parted = bands.flatMap((band) => (band.columns ? omitTitle(band, x) : [band]));
  return joinSingles(
    parted.flatMap((band, index) => {
      const next = parted[index + 1];
      return next?.columns === false ? omitLastHeading(band, x, { size, isAtWall: next.items[0]?.isWall }) : [band];
    }),
  );
}

function crosses({ l, r }: Box, x: number): boolean {
  return l < x - 1 && r > x + 1;
}

/**
 * Headings that end before the gutter but still span it: clearly wider than the columns on their side, with nothing beside them
 * on the other side.
 */
function collectSpanningHeadings<T extends Placed>(items: readonly T[], x: number, size: number): Set<T> {
  const strong = items.filter(({ isStrong, isText, box }) => isStrong && isText && !crosses(box, x));
  const plain = items.filter(({ isStrong, isText, box }) => isText && !isStrong && !crosses(box, x));
  if (strong.length === 0 || plain.length === 0) return new Set();
  const widest = findLargest(plain.map(({ box }) => box.r - box.l));
  if (widest < limits.widthInSizes * size) return new Set();
  return new Set(
    strong.filter(({ box }) => {
      if (box.r - box.l < limits.spanning * widest) return false;
      return items.every(
        (other) => isLeft(other.box, x) === isLeft(box, x) || measureOverlapY(other.box, box) < -0.2 * size,
      );
    }),
  );
}

/**
 * Rows of short pieces that continue across the gutter, such as a full-width table or the names of authors: the gap at the gutter
 * is no wider than the other gaps, or a piece covers the gutter.
 */
function listGridsAcross<T extends Placed>(items: readonly T[], x: number, size: number): T[][] {
  const grids: T[][] = [];
  let open: T[][] = [];
  const close = () => {
    if (open.length >= limits.lines) grids.push(open.flat());
    open = [];
  };
  for (const row of listLevelRows(items)) {
    const above = open.at(-1)?.[0];
    const isNear = above === undefined || above.box.b - (row[0] as T).box.t < 3 * size;
    if (!isNear) close();
    if (isAcross(row, x, size)) open.push(row);
    else close();
  }
  close();
  return grids;
}

/** Text grouped by baseline: rows from the top, each sorted from the left. */
function listLevelRows<T extends Placed>(items: readonly T[]): T[][] {
  const rows: T[][] = [];
  for (const item of items.filter(({ isText }) => isText).toSorted((a, b) => b.box.b - a.box.b)) {
    const row = rows.at(-1);
    if (row && Math.abs((row[0] as T).box.b - item.box.b) < 2) row.push(item);
    else rows.push([item]);
  }
  return rows.map((row) => row.toSorted((a, b) => a.box.l - b.box.l));
}

function isAcross(row: readonly Placed[], x: number, size: number): boolean {
  const widest = findLargest(row.map(({ box: { l, r } }) => r - l)) / size;
  if (row.length < limits.lines || widest > 2 * limits.widthInSizes) return false;
  if (row.some(({ box }) => crosses(box, x))) return true;
  // Gaps between columns of text are like those between cells, but the lines are longer.
  if (widest > limits.widthInSizes) return false;
  const gaps = row.slice(1).map(({ box }, index) => {
    const left = (row[index] as Placed).box;
    return { white: box.l - left.r, isGutter: left.r <= x + 1 && box.l >= x - 1 };
  });
  const gutter = gaps.find(({ isGutter }) => isGutter);
  return gutter !== undefined && gaps.some(({ white, isGutter }) => !isGutter && gutter.white <= 1.2 * white);
}

/** A heading below both columns belongs to the content that follows, even if it is short; so does a line apart from them at a wall. */
function omitLastHeading<T extends Placed>(
  band: Band<T>,
  x: number,
  { size, isAtWall }: { size: number; isAtWall: boolean | undefined },
): Band<T>[] {
  const last = band.items.reduce((lowest, item) => (item.box.b < lowest.box.b ? item : lowest), band.items[0] as T);
  if (!band.columns || !(last.isStrong || isAtWall)) return [band];
  const others = band.items.filter((item) => item !== last);
  const [beside, below] = last.isStrong ? [0, 0.4 * size] : [size, size];
  const isBelow = others.every(
    ({ box }) => box.b > last.box.t + (isLeft(box, x) === isLeft(last.box, x) ? below : beside),
  );
  if (!isBelow) return [band];
  return [
    { items: others, columns: true },
    { items: [last], columns: false },
  ];
}

/** Separates lines centred above both columns, such as a title, if no line across the gutter separates them. */
function omitTitle<T extends Placed>(band: Band<T>, x: number): Band<T>[] {
  const all = union(band.items.map(({ box }) => box));
  const sorted = band.items.toSorted((a, b) => b.box.t - a.box.t);
  const title: T[] = [];
  for (const [index, item] of sorted.entries()) {
    const isAlone = sorted.slice(index + 1).every(({ box }) => box.t <= item.box.b + 1);
    const isCentred = Math.abs(item.box.l + item.box.r - all.l - all.r) < 0.04 * (all.r - all.l);
    if (!item.isText || !isAlone || !isCentred || Math.abs(all.l + all.r - 2 * x) < 0.1 * (all.r - all.l)) break;
    title.push(item);
  }
  if (title.length === 0 || title.length === sorted.length) return [band];
  return [
    { items: title, columns: false },
    { items: sorted.slice(title.length), columns: true },
  ];
}

/** Merges consecutive bands without columns. */
function joinSingles<T extends Placed>(bands: Band<T>[]): Band<T>[] {
  const joined: Band<T>[] = [];
  for (const band of bands) {
    const last = joined.at(-1);
    if (last && !last.columns && !band.columns) addAll(last.items, band.items);
    else joined.push({ ...band, items: [...band.items] });
  }
  return joined;
}

/** True if both sides contain lines as wide as paragraphs, one per row, side by side. Table cells do not qualify. */
function isTwoColumns(items: readonly Placed[], x: number, size: number): boolean {
  const sides = [items.filter(({ box }) => isLeft(box, x)), items.filter(({ box }) => !isLeft(box, x))] as const;
  const extents = sides.map((side) => (side.length > 0 ? union(side.map(({ box }) => box)) : undefined));
  const [left, right] = extents;
  if (!left || !right) return false;
  if (right.l - left.r < 0.6 * size) return false;
  if (right.l - left.r < 3 * size && isLevelCode(sides)) return false;
  if (areNamesBeside(sides)) return false;
  const shared = measureOverlapY(left, right);
  if (shared < 0.3 * Math.min(left.t - left.b, right.t - right.b)) return false;
  const columns = sides.filter((side, index) => isColumn(side, extents[index] as Box, size));
  if (columns.length === 2) return true;
  // The other side may be two columns or narrow lines, as in a sidebar; table cells align with the column's lines.
  const [column] = columns;
  const other = sides.find((side) => side !== column);
  if (columns.length !== 1 || !column || !other || areMarginNotes(other, column, size)) return false;
  return (column.length > 5 && isUnaligned(other, column)) || findGutter(other, size) !== undefined;
}

/** True for code whose words line up below each other: nearly each line of one side continues on the other side. */
function isLevelCode([left, right]: readonly [readonly Placed[], readonly Placed[]]): boolean {
  if (![...left, ...right].every(({ isCode }) => isCode === true)) return false;
  const isLevel = (side: readonly Placed[], other: readonly Placed[]) =>
    side.filter(({ box }) => other.some((item) => Math.abs(item.box.b - box.b) < 1)).length >= 0.9 * side.length;
  return isLevel(left, right) || isLevel(right, left);
}

/** True for monospaced names on the left, each level with a line of its description on the right. */
function areNamesBeside([left, right]: readonly [readonly Placed[], readonly Placed[]]): boolean {
  if (!left.every(({ isName }) => isName) || right.some(({ isCode }) => isCode)) return false;
  const edge = findSmallest(right.map(({ box }) => box.l));
  return left.every(({ box }) =>
    right.some((item) => Math.abs(item.box.b - box.b) < 1 && Math.abs(item.box.l - edge) < 1),
  );
}

/** True for short notes in the margin, far from each other: each is read with the text beside it. */
function areMarginNotes(side: readonly Placed[], column: readonly Placed[], size: number): boolean {
  const [notes, text] = [union(side.map(({ box }) => box)), union(column.map(({ box }) => box))];
  if (notes.r - notes.l > 0.3 * (text.r - text.l)) return false;
  const groups: Placed[][] = [];
  for (const item of side.toSorted((a, b) => b.box.t - a.box.t)) {
    const group = groups.at(-1);
    if (group && (group.at(-1) as Placed).box.b - item.box.t < 1.2 * size) group.push(item);
    else groups.push([item]);
  }
  return groups.length > 1 && groups.every((group) => group.length <= 3);
}

/** At least three lines, one per row, most of them not level with a line of the other side. */
function isUnaligned(side: readonly Placed[], other: readonly Placed[]): boolean {
  const rows = listRows(side, 1);
  if (rows.length < limits.lines || rows.some((row) => row.length > 1)) return false;
  const levels = new Set(other.map(({ box }) => Math.round(box.b)));
  const level = side.filter(({ box }) => [-1, 0, 1].some((off) => levels.has(Math.round(box.b) + off)));
  return level.length <= 0.4 * side.length;
}

function isColumn(side: readonly Placed[], extent: Box, size: number): boolean {
  if (side.some(({ isText }) => !isText)) return true;
  if (side.length < limits.lines || extent.t - extent.b < limits.lines * size) return false;
  if (side.filter(({ isItem }) => isItem).length >= 0.6 * side.length) return true;
  const rows = listRows(side, size);
  // A column may contain a table, but most of its lines are alone in their rows.
  const wide = Math.max(limits.widthInSizes * size, 0.3 * (extent.r - extent.l));
  const alone = rows.filter((row) => row.length === 1 && (row[0] as Box).r - (row[0] as Box).l >= wide);
  return alone.length >= limits.lines && alone.length >= 0.5 * rows.length;
}

/** Boxes grouped into rows, from the top. */
function listRows(side: readonly Placed[], size: number): Box[][] {
  const rows: Box[][] = [];
  let bottom = Infinity;
  for (const { box } of side.toSorted((a, b) => b.box.t - a.box.t)) {
    const row = rows.at(-1);
    if (row && box.t - bottom > 0.5 * size) {
      row.push(box);
      bottom = Math.max(bottom, box.b);
    } else {
      rows.push([box]);
      bottom = box.b;
    }
  }
  return rows;
}

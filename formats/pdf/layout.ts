import type { Box } from './box';
import { covered, median } from './box';
import { findAlignedTables } from './borderless';
import { cleanGlyphs, mainRotation, rightToLeft, turnGlyphs } from './characters';
import { splitColumns } from './columns';
import { createFrame, frameBox } from './frame';
import { buildLines, type Line } from './lines';
import type { RawPage } from './page';
import { type Block, buildBlocks, inReadingOrder } from './paragraphs';
import { findPictures } from './pictures';
import { findGrids } from './rulings';
import { fillGrid, type PageTable } from './tables';

/** A page whose lines are known. Coordinates are those in which its text is upright. */
export interface ReadPage {
  page: RawPage;
  lines: Line[];
  /** Text set across the rest, such as a stamp at the margin. */
  aside: Line[];
  /** Back to the coordinates of the page as it is seen. */
  toPage(box: Box): Box;
}

/** What stands on a page, in reading order. */
export type Part =
  | { kind: 'block'; block: Block; box: Box; order: number }
  | { kind: 'table'; table: PageTable; isIndex: boolean; box: Box; order: number }
  | { kind: 'picture'; box: Box; order: number };

/** Characters to lines; a page whose text mostly runs sideways is turned first. */
export function readLines(raw: RawPage): ReadPage {
  const glyphs = cleanGlyphs(raw);
  const rotation = mainRotation(glyphs);
  const page = rotation === 0 ? raw : turnPage(raw, rotation);
  const back = createFrame({ l: 0, b: 0, r: page.width, t: page.height }, (360 - rotation) % 360);
  const turned = turnGlyphs(glyphs, rotation, raw);
  const aside = [90, 180, 270].flatMap((angle) =>
    asideLines(
      turned.filter((glyph) => glyph.rotation === angle),
      angle,
      page,
    ),
  );
  return {
    page,
    lines: buildLines(turned.filter((glyph) => glyph.rotation === 0)),
    aside,
    toPage: (box) => (rotation === 0 ? box : frameBox(back, box.l, box.b, box.r, box.t)),
  };
}

function asideLines(glyphs: Parameters<typeof turnGlyphs>[0], angle: number, page: RawPage): Line[] {
  if (glyphs.length === 0) return [];
  const lines = buildLines(turnGlyphs(glyphs, angle, page));
  const turned = angle === 180 ? page : { width: page.height, height: page.width };
  const back = createFrame({ l: 0, b: 0, r: turned.width, t: turned.height }, 360 - angle);
  return lines.map((line) => ({ ...line, box: frameBox(back, line.box.l, line.box.b, line.box.r, line.box.t) }));
}

function turnPage(page: RawPage, rotation: number): RawPage {
  const frame = createFrame({ l: 0, b: 0, r: page.width, t: page.height }, rotation);
  const turn = (box: Box) => frameBox(frame, box.l, box.b, box.r, box.t);
  const rules = page.rules.map(({ axis, at, from, to }) => {
    const box = turn(axis === 'h' ? { l: from, r: to, b: at, t: at } : { l: at, r: at, b: from, t: to });
    return box.r - box.l > box.t - box.b
      ? { axis: 'h' as const, at: box.b, from: box.l, to: box.r }
      : { axis: 'v' as const, at: box.l, from: box.b, to: box.t };
  });
  return {
    ...page,
    width: frame.width,
    height: frame.height,
    rules,
    fills: page.fills.map(turn),
    drawings: page.drawings.map(turn),
    images: page.images.map(turn),
  };
}

/** The parts of a page in reading order; `lines` are those that are not headers or footers. */
export function layoutPage({ page }: ReadPage, lines: readonly Line[]): Part[] {
  const size = median(lines.map((line) => line.size)) || 10;
  const { tables, rest } = takeRuledTables(page, lines);
  const pictures = findPictures(page, lines.length > 0).filter(
    (box) => !tables.some((table) => covered(box, table.box) > 0.8),
  );
  const placed = [
    ...rest.map((line) => ({ box: line.box, order: line.order, isText: true, line })),
    ...tables.map((table) => ({ box: table.box, order: orderAt(table.box, lines), isText: false, table })),
    ...pictures.map((box) => ({ box, order: orderAt(box, lines), isText: false, picture: box })),
  ];
  const isRtl = lines.filter(({ text }) => rightToLeft.test(text)).length > 0.5 * lines.length;
  return splitColumns(placed, size, isRtl).flatMap((stretch): Part[] => {
    const inStretch = stretch.flatMap((item) => ('line' in item ? [item.line] : []));
    const aligned = findAlignedTables(inStretch);
    const taken = new Set(aligned.flatMap((table) => table.lines));
    return inReadingOrder<Part>([
      ...buildBlocks(inStretch.filter((line) => !taken.has(line))).map((block) => ({
        kind: 'block' as const,
        block,
        box: block.box,
        order: block.order,
      })),
      ...aligned.map(({ table, lines: own, isIndex }) => ({
        kind: 'table' as const,
        table,
        isIndex,
        box: table.box,
        order: Math.min(...own.map(({ order }) => order)),
      })),
      ...stretch.flatMap((item): Part[] => {
        if ('table' in item)
          return [{ kind: 'table', table: item.table, isIndex: false, box: item.box, order: item.order }];
        return 'picture' in item ? [{ kind: 'picture', box: item.box, order: item.order }] : [];
      }),
    ]);
  });
}

function takeRuledTables(page: RawPage, lines: readonly Line[]): { tables: PageTable[]; rest: Line[] } {
  const tables: PageTable[] = [];
  let rest = [...lines];
  for (const grid of findGrids(page.rules)) {
    const filled = fillGrid(grid, rest, page.fills);
    if (!filled) continue;
    tables.push(filled.table);
    rest = rest.flatMap((line) => withoutWords(line, filled.taken));
  }
  return { tables, rest };
}

/** The line without the words that a table has taken. */
function withoutWords(line: Line, taken: ReadonlySet<Line['words'][number]>): Line[] {
  const words = line.words.filter((word) => !taken.has(word));
  if (words.length === line.words.length) return [line];
  return words.length === 0 ? [] : [{ ...line, words, text: words.map(({ text }) => text).join(' ') }];
}

/** Graphics have no place in the order of the text: just after the last line that stands above them. */
function orderAt(box: Box, lines: readonly Line[]): number {
  const above = lines.filter((line) => line.box.b >= box.t - 2 && line.box.l < box.r && line.box.r > box.l);
  const nearest = above.toSorted((a, b) => a.box.b - b.box.b)[0];
  return nearest ? nearest.order + 0.5 : -0.5;
}

import { findBooktabs } from '../table/booktabs';
import { type Box, holds, median, union } from '../geometry/box';
import { findAlignedTables } from '../table/borderless';
import { rightToLeft } from '../engine/characters';
import { type Placed, splitColumns } from './columns';
import { joinFormulas } from './formulas';
import { joinJustified } from './justified';
import { findLinedTables } from '../table/lined-tables';
import type { Line } from '../text/lines';
import { listMark } from '../text/lists';
import { type Block, buildBlocks, inReadingOrder } from './paragraphs';
import { findPictures } from './pictures';
import { partsOfRegions } from './region-parts';
import { fillRules, findGrids, levelRules } from '../geometry/rulings';
import { fillGrid, mirrored, type PageTable } from '../table/tables';
import type { ReadPage } from '../text/upright';

/** What stands on a page, in reading order. */
export type Part = BlockPart | TablePart | PicturePart;
export interface BlockPart {
  kind: 'block';
  block: Block;
  /** Which stretch of the page it stands in, from 0. */
  column: number;
  box: Box;
  order: number;
}
export interface TablePart {
  kind: 'table';
  table: PageTable;
  /** A table of contents. */
  isIndex: boolean;
  /** Where the table goes on, when it is longer than its page. */
  continued?: { page: ReadPage; box: Box }[];
  box: Box;
  order: number;
}
export interface PicturePart {
  kind: 'picture';
  /** Labels inside a drawing. */
  labels: Line[];
  box: Box;
  order: number;
}

/** A page taken apart. `aside` is the sideways text that no table took. */
export interface Layout {
  parts: Part[];
  aside: Line[];
  /** Where a model has found them. */
  furniture?: { header: Line[]; footer: Line[] };
}

/** `fast` leaves unruled tables, `none` leaves the text of all tables as text. */
export type TableMode = 'fast' | 'accurate' | 'none';

/** The parts of a page in reading order; `lines` are those that are not headers or footers. What a model sees comes first. */
export function layoutPage(read: ReadPage, lines: readonly Line[], tableMode: TableMode = 'accurate'): Layout {
  const isRtl = lines.filter(({ text }) => rightToLeft.test(text)).length > 0.5 * lines.length;
  const size = median(lines.map((line) => line.size)) || 10;
  const { parts, loose, ...rest } = collectParts(read, lines, tableMode);
  const placed = [
    ...loose.map((line) => ({
      box: line.box,
      order: line.order,
      isText: true,
      isItem: listMark(line) !== undefined,
      isStrong: line.bold || line.size > 1.1 * size,
      line,
    })),
    ...parts.flatMap(placesOf),
  ];
  const stretches = splitColumns(placed, size, isRtl);
  const homes = homesOf(stretches);
  const ordered = stretches.flatMap((stretch, column) =>
    layoutStretch(
      { column, isRtl, tableMode },
      stretch.flatMap((item) => ('line' in item ? [item.line] : [])),
      parts.filter((part) => homes.get(part) === column),
    ),
  );
  const turn = (part: Part): Part => (isRtl && part.kind === 'table' ? { ...part, table: mirrored(part.table) } : part);
  return { ...rest, parts: ordered.map(turn) };
}

/** What a model sees, then ruled tables and pictures; `loose` is the text that is in none of them. */
function collectParts(read: ReadPage, lines: readonly Line[], tableMode: TableMode): Layout & { loose: Line[] } {
  const seen = partsOfRegions(read, tableMode !== 'none');
  const left = seen ? [...seen.rest, ...seen.aside] : [...lines, ...read.aside];
  const ruled = tableMode === 'none' ? { tables: [], rest: left } : takeRuledTables(read.page, left);
  const rest = joinJustified(ruled.rest.filter(({ isAside }) => !isAside));
  const tables = ruled.tables.map((table): TablePart => {
    const { box } = table;
    const order = Math.max(orderAt(box, lines), orderOver(box, lines, new Set(rest)));
    return { kind: 'table', table, isIndex: false, box, order };
  });
  const boxes = tables.map(({ box }) => box);
  const pictures = (seen ? [] : findPictures(read.page, rest, boxes)).map(({ box, labels }): PicturePart => ({
    kind: 'picture',
    labels,
    box,
    order: orderAt(box, lines),
  }));
  const labels = new Set(pictures.flatMap((picture) => picture.labels));
  return {
    parts: [...tables, ...pictures, ...(seen?.parts ?? [])],
    loose: rest.filter((line) => !labels.has(line)),
    aside: ruled.rest.filter(({ isAside }) => isAside),
    ...(seen ? { furniture: { header: seen.header, footer: seen.footer } } : {}),
  };
}

/** A part that is text takes part in the search for columns line by line. */
function placesOf(part: Part): (Placed & { part: Part })[] {
  if (part.kind !== 'block') return [{ box: part.box, order: part.order, isText: false, part }];
  const { label, lines } = part.block;
  const isStrong = label === 'section_header' || label === 'title';
  return lines.map(({ box, order }) => ({ box, order, isText: true, isItem: label === 'list_item', isStrong, part }));
}

/** The stretch that holds most of each part. */
function homesOf(stretches: readonly (readonly object[])[]): Map<Part, number> {
  const counts = new Map<Part, number[]>();
  stretches.forEach((stretch, index) => {
    for (const item of stretch) {
      if (!('part' in item)) continue;
      const own = counts.get(item.part as Part) ?? [];
      own[index] = (own[index] ?? 0) + 1;
      counts.set(item.part as Part, own);
    }
  });
  return new Map([...counts].map(([part, own]) => [part, own.indexOf(Math.max(...own.filter(Boolean)))]));
}

/** A stretch of one column: aligned tables, then blocks of what is left, then all in order. */
function layoutStretch(
  { column, isRtl, tableMode }: { column: number; isRtl: boolean; tableMode: TableMode },
  read: readonly Line[],
  others: readonly Part[],
): Part[] {
  const lines = joinFormulas(read);
  const all = tableMode === 'none' ? [] : findAlignedTables(lines);
  const aligned = all.filter(({ isIndex }) => isIndex || tableMode === 'accurate');
  const taken = new Set(aligned.flatMap((table) => table.lines));
  const blocks = buildBlocks(
    lines.filter((line) => !taken.has(line)),
    isRtl,
  );
  return inReadingOrder<Part>(
    [
      ...blocks.map((block): BlockPart => ({ kind: 'block', block, column, box: block.box, order: block.order })),
      ...aligned.map(({ table, lines: own, isIndex }): TablePart => ({
        kind: 'table',
        table,
        isIndex,
        box: table.box,
        order: Math.min(...own.map(({ order }) => order)),
      })),
      ...others.map((part) => (part.kind === 'block' ? { ...part, column } : part)),
    ],
    isRtl,
  );
}

function takeRuledTables(page: ReadPage['page'], lines: readonly Line[]): { tables: PageTable[]; rest: Line[] } {
  const tables: PageTable[] = [];
  let rest = [...lines];
  for (const grid of findGrids([...page.rules, ...fillRules(page.fills, page.rules)])) {
    const filled = fillGrid(grid, rest, page.fills);
    if (!filled) continue;
    tables.push(filled.table);
    rest = rest.flatMap((line) => withoutWords(line, filled.taken));
  }
  const level = levelRules(page.rules);
  for (const find of [findBooktabs, findLinedTables]) {
    for (const { table, taken } of find(level, rest)) {
      tables.push(table);
      rest = rest.flatMap((line) => withoutWords(line, taken));
    }
  }
  return { tables, rest };
}

/** The line without the words that a table has taken. */
function withoutWords(line: Line, taken: ReadonlySet<Line['words'][number]>): Line[] {
  const words = line.words.filter((word) => !taken.has(word));
  if (words.length === line.words.length) return [line];
  if (words.length === 0) return [];
  return [{ ...line, words, text: words.map(({ text }) => text).join(' '), box: union(words.map(({ box }) => box)) }];
}

/** A table is drawn over text that is none of its cells, such as that of an empty frame: the text comes first. */
function orderOver(box: Box, lines: readonly Line[], rest: ReadonlySet<Line>): number {
  const inside = lines.filter((line) => holds(box, line.box));
  const first = Math.min(...inside.filter((line) => !rest.has(line)).map(({ order }) => order));
  return Math.max(
    ...inside.filter((line) => rest.has(line) && line.order < first).map(({ order }) => order + 0.5),
    -Infinity,
  );
}

/** Graphics have no place in the order of the text: just after the last line that stands above them, or higher up beside them. */
function orderAt(box: Box, lines: readonly Line[]): number {
  const higher = lines.filter((line) => line.box.b >= box.t - 2);
  const above = higher.filter((line) => line.box.l < box.r && line.box.r > box.l);
  const nearest = (above.length > 0 ? above : higher).toSorted((a, b) => a.box.b - b.box.b)[0];
  return nearest ? nearest.order + 0.5 : -0.5;
}

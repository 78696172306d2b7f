import { addAll } from '../../../model/lists/add-all';
import { findLargest, findSmallest } from '../../extremes';
import { computeOrderBelow, computeOrderInside } from '../blocks/place-in-order';
import { sortForReading } from '../blocks/sort-for-reading';
import { areRightToLeft } from '../engine/characters';
import { joinFieldValues } from '../forms/field-values';
import { type Box, computeCoverage, computeMedian, holds, measureOverlapY, meets, union } from '../geometry/box';
import type { Rule } from '../geometry/page';
import { listShadingRules, findGrids, type Grid, listLevelRules } from '../geometry/rulings';
import { listWalls } from '../geometry/walls';
import { omitUnderlines } from '../inline/underlines';
import { isIndexEntry } from '../lists/index-entries';
import { findListMark } from '../lists/lists';
import { findNumberLines, findPlots } from '../table/axes';
import { findBlockTables } from '../table/block-tables';
import { findBooktabs } from '../table/booktabs';
import { findAlignedTables, findTablesOfContents, toRows } from '../table/borderless';
import { findLabelledRows } from '../table/labelled-rows';
import { areSumLines, findLinedTables, type LinedTable } from '../table/lined-tables';
import type { PageTable } from '../table/page-table';
import { isOnPlot, isPlot } from '../table/plots';
import { findStaves } from '../table/staves';
import { fillGrid, mirrorTable } from '../table/tables';
import { findTaggedTables } from '../table/tagged-tables';
import type { Line, Word } from '../text/line';
import type { ReadPage } from '../text/upright';
import { attachUnits, joinLabels } from './captions';
import { type Placed, splitColumns } from './columns';
import { joinFormulas } from './formulas';
import { findFrames, type Frame, selectGraphics } from './frames';
import { findGraphs } from './graphs';
import { joinJustified } from './justified';
import { buildBlocks } from './paragraphs';
import type { Part, BlockPart, TablePart, PicturePart } from './part';
import { findPictures, addAside, addPlots } from './pictures';
import { findRegionParts } from './region-parts';

/** The content of a frame, which is read on its own; its parts replace it once everything is ordered. */
interface FramePart {
  kind: 'frame';
  parts: Part[];
  box: Box;
  order: number;
}

/** The layout of a page. `aside` is the sideways text that is in no table. */
export interface Layout {
  parts: Part[];
  aside: Line[];
  /** Page headers and footers, if a model has found them. */
  furniture?: { header: Line[]; footer: Line[] };
}

/** `fast` leaves unruled tables as text, `none` leaves all tables as text. */
export type TableMode = 'fast' | 'accurate' | 'none';

/** The parts of a page in reading order; `lines` excludes page headers and footers. Regions found by a model take precedence. */
export function layoutPage(page: ReadPage, lines: readonly Line[], tableMode: TableMode = 'accurate'): Layout {
  const read = { ...page, page: { ...page.page, rules: omitUnderlines(page.page.rules, lines) } };
  const frames = read.regions ? [] : omitPlots(findFrames(read.page, lines), read.page);
  if (frames.length === 0) return layoutLines(read, lines, tableMode, []);
  const framed = new Set(frames.flatMap((frame) => frame.lines));
  const parts = frames.map(({ box, lines: partLines }): FramePart => {
    const inside = { ...read, page: selectGraphics(read.page, [box], true), aside: [] };
    const order = findSmallest(partLines.map((line) => line.order));
    return { kind: 'frame', parts: layoutLines(inside, partLines, tableMode, []).parts, box, order };
  });
  const boxes = frames.map(({ box }) => box);
  const isRtl = areRightToLeft(lines);
  const outside = { ...read, page: selectGraphics(read.page, boxes, false) };
  return layoutLines(
    outside,
    lines.filter((line) => !framed.has(line)),
    tableMode,
    groupInRows(parts, isRtl),
  );
}

/** Merges frames with level top edges into one part, read one after the other. */
function groupInRows(frames: readonly FramePart[], isRtl: boolean): FramePart[] {
  const rows: FramePart[][] = [];
  for (const frame of frames.toSorted((a, b) => b.box.t - a.box.t)) {
    const row = rows.find(([first]) => first && Math.abs(first.box.t - frame.box.t) < 4);
    if (row) row.push(frame);
    else rows.push([frame]);
  }
  return rows.map((row) => {
    const sorted = row.toSorted((a, b) => (isRtl ? b.box.r - a.box.r : a.box.l - b.box.l));
    return {
      kind: 'frame',
      parts: sorted.flatMap(({ parts }) => parts),
      box: union(row.map(({ box }) => box)),
      order: findSmallest(row.map(({ order }) => order)),
    };
  });
}

/** Lays out `lines`; each of `frames` is placed as a whole. */
function layoutLines(
  read: ReadPage,
  lines: readonly Line[],
  tableMode: TableMode,
  frames: readonly FramePart[],
): Layout {
  const isRtl = areRightToLeft(lines);
  const size = computeMedian(lines.map((line) => line.size)) || 10;
  const { parts: foundParts, loose, ...rest } = collectParts(read, lines, tableMode);
  const parts = [...foundParts, ...frames];
  const placed = [
    ...loose.map((line) => ({
      box: line.box,
      order: line.order,
      isText: true,
      isItem: findListMark(line) !== undefined || isIndexEntry(line.text),
      isStrong: line.bold || line.size > 1.1 * size,
      isCode: line.mono,
      isName: line.mono && line.words.length <= 2,
      line,
    })),
    ...parts.flatMap(listPlaces),
  ];
  const boxes = placed.map(({ box }) => box);
  const walls = listWalls(read.page.rules, boxes).map((box) => ({ box, order: 0, isText: false, isWall: true }));
  const stretches = splitColumns([...placed, ...walls], size, isRtl);
  const homes = assignSections(stretches);
  const ordered = stretches.flatMap((stretch, column) =>
    layoutStretch(
      { column, isRtl, tableMode },
      stretch.flatMap((item) => ('line' in item ? [item.line] : [])),
      parts.filter((part) => homes.get(part) === column),
    ),
  );
  const turn = (part: Part): Part =>
    isRtl && part.kind === 'table' ? { ...part, table: mirrorTable(part.table) } : part;
  return { ...rest, parts: ordered.flatMap((part) => (part.kind === 'frame' ? part.parts : [turn(part)])) };
}

/** Collects the parts found by a model, then ruled tables and pictures; `loose` is the remaining text. */
function collectParts(read: ReadPage, lines: readonly Line[], tableMode: TableMode): Layout & { loose: Line[] } {
  const seen = findRegionParts(read, tableMode !== 'none');
  const left = seen ? [...seen.rest, ...seen.aside] : [...lines, ...read.aside];
  const ruled =
    tableMode === 'none'
      ? { tables: [], contents: new Set<PageTable>(), plots: [], rest: joinJustified(left) }
      : takeTables(read.page, left, tableMode);
  const rest = ruled.rest.filter(({ isAside }) => !isAside);
  const tables = ruled.tables.map((table): TablePart => {
    const { box } = table;
    const order = Math.max(computeOrderBelow(box, lines), computeOrderInside(box, lines, new Set(rest)));
    return { kind: 'table', table, isIndex: ruled.contents.has(table), box, order };
  });
  const boxes = tables.map(({ box }) => box);
  const aside = ruled.rest.filter(({ isAside }) => isAside);
  const pagePictures = seen ? [] : addAside(addPlots(findPictures(read.page, rest, boxes), ruled.plots, rest), aside);
  const pictures = pagePictures.map(({ box, labels }): PicturePart => ({
    kind: 'picture',
    labels,
    box,
    order: computeOrderBelow(box, lines),
  }));
  const labels = new Set(pictures.flatMap((picture) => picture.labels));
  return {
    parts: [...tables, ...pictures, ...(seen?.parts ?? [])],
    loose: joinFieldValues(rest.filter((line) => !labels.has(line))),
    aside: aside.filter((line) => !labels.has(line)),
    ...(seen ? { furniture: { header: seen.header, footer: seen.footer } } : {}),
  };
}

/** A block enters the column search line by line, any other part as a single item. */
function listPlaces(part: Part | FramePart): (Placed & { part: Part | FramePart })[] {
  if (part.kind !== 'block') return [{ box: part.box, order: part.order, isText: false, part }];
  const { label, lines } = part.block;
  const isStrong = label === 'section_header' || label === 'title';
  return lines.map(({ box, order }) => ({ box, order, isText: true, isItem: label === 'list_item', isStrong, part }));
}

/** The section that contains most of each part. */
function assignSections(stretches: readonly (readonly object[])[]): Map<Part | FramePart, number> {
  const counts = new Map<Part | FramePart, number[]>();
  stretches.forEach((stretch, index) => {
    for (const item of stretch) {
      if (!('part' in item)) continue;
      const count = counts.get(item.part as Part) ?? [];
      count[index] = (count[index] ?? 0) + 1;
      counts.set(item.part as Part, count);
    }
  });
  return new Map(
    [...counts].map(([part, columnCounts]) => [part, columnCounts.indexOf(findLargest(columnCounts.filter(Boolean)))]),
  );
}

/** Lays out a section of one column: aligned tables first, then blocks of the remaining text, then all in order. */
function layoutStretch(
  { column, isRtl, tableMode }: { column: number; isRtl: boolean; tableMode: TableMode },
  read: readonly Line[],
  others: readonly (Part | FramePart)[],
): (Part | FramePart)[] {
  const lines = joinFormulas(read);
  const all = tableMode === 'none' ? [] : findAlignedTables(lines);
  const aligned = all.filter(({ isIndex }) => isIndex || tableMode === 'accurate');
  const tableLines = new Set(aligned.flatMap((table) => table.lines));
  const blocks = buildBlocks(
    lines.filter((line) => !tableLines.has(line)),
    isRtl,
  );
  return sortForReading<Part | FramePart>(
    attachUnits(
      joinLabels<Part | FramePart>([
        ...groupRowsOfBoxes(
          blocks.map((block): BlockPart => ({ kind: 'block', block, column, box: block.box, order: block.order })),
        ),
        ...aligned.map(({ table, lines: partLines, isIndex }): TablePart => ({
          kind: 'table',
          table,
          isIndex,
          box: table.box,
          order: findSmallest(partLines.map(({ order }) => order)),
        })),
        ...others.map((part) => (part.kind === 'block' ? { ...part, column } : part)),
      ]),
    ),
    isRtl,
  );
}

/** Checkboxes in one row are read one after the other, whatever the drawing order. */
function groupRowsOfBoxes(parts: readonly BlockPart[]): (BlockPart | FramePart)[] {
  const isBox = ({ block }: BlockPart) => block.lines.length === 1 && /^[☐☑☒]$/.test(block.mark?.marker ?? '');
  const rows: BlockPart[][] = [];
  for (const part of parts.filter(isBox)) {
    const row = rows.find(([first]) => first && Math.abs(first.box.b - part.box.b) < 2);
    if (row) row.push(part);
    else rows.push([part]);
  }
  const wide = rows.filter((row) => row.length > 1);
  if (wide.length === 0) return [...parts];
  const wideLines = new Set(wide.flat());
  return [
    ...parts.filter((part) => !wideLines.has(part)),
    ...wide.flatMap((row) => groupInRows(row.map(createFramePart), false)),
  ];
}

function createFramePart(part: BlockPart): FramePart {
  return { kind: 'frame', parts: [part], box: part.box, order: part.order };
}

function findGridsAndPlots(page: ReadPage['page']): { grids: Grid[]; plots: Box[] } {
  const grids = findGrids([...page.rules, ...listShadingRules(page.fills, page.rules)]);
  const plots = grids.filter((grid) => isPlot(grid, page)).map(({ box }) => box);
  const other = [...findStaves(page.rules), ...findPlots(page.rules)].filter(
    (plot) => !plots.some((box) => computeCoverage(plot, box) > 0.3),
  );
  return {
    grids: grids.filter(({ box }) => !other.some((plot) => computeCoverage(plot, box) > 0.7)),
    plots: [...plots, ...other],
  };
}

/** The background of a chart is not a frame: the labels of its axes are outside. */
function omitPlots(frames: readonly Frame[], page: ReadPage['page']): Frame[] {
  if (frames.length === 0) return [];
  const { plots } = findGridsAndPlots(page);
  return frames.filter(({ box }) => !plots.some((plot) => computeCoverage(box, plot) > 0.7));
}

function takeTables(
  page: ReadPage['page'],
  lines: readonly Line[],
  tableMode: TableMode,
): { tables: PageTable[]; contents: Set<PageTable>; plots: Box[]; rest: Line[] } {
  const tables: PageTable[] = [];
  const contents = new Set<PageTable>();
  let rest = [...lines];
  for (const { table, taken } of findTaggedTables(rest)) {
    tables.push(table);
    rest = rest.flatMap((line) => omitWords(line, taken));
  }
  const { grids, plots } = findGridsAndPlots(page);
  addAll(
    plots,
    findNumberLines(page, rest).filter((area) => !plots.some((plot) => meets(plot, area))),
  );
  const graphs = findGraphs(page, rest).filter((graph) => !grids.some(({ box }) => meets(box, graph.box)));
  const nodes = new Set(graphs.flatMap((graph) => graph.labels));
  const labels = rest.filter((line) => isOnPlot(plots, line.box) || nodes.has(line));
  rest = rest.filter((line) => !labels.includes(line));
  for (const grid of grids) {
    if (plots.includes(grid.box)) continue;
    const isShaded = tableMode === 'accurate' && !hasColumns(grid, page.rules);
    const filledTable = fillGrid(grid, rest, page.fills);
    const byText = isShaded ? findBlockAround(grid, rest, filledTable?.table) : undefined;
    const filled = byText ?? findBooktabsAround(grid, rest, page.rules) ?? filledTable;
    if (!filled) continue;
    tables.push(filled.table);
    rest = rest.flatMap((line) => omitWords(line, filled.taken));
  }
  const level = listLevelRules(page.rules);
  const touching = listLevelRules(page.rules, 0);
  for (const find of [findBooktabs, findLinedTables]) {
    const used = new Set<Word>();
    for (const found of find(level, rest, touching)) {
      const { table, taken } = found;
      if (tableMode === 'accurate' && areSumLines(found, rest)) continue;
      // Rules of one length may enclose parts of a table that rules of another length enclose as a whole.
      if ([...taken].some((word) => used.has(word))) continue;
      for (const word of taken) used.add(word);
      tables.push(table);
      rest = rest.flatMap((line) => omitWords(line, taken));
    }
  }
  rest = joinJustified(rest.filter(({ isAside }) => !isAside)).concat(rest.filter(({ isAside }) => isAside));
  for (const { table, lines: entries } of findTablesOfContents(rest)) {
    tables.push(table);
    contents.add(table);
    rest = rest.filter((line) => !entries.includes(line));
  }
  for (const find of tableMode === 'accurate' ? [findBlockTables, findLabelledRows] : []) {
    for (const { table, taken } of find(rest)) {
      tables.push(table);
      rest = rest.flatMap((line) => omitWords(line, taken));
    }
  }
  return { tables, contents, plots, rest: [...rest, ...labels] };
}

/** True if rules, not just the edges of shaded areas, separate the grid's columns. */
function hasColumns({ box }: Grid, rules: readonly Rule[]): boolean {
  return rules.some(
    ({ axis, at, from, to }) =>
      axis === 'v' &&
      at > box.l + 4 &&
      at < box.r - 4 &&
      Math.min(to, box.t) - Math.max(from, box.b) > 0.3 * (box.t - box.b),
  );
}

/** The table that the text alignment shows where rows of a grid are shaded; unshaded rows belong to it too. */
function findBlockAround(
  { box }: Grid,
  lines: readonly Line[],
  filledTable: PageTable | undefined,
): LinedTable | undefined {
  const inside = lines.filter((line) => holds(box, line.box));
  return findBlockTables(lines).find(({ table, taken }) => {
    const isWider = table.box.t > box.t + 4 || table.box.b < box.b - 4;
    if (filledTable && !isWider && table.columns <= filledTable.columns) return false;
    const missed = inside.filter((line) => !line.words.every((word) => taken.has(word)));
    return measureOverlapY(table.box, box) > 0 && inside.length > 0 && missed.length === 0;
  });
}

/** A cell with this many rows of several pieces contains columns without rulings between them. */
const crowdedRows = 4;

/** The table derived from white space and baselines if cells of a grid contain several columns. */
function findBooktabsAround(
  { box, cells }: Grid,
  lines: readonly Line[],
  rules: readonly Rule[],
): LinedTable | undefined {
  const inside = lines.filter((line) => holds(box, line.box));
  const isCrowded = cells.some((cell) => {
    const rows = toRows(inside.filter((line) => holds(cell.box, line.box)));
    return rows.filter((row) => row.lines.length > 1).length >= crowdedRows;
  });
  if (!isCrowded) return undefined;
  // With rulings on all sides, monospaced type does not indicate code.
  const plain = lines.map((line) => ({ ...line, mono: false }));
  return findBooktabs(listLevelRules(rules), plain, listLevelRules(rules, 0)).find(
    ({ table, taken }) =>
      measureOverlapY(table.box, box) > 0 && inside.every((line) => line.words.every((word) => taken.has(word))),
  );
}

/** The line without the words that are part of a table; empty if none remain. */
function omitWords(line: Line, usedWords: ReadonlySet<Line['words'][number]>): Line[] {
  const words = line.words.filter((word) => !usedWords.has(word));
  if (words.length === line.words.length) return [line];
  if (words.length === 0) return [];
  return [{ ...line, words, text: words.map(({ text }) => text).join(' '), box: union(words.map(({ box }) => box)) }];
}

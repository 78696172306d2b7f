import type { RegionLabel } from '../../../model/page/page-models';
import { type Box, computeCoverage, measureOverlapX, union } from '../geometry/box';
import { listShadingRules, findGrids, listLevelRules, getRuleBox } from '../geometry/rulings';
import { findAlignedTables, toRows } from '../table/borderless';
import { findLinedTables } from '../table/lined-tables';
import type { PageCell, PageTable } from '../table/page-table';
import { fillGrid, joinLines } from '../table/tables';
import type { Line } from '../text/line';
import type { ReadPage } from '../text/upright';
import { joinBlock, mergeLines } from './paragraphs';
import type { Block, BlockPart, Part, PicturePart, TablePart } from './part';
import { type Region, settleRegions } from './regions';

/** The result of assigning a page's lines to regions; the rules handle `rest`. */
export interface RegionParts {
  parts: Part[];
  header: Line[];
  footer: Line[];
  rest: Line[];
  aside: Line[];
}

/** The smallest share of its region's words that a table must contain. */
const minWords = 0.7;

/**
 * The parts that a layout model has found on a page; undefined if no model has seen it. Without `withTables`, the rules handle
 * the text of tables.
 */
export function findRegionParts(page: ReadPage, withTables: boolean): RegionParts | undefined {
  if (!page.regions) return undefined;
  const regions = withTables ? page.regions : page.regions.filter(({ label }) => !isTable(label));
  const { width, height } = page.page;
  const settled = settleRegions(regions, { lines: page.lines, aside: page.aside, width, height });
  const mergeFurniture = (label: RegionLabel) =>
    settled.regions.flatMap((region) => (region.label === label ? [mergeLines(region.lines)] : []));
  const parts = settled.regions.flatMap((region) => findPart(region, page) ?? []);
  return {
    parts,
    header: mergeFurniture('page_header'),
    footer: mergeFurniture('page_footer'),
    rest: settled.rest,
    aside: settled.aside,
  };
}

function isTable(label: RegionLabel): boolean {
  return label === 'table' || label === 'document_index';
}

function findPart(region: Region, page: ReadPage): Part | undefined {
  const { label, lines, box } = region;
  if (label === 'page_header' || label === 'page_footer') return undefined;
  const order = lines[0]?.order ?? computeOrderBelow(box, page.lines);
  if (label === 'picture') return { kind: 'picture', labels: lines, box, order } satisfies PicturePart;
  if (isTable(label)) {
    const table = lines.length > 0 ? buildTable(region, page) : { box, rows: 0, columns: 0, cells: [] };
    return { kind: 'table', table, isIndex: label === 'document_index', box, order } satisfies TablePart;
  }
  const block = applyLabel(joinBlock(lines), label);
  return { kind: 'block', block, column: 0, box: block.box, order: block.order } satisfies BlockPart;
}

/** The block with the model's label, which overrides its marks and monospaced style. */
function applyLabel(block: Block, label: RegionLabel): Block {
  const labelled = { ...block, label, mono: label === 'code', mark: undefined };
  if (label === 'list_item') return { ...labelled, mark: block.mark ?? { marker: '', enumerated: false, words: 0 } };
  if (label !== 'checkbox_selected' && label !== 'checkbox_unselected') return labelled;
  const marker = label === 'checkbox_selected' ? '☑' : '☐';
  const text =
    block.mark && !block.mark.enumerated ? block.text.slice(block.mark.marker.length).trimStart() : block.text;
  return { ...labelled, text: `${marker} ${text}`, mark: { marker, enumerated: false, words: 1 } };
}

/** A picture or table without text comes after the last line above it. */
function computeOrderBelow(box: Box, lines: readonly Line[]): number {
  const above = lines.filter((line) => line.box.b >= box.t - 2 && measureOverlapX(line.box, box) > 0);
  const nearest = above.toSorted((a, b) => a.box.b - b.box.b)[0];
  return nearest ? nearest.order + 0.5 : -0.5;
}

/** Finds rows and columns by rulings, else by alignment, else by the white space between lines. */
function buildTable({ box, lines }: Region, { page }: ReadPage): PageTable {
  const words = lines.flatMap((line) => line.words).length;
  const inside = page.rules.filter((candidate) => {
    const rule = getRuleBox(candidate);
    return measureOverlapX(rule, box) >= -3 && rule.b >= box.b - 5 && rule.t <= box.t + 5;
  });
  const fills = page.fills.filter((fill) => computeCoverage(fill, box) > 0.5);
  for (const grid of findGrids([...inside, ...listShadingRules(fills, inside)])) {
    const filled = fillGrid(grid, lines, fills);
    if (filled && filled.taken.size >= minWords * words) return { ...filled.table, box };
  }
  const lined = findLinedTables(listLevelRules(inside), lines).find(({ taken }) => taken.size >= minWords * words);
  if (lined) return { ...lined.table, box };
  const aligned = findAlignedTables(lines).find(
    (table) => table.lines.flatMap((line) => line.words).length >= minWords * words,
  );
  return { ...(aligned?.table ?? buildTableByWhite(lines)), box };
}

/** Finds rows by baselines and columns by the gaps in the lines' x ranges. */
function buildTableByWhite(lines: readonly Line[]): Omit<PageTable, 'box'> {
  const columns: Box[] = [];
  // A line that spans several columns would join them.
  for (const { box } of lines.toSorted((a, b) => a.box.r - a.box.l - (b.box.r - b.box.l))) {
    const touched = columns.filter((column) => measureOverlapX(column, box) > 0);
    if (touched.length > 1) continue;
    if (touched[0]) columns[columns.indexOf(touched[0])] = union([touched[0], box]);
    else columns.push(box);
  }
  columns.sort((a, b) => a.l - b.l);
  const rows = toRows(lines);
  const cells = rows.flatMap((row, index) => listCellsOfRow(row.lines, index, columns));
  return { rows: rows.length, columns: columns.length, cells };
}

function listCellsOfRow(lines: readonly Line[], row: number, columns: readonly Box[]): PageCell[] {
  const cells: PageCell[] = [];
  for (const line of lines) {
    const first = Math.max(
      columns.findIndex((column) => measureOverlapX(column, line.box) > 0),
      0,
    );
    const last = Math.max(
      columns.findLastIndex((column) => measureOverlapX(column, line.box) > 0),
      first,
    );
    const before = cells.at(-1);
    if (before && before.columnEnd > first) {
      before.text = joinLines([before.text, line.text]);
      before.columnEnd = Math.max(before.columnEnd, last + 1);
      before.box = union([...(before.box ? [before.box] : []), line.box]);
      continue;
    }
    cells.push({
      row,
      rowEnd: row + 1,
      column: first,
      columnEnd: last + 1,
      text: line.text,
      header: row === 0,
      box: line.box,
    });
  }
  return cells;
}

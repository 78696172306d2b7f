import { maxGridPlaces, tableCell } from '../../document/grid';
import type { TableCell, TableData } from '../../document/model';
import { AppError } from '../../model/errors';
import { listDescendants, listElements, joinText, type XmlElement } from '../xml/xml';

/** Column edges closer than this are the same edge, in points. */
const edgeTolerance = 10;
/** Width of a column without a declared width. */
const defaultWidth = 50;

/** A part of a table with its own columns (`tgroup`). */
interface Group {
  /** The left edge of each column and the right edge of the last, in points. */
  edges: number[];
  names: string[];
  rows: { cells: XmlElement[]; isHead: boolean }[];
}

interface PlacedCell {
  from: number;
  to: number;
  text: string;
}

/**
 * Reads a table of the CALS model. Its groups have columns of different widths; the grid uses the edges of all groups. Rows
 * without text, which only draw rules, are dropped. Returns undefined if nothing is left.
 */
export function readTable(table: XmlElement, name: string): TableData | undefined {
  const groups = [...listDescendants(table, 'tgroup'), ...listDescendants(table, 'TGROUP')].map(readGroup);
  const edges = mergeEdges(groups.flatMap((group) => group.edges));
  const cells: TableCell[] = [];
  let row = 0;
  for (const group of groups) {
    const starts = group.edges.map((edge) => findEdge(edges, edge));
    /** For each column of the group, the number of rows that a cell above still covers. */
    const rowsToCover: number[] = [];
    for (const { cells: entries, isHead } of group.rows) {
      const placed = placeCells(group, entries, starts, rowsToCover);
      if (placed.every(({ text }) => text === '')) continue;
      if ((row + 1) * edges.length > maxGridPlaces) {
        throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${name}' has more than ${maxGridPlaces} places.`);
      }
      for (const { from, to, text } of placed) {
        if (to > from) cells.push(tableCell(row, from, text, { col_span: to - from, column_header: isHead }));
      }
      row += 1;
    }
  }
  const columns = edges.length - 1;
  return row === 0 || columns < 1 ? undefined : { table_cells: cells, num_rows: row, num_cols: columns };
}

function readGroup(group: XmlElement): Group {
  const specs = listElements(group).filter(({ name }) => name.toLowerCase() === 'colspec');
  const edges = [0];
  for (const { attributes } of specs) {
    const width = Number.parseFloat(attributes['colwidth'] ?? attributes['COLWIDTH'] ?? '');
    edges.push(edges.at(-1)! + (width > 0 ? width : defaultWidth));
  }
  const rows = listElements(group)
    .filter(({ name }) => /^(?:thead|tbody)$/i.test(name))
    .flatMap((part) =>
      listElements(part)
        .filter(({ name }) => name.toLowerCase() === 'row')
        .map((row) => ({
          cells: listElements(row).filter(({ name }) => name.toLowerCase() === 'entry'),
          isHead: part.name.toLowerCase() === 'thead',
        })),
    );
  // A group without column specifications has as many columns as its longest row.
  const maxColumns = rows.reduce((max, { cells }) => Math.max(max, cells.length), 1);
  if (specs.length === 0) for (let at = 1; at <= maxColumns; at++) edges.push(at * defaultWidth);
  return { edges, names: specs.map(({ attributes }) => attributes['colname'] ?? attributes['COLNAME'] ?? ''), rows };
}

function placeCells(
  { names }: Group,
  entries: readonly XmlElement[],
  starts: readonly number[],
  rowsToCover: number[],
): PlacedCell[] {
  const last = starts.length - 1;
  const covered = starts.map((_, at) => (rowsToCover[at] ?? 0) > 0);
  for (const [at, rows] of rowsToCover.entries()) rowsToCover[at] = Math.max(0, (rows ?? 0) - 1);
  let column = 0;
  return entries.map((entry) => {
    const { attributes } = entry;
    const first = names.indexOf(attributes['namest'] ?? attributes['NAMEST'] ?? attributes['colname'] ?? '\0');
    const end = names.indexOf(attributes['nameend'] ?? attributes['NAMEEND'] ?? '\0');
    if (first < 0) while (covered[column]) column += 1;
    const from = Math.min(first >= 0 ? first : column, last);
    const to = Math.min(end >= from ? end + 1 : from + 1, last);
    column = Math.max(column, to);
    const more = Math.min(Number.parseInt(attributes['morerows'] ?? attributes['MOREROWS'] ?? '0', 10) || 0, 10_000);
    for (let at = from; at < to; at++) rowsToCover[at] = Math.max(rowsToCover[at] ?? 0, more);
    return { from: starts[from]!, to: starts[to]!, text: joinText(entry).replace(/\s+/g, ' ').trim() };
  });
}

/** Returns the edges in order, without those that nearly repeat the one before. */
function mergeEdges(edges: readonly number[]): number[] {
  const merged: number[] = [];
  for (const edge of edges.toSorted((edge, other) => edge - other)) {
    if (merged.length === 0 || edge - merged.at(-1)! > edgeTolerance) merged.push(edge);
  }
  return merged;
}

/** Returns the index of the last edge at or before this one. */
function findEdge(edges: readonly number[], edge: number): number {
  let nearest = 0;
  for (const [index, candidate] of edges.entries()) if (candidate <= edge) nearest = index;
  return nearest;
}

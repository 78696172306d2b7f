import { tableCell } from '../../../document/grid';
import type { TableCell, TableData } from '../../../document/model';
import type { Paragraph } from './paragraphs';

/** A row before layout: the paragraphs of each cell, and the row definition. */
export interface Row {
  cells: Paragraph[][];
  definition: Buffer | undefined;
}
/** The edges of a cell, in twentieths of a point. */
interface CellEdges {
  left: number;
  right: number;
  /** True if the cell continues the one above. */
  continues: boolean;
}
/** Edges closer than this are the same edge, in twentieths of a point. */
const edgeTolerance = 20;
/** The width of cells without edges. */
const defaultWidth = 1000;

/** A table cell with its paragraphs. */
export interface PlacedCell {
  cell: TableCell;
  paragraphs: readonly Paragraph[];
}

/** Arranges rows on the grid formed by the edges of all cells. The first row is the header. */
export function buildTable(rows: readonly Row[]): { data: TableData; placed: PlacedCell[] } {
  const places = rows.map(listCellEdges);
  const edges = mergeEdges(places.flat());
  const findColumn = (edge: number) => edges.findLastIndex((at) => at <= edge + edgeTolerance);
  const data: TableData = { table_cells: [], num_rows: rows.length, num_cols: Math.max(edges.length - 1, 1) };
  const placed: PlacedCell[] = [];
  let above = new Map<number, TableCell>();
  for (const [row, { cells }] of rows.entries()) {
    const current: typeof above = new Map();
    for (const [index, paragraphs] of cells.entries()) {
      const { left, right, continues } = places[row]![index]!;
      const column = Math.max(findColumn(left), 0);
      const span = Math.max(findColumn(right) - column, 1);
      const upper = continues ? above.get(column) : undefined;
      if (upper) {
        upper.row_span += 1;
        upper.end_row_offset_idx += 1;
        current.set(column, upper);
        continue;
      }
      const cell = tableCell(row, column, joinCellText(paragraphs), { col_span: span, column_header: row === 0 });
      data.table_cells.push(cell);
      placed.push({ cell, paragraphs });
      current.set(column, cell);
    }
    above = current;
  }
  return { data, placed };
}

/** Returns the text of a cell, one line per paragraph. */
export function joinCellText(paragraphs: readonly Pick<Paragraph, 'runs'>[]): string {
  return paragraphs
    .map(({ runs }) => runs.map(({ text }) => text).join(''))
    .join('\n')
    .trim();
}

/** Returns edges and merges from the row definition (MS-DOC 2.9.317). Without a definition all cells have the same width. */
function listCellEdges({ cells, definition }: Row): CellEdges[] {
  const count = definition?.[0] ?? 0;
  const readEdge = (index: number) => definition!.readInt16LE(1 + 2 * index);
  const hasEdges = definition !== undefined && count >= cells.length && definition.length >= 1 + 2 * (count + 1);
  return cells.map((_, index) => {
    if (!hasEdges) return { left: index * defaultWidth, right: (index + 1) * defaultWidth, continues: false };
    const flagsAt = 1 + 2 * (count + 1) + 20 * index;
    const flags = flagsAt + 2 <= definition.length ? definition.readUInt16LE(flagsAt) : 0;
    return { left: readEdge(index), right: readEdge(index + 1), continues: ((flags >> 5) & 3) === 1 };
  });
}

function mergeEdges(places: readonly CellEdges[]): number[] {
  const sorted = places.flatMap(({ left, right }) => [left, right]).sort((edge, other) => edge - other);
  const edges: number[] = [];
  for (const edge of sorted) if (edges.length === 0 || edge - edges.at(-1)! > edgeTolerance) edges.push(edge);
  return edges;
}

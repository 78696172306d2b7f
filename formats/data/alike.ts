import { tableCell } from '../../document/grid';
import type { TableCell, TableData } from '../../document/model';
import { type Data, type DataMap, findInlineText } from './data';

/** Wider tables are unreadable. */
const maxColumns = 24;
/** Longer texts are paragraphs, not cells. */
const maxCellLength = 500;
/** Minimum share of filled cells. */
const minFilled = 0.5;
/** Nested members become columns such as `author.name` down to this depth. */
const maxColumnDepth = 3;

/** Returns a table of maps with the same members, one row each; undefined if they are too different, too wide or too long. */
export function buildMapTable(rows: readonly { key?: string; data: Data }[]): TableData | undefined {
  if (rows.length < 2) return undefined;
  const columns = new Map<string, number>();
  const valuesByRow: Map<string, string>[] = [];
  let filled = 0;
  for (const { data } of rows) {
    const values = flattenRow(data);
    if (values === undefined) return undefined;
    for (const name of values.keys()) if (!columns.has(name)) columns.set(name, columns.size);
    if (columns.size > maxColumns) return undefined;
    filled += values.size;
    valuesByRow.push(values);
  }
  const hasNames = [...columns.keys()].some((name) => name !== '');
  if (!hasNames || filled < rows.length * columns.size * minFilled) return undefined;
  const hasKeys = rows[0]!.key !== undefined;
  const shift = hasKeys ? 1 : 0;
  const cells: TableCell[] = [];
  if (hasKeys) cells.push(tableCell(0, 0, '', { column_header: true }));
  for (const [name, column] of columns) cells.push(tableCell(0, column + shift, name, { column_header: true }));
  for (const [index, values] of valuesByRow.entries()) {
    if (hasKeys) cells.push(tableCell(index + 1, 0, rows[index]!.key ?? '', { row_header: true }));
    for (const [name, text] of values) cells.push(tableCell(index + 1, columns.get(name)! + shift, text));
  }
  return { table_cells: cells, num_rows: rows.length + 1, num_cols: columns.size + shift };
}

/**
 * Returns the values of a row by column name. A text among maps goes into the column without a name, like the text of an
 * element with attributes.
 */
function flattenRow(data: Data): Map<string, string> | undefined {
  const values = new Map<string, string>();
  if (typeof data === 'string') return data.length <= maxCellLength ? values.set('', toOneLine(data)) : undefined;
  return data.kind === 'map' && flatten(data, '', values) ? values : undefined;
}

/** Returns a table of equally long lists of single values; undefined for other lists. */
export function buildListTable(items: readonly Data[]): TableData | undefined {
  const [first] = items;
  if (items.length < 2 || typeof first !== 'object' || first.kind !== 'list') return undefined;
  const width = first.items.length;
  if (width === 0 || width > maxColumns) return undefined;
  const cells: TableCell[] = [];
  for (const [row, item] of items.entries()) {
    if (typeof item === 'string' || item.kind !== 'list' || item.items.length !== width) return undefined;
    for (const [column, value] of item.items.entries()) {
      if (typeof value !== 'string' || value.length > maxCellLength) return undefined;
      cells.push(tableCell(row, column, toOneLine(value)));
    }
  }
  return { table_cells: cells, num_rows: items.length, num_cols: width };
}

/** Adds the members of a map to `values`. False if they do not fit into a row: a long text, a list of maps, a repeated member. */
function flatten({ entries }: DataMap, path: string, values: Map<string, string>, depth = 1): boolean {
  for (const [key, value] of entries) {
    const name = [path, key].filter(Boolean).join('.');
    if (typeof value === 'object' && value.kind === 'map') {
      if (depth >= maxColumnDepth || !flatten(value, name, values, depth + 1)) return false;
      continue;
    }
    const text = typeof value === 'string' ? value : findInlineText(value);
    if (text === undefined || text.length > maxCellLength || values.has(name)) return false;
    values.set(name, toOneLine(text));
    if (values.size > maxColumns) return false;
  }
  return true;
}

function toOneLine(text: string): string {
  return text.includes('\n') ? text.replace(/\s*\n\s*/g, ' ') : text;
}

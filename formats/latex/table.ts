import { maxGridPlaces, tableCell } from '../../document/grid';
import type { TableCell, TableData } from '../../document/model';
import { AppError } from '../../model/errors';
import { readInline, writeAddresses } from './inline';
import { readArgument, findOption, removeMarks } from './source';

/**
 * Reads the content of a `tabular`: rows end with `\\`, cells are separated by `&`, the first row is the header. As in the
 * reference, everything after the last `\\` is a row, even if it contains only rules and blanks.
 */
export function readTable(source: string, name: string): TableData {
  const cells: TableCell[] = [];
  const freeFrom: number[] = [];
  let row = 0;
  const lines = splitTable(removeMarks(source), 'rows');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const texts = splitTable(line.replace(rowCommands, ''), 'cells').map(readCell);
    let column = 0;
    for (const { text, columns, rows } of texts) {
      // A position covered by a cell above is repeated in the source as an empty cell.
      const isCovered = text === '' && (freeFrom[column] ?? 0) > row;
      if (!isCovered) {
        cells.push(tableCell(row, column, text, { col_span: columns, row_span: rows, column_header: row === 0 }));
        for (let at = column; at < column + columns; at++) freeFrom[at] = row + rows;
      }
      column += columns;
    }
    row += 1;
    if (row * Math.max(freeFrom.length, 1) > maxGridPlaces) {
      throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${name}' has more than ${maxGridPlaces} places.`);
    }
  }
  if (cells.every(({ text }) => text === '')) return { table_cells: [], num_rows: 0, num_cols: 0 };
  for (const cell of cells) {
    cell.end_row_offset_idx = Math.min(cell.end_row_offset_idx, row);
    cell.row_span = cell.end_row_offset_idx - cell.start_row_offset_idx;
  }
  return { table_cells: cells, num_rows: row, num_cols: freeFrom.length };
}

/** Commands between rows that have no text. */
const rowCommands =
  /\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|centering)\b(?:\[[^\]]*\])?|\\(?:cline|cmidrule)\s*(?:\([^)]*\))?\s*\{[^{}]*\}/g;

/** Splits rows or cells, except inside braces and nested environments. */
function splitTable(source: string, by: 'rows' | 'cells'): string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!;
    if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (character === '\\') {
      if (source.startsWith('\\begin', at)) depth += 1;
      else if (source.startsWith('\\end{', at)) depth -= 1;
      const isRow = source[at + 1] === '\\' || source.startsWith('\\tabularnewline', at);
      if (by === 'rows' && depth === 0 && isRow) {
        parts.push(source.slice(from, at));
        const after = source[at + 1] === '\\' ? at + 2 : at + '\\tabularnewline'.length;
        from = findOption(source, source[after] === '*' ? after + 1 : after)?.end ?? after;
        at = from - 1;
        continue;
      }
      at += 1;
    } else if (by === 'cells' && depth === 0 && character === '&') {
      parts.push(source.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, source.slice(from)];
}

/** Reads a cell with the spans of `\multicolumn` and `\multirow`, which may be nested. */
function readCell(source: string): { text: string; columns: number; rows: number } {
  let content = source.trim();
  let [columns, rows] = [1, 1];
  for (let match = spanning.exec(content); match; match = spanning.exec(content)) {
    const isColumns = match[1] === 'column';
    const start = match[0].length;
    const count = readArgument(content, isColumns ? start : (findOption(content, start)?.end ?? start));
    const layout = readArgument(content, isColumns ? count.end : (findOption(content, count.end)?.end ?? count.end));
    const inner = readArgument(content, isColumns ? layout.end : (findOption(content, layout.end)?.end ?? layout.end));
    const number = Math.min(Math.max(Math.abs(Number.parseInt(count.text, 10)) || 1, 1), 1000);
    if (isColumns) columns = number;
    else rows = number;
    content = inner.text.trim();
  }
  return { text: writeAddresses(readInline(content, 'source')).replace(/\s+/g, ' '), columns, rows };
}

const spanning = /^\\multi(column|row)\b/;

/**
 * Returns the rows of a long table with the head of the first page and the foot of the last page, which the source lists first.
 */
export function arrangeLongTable(rows: string): string {
  const parts = rows.split(/\\(endfirsthead|endhead|endfoot|endlastfoot)\b/);
  const body = parts.at(-1)!;
  /** Returns the rows before a command. */
  const findRowsBefore = (command: string) => {
    const at = parts.indexOf(command);
    return at < 0 ? '' : parts[at - 1]!.trim();
  };
  return [findRowsBefore('endfirsthead') || findRowsBefore('endhead'), body.trim(), findRowsBefore('endlastfoot')]
    .filter((part) => part !== '')
    .join('\n');
}

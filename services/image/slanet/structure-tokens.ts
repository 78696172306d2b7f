import type { ShareBox, TableCell, TableStructure } from '../../../model/page/page-models';

/** The tokens of HTML that the model writes, by class. The first and the last mark the beginning and the end. */
export const structureTokens: readonly string[] = [
  '',
  '<thead>',
  '</thead>',
  '<tbody>',
  '</tbody>',
  '<tr>',
  '</tr>',
  '<td',
  '>',
  '</td>',
  ...listSpans('colspan'),
  ...listSpans('rowspan'),
  '<td></td>',
  '',
];
const end = structureTokens.length - 1;

function listSpans(name: 'colspan' | 'rowspan'): string[] {
  return Array.from({ length: 19 }, (_, index) => ` ${name}="${index + 2}"`);
}

/** What the model returns: for each step the probabilities of the tokens, and the corners of a cell in shares of the image. */
export interface StructureAnswer {
  steps: number;
  tokens: ArrayLike<number>;
  corners: ArrayLike<number>;
}

/** A cell as it is written, before its place is known. */
interface Written {
  columns: number;
  rows: number;
  isHead: boolean;
  box: ShareBox;
}

/** Width and height of the picture of the table in shares of the square that the model sees. */
export interface FilledShare {
  width: number;
  height: number;
}

/** The table that the tokens describe; undefined if they do not end, or have no cell. */
export function decodeStructure(
  { steps, tokens, corners }: StructureAnswer,
  filled: FilledShare,
): TableStructure | undefined {
  const rows: Written[][] = [];
  let [isHead, sum, count] = [false, 0, 0];
  let open: Written | undefined;
  for (let step = 0; step < steps; step += 1) {
    const { token, probability } = findToken(tokens, step);
    if (token === end && step > 0) return placeCells(rows, sum / count);
    sum += probability;
    count += 1;
    const text = structureTokens[token] as string;
    if (text === '<thead>' || text === '<tbody>') isHead = text === '<thead>';
    if (text === '<tr>') rows.push([]);
    if (text.startsWith('<td')) {
      open = { columns: 1, rows: 1, isHead, box: readBox(corners, step, filled) };
      const row = rows.at(-1);
      // A cell outside of rows is no table, nor is one without a place.
      if (!row || !Object.values(open.box).every(Number.isFinite)) return undefined;
      row.push(open);
    }
    const [, name, span] = /^ (colspan|rowspan)="(\d+)"$/.exec(text) ?? [];
    if (open && name === 'colspan') open.columns = Number(span);
    if (open && name === 'rowspan') open.rows = Number(span);
  }
  return undefined;
}

function findToken(tokens: ArrayLike<number>, step: number): { token: number; probability: number } {
  let token = 0;
  const start = step * structureTokens.length;
  for (let index = 1; index < structureTokens.length; index += 1)
    if ((tokens[start + index] as number) > (tokens[start + token] as number)) token = index;
  return { token, probability: tokens[start + token] as number };
}

/** The smallest upright box around the four corners. */
function readBox(corners: ArrayLike<number>, step: number, { width, height }: FilledShare): ShareBox {
  const at = (index: number) => corners[step * 8 + index] as number;
  const x = [at(0), at(2), at(4), at(6)].map((value) => value / width);
  const y = [at(1), at(3), at(5), at(7)].map((value) => value / height);
  return { x0: Math.min(...x), y0: Math.min(...y), x1: Math.max(...x), y1: Math.max(...y) };
}

/** Gives cells their rows and columns as browsers do: a cell takes the first free place of its row. */
function placeCells(rows: readonly (readonly Written[])[], score: number): TableStructure | undefined {
  const taken = new Set<string>();
  const cells: TableCell[] = [];
  rows.forEach((row, index) => {
    let column = 0;
    for (const cell of row) {
      while (taken.has(`${index},${column}`)) column += 1;
      const place = {
        row: index,
        rowEnd: Math.min(index + cell.rows, rows.length),
        column,
        columnEnd: column + cell.columns,
      };
      for (let y = place.row; y < place.rowEnd; y += 1)
        for (let x = place.column; x < place.columnEnd; x += 1) taken.add(`${y},${x}`);
      cells.push({ ...place, header: cell.isHead, box: cell.box });
      column = place.columnEnd;
    }
  });
  if (cells.length === 0) return undefined;
  const columns = cells.reduce((most, { columnEnd }) => Math.max(most, columnEnd), 0);
  return { rows: rows.length, columns, cells, score };
}

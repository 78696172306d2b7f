import { openCompound } from '../compound';
import { biff, singleCellTypes } from './records';

/** A smaller file cannot contain as many cells: the smallest ones have six bytes. */
export const minBytes = 4 * 1024 * 1024;
/** Above this number, the cells would need more memory than a conversion thread has. */
const largeCells = 700_000;
/** True if the sheets of a workbook are read row by row. Workbooks that have a password are not. */
export function hasLargeSheets(bytes: Uint8Array): boolean {
  if (bytes.length < minBytes) return false;
  try {
    const file = openCompound(bytes, '');
    const stream = file.stream('Workbook') ?? file.stream('Book');
    return stream !== undefined && countCells(stream) > largeCells;
  } catch {
    // The reader reports the problem.
    return false;
  }
}

function countCells(stream: Buffer): number {
  let count = 0;
  for (let at = 0; at + 4 <= stream.length; at += 4 + stream.readUInt16LE(at + 2)) {
    const type = stream.readUInt16LE(at);
    if (type === biff.filePass) return 0;
    if (singleCellTypes.has(type)) count += 1;
    else if (type === biff.mulRk) count += Math.floor((stream.readUInt16LE(at + 2) - 6) / 6);
  }
  return count;
}

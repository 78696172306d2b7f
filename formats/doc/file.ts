import { decode } from 'iconv-lite';
import { AppError } from '../../model/errors';
import { openCompound } from '../compound';
import type { ReadOptions } from '../format';

/** The streams of a binary Word document with its characters in order (MS-DOC 2.4.1). */
export interface WordFile {
  main: Buffer;
  /** The table stream, with everything that is not text. */
  table: Buffer;
  data: Buffer;
  /** All stories one behind the other. */
  text: string;
  /** Characters of the body and of the footnotes behind it. */
  bodyLength: number;
  footnoteLength: number;
  /** Where the character stands in the main stream. */
  offsetOf(position: number): number;
  /** A structure of the table stream by its number in the header (MS-DOC 2.5.6); empty when there is none. */
  structure(index: number): Buffer;
}

interface PieceOfText {
  start: number;
  end: number;
  offset: number;
  width: 1 | 2;
}

/** Opens the file. Throws DOCUMENT_ENCRYPTED or DOCUMENT_CORRUPT. */
export function openWord(bytes: Uint8Array, { name, limits }: ReadOptions): WordFile {
  const file = openCompound(bytes, name);
  const corrupt = (what: string) => new AppError('DOCUMENT_CORRUPT', `'${name}' is no Word document: ${what}.`);
  const main = file.stream('WordDocument');
  if (main === undefined || main.length < 0x1aa || main.readUInt16LE(0) !== 0xa5ec)
    throw corrupt('its header is missing');
  const flags = main.readUInt16LE(0x0a);
  if (flags & 0x100) throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a Word document protected by a password.`);
  if (main.readUInt16LE(2) < 0xc0) {
    throw new AppError(
      'FORMAT_UNSUPPORTED',
      `'${name}' is a document of Word 95 or before; Word 97 and later are read.`,
    );
  }
  const table = file.stream(flags & 0x200 ? '1Table' : '0Table');
  if (table === undefined) throw corrupt('its table stream is missing');
  const structure = (index: number): Buffer => {
    const at = 0x9a + 8 * index;
    if (at + 8 > main.length) return Buffer.alloc(0);
    const start = main.readUInt32LE(at);
    return table.subarray(start, start + main.readUInt32LE(at + 4));
  };
  const pieces = readPieces(structure(33));
  if (pieces.length === 0) throw corrupt('the table of its text is missing');
  const total = pieces.at(-1)!.end;
  // Pieces may name the same bytes again and again.
  if (total * 2 > limits.maxExpandedBytes) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' says it has ${total} characters.`);
  }
  if (pieces.some(({ offset, start, end, width }) => offset + (end - start) * width > main.length)) {
    throw corrupt('its text goes beyond the file');
  }
  return {
    main,
    table,
    data: file.stream('Data') ?? Buffer.alloc(0),
    text: pieces.map((piece) => textOf(main, piece)).join(''),
    bodyLength: main.readUInt32LE(0x4c),
    footnoteLength: main.readUInt32LE(0x50),
    offsetOf(position) {
      const piece = pieceAt(pieces, position);
      return piece === undefined ? -1 : piece.offset + (position - piece.start) * piece.width;
    },
    structure,
  };
}

function textOf(main: Buffer, { start, end, offset, width }: PieceOfText): string {
  const bytes = main.subarray(offset, offset + (end - start) * width);
  return width === 2 ? bytes.toString('utf16le') : decode(bytes, 'cp1252');
}

function pieceAt(pieces: readonly PieceOfText[], position: number): PieceOfText | undefined {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle]!.end <= position) low = middle + 1;
    else high = middle;
  }
  return pieces[low];
}

/** The pieces of the text (MS-DOC 2.8.35), which follow changes that were saved beside them. */
function readPieces(clx: Buffer): PieceOfText[] {
  let at = 0;
  while (clx[at] === 1 && at + 3 <= clx.length) at += 3 + clx.readUInt16LE(at + 1);
  if (clx[at] !== 2 || at + 5 > clx.length) return [];
  const plc = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
  const count = Math.max(Math.floor((plc.length - 4) / 12), 0);
  const pieces: PieceOfText[] = [];
  for (let index = 0; index < count; index++) {
    const [start, end] = [plc.readUInt32LE(4 * index), plc.readUInt32LE(4 * index + 4)];
    const fc = plc.readUInt32LE(4 * (count + 1) + 8 * index + 2);
    const isNarrow = (fc & 0x40000000) !== 0;
    const offset = fc & 0x3fffffff;
    if (end < start || (pieces.at(-1)?.end ?? 0) !== start) return [];
    pieces.push({ start, end, offset: isNarrow ? offset >> 1 : offset, width: isNarrow ? 1 : 2 });
  }
  return pieces;
}

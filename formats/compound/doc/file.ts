import { decode } from 'iconv-lite';
import { AppError } from '../../../model/errors';
import type { ReadOptions } from '../../format';
import { explainPassword } from '../../password';
import { type CompoundFile, openCompound } from '../compound';
import { decryptWord } from './decrypt';
import { isOldWord, openOldWord } from './old-file';
import { readStretches } from './properties';
import { type TextPiece, readPieces, readStories, structures } from './structure';
import type { WordFile } from './word-file';

/** Offsets in the file header: the lengths of the stories, and the references to structures. */
const lengthsAt = 0x4c;
const structuresAt = 0x9a;

/** Opens the file. Throws DOCUMENT_ENCRYPTED or DOCUMENT_CORRUPT. */
export function openWord(bytes: Uint8Array, { name, limits, recordOmission, paged }: ReadOptions): WordFile {
  const file = openCompound(bytes, name);
  file.reportFolders(recordOmission);
  const createCorruptError = (reason: string) =>
    new AppError('DOCUMENT_CORRUPT', `'${name}' is not a Word document: ${reason}.`);
  const main = file.stream('WordDocument');
  const isOld = main !== undefined && isOldWord(main);
  if (main === undefined || (!isOld && (main.length < 0x1aa || main.readUInt16LE(0) !== 0xa5ec)))
    throw createCorruptError('its header is missing');
  const flags = main.readUInt16LE(0x0a);
  const isEncrypted = (flags & 0x100) !== 0;
  if (isEncrypted && !isOld) {
    const opened = decryptWord(file, main, paged?.password);
    if (opened !== undefined) return openCurrent(opened.file, opened.main, { name, limits });
  }
  if (isEncrypted) {
    // No password opens documents from before Word 97.
    const why = isOld ? 'protected by a password' : explainPassword(paged?.password);
    throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a Word document ${why}.`);
  }
  if (isOld) {
    const opened = openOldWord(main);
    if (opened === undefined) throw createCorruptError('its text goes beyond the file');
    return opened;
  }
  return openCurrent(file, main, { name, limits });
}

function openCurrent(
  file: CompoundFile,
  main: Buffer,
  { name, limits }: Pick<ReadOptions, 'name' | 'limits'>,
): WordFile {
  const createCorruptError = (reason: string) =>
    new AppError('DOCUMENT_CORRUPT', `'${name}' is not a Word document: ${reason}.`);
  const flags = main.readUInt16LE(0x0a);
  const table = file.stream(flags & 0x200 ? '1Table' : '0Table');
  if (table === undefined) throw createCorruptError('its table stream is missing');
  const getPlace = (index: number): [start: number, length: number] => {
    const at = structuresAt + 8 * index;
    return at + 8 > main.length ? [0, 0] : [main.readUInt32LE(at), main.readUInt32LE(at + 4)];
  };
  const readFrom = (index: number): Buffer => {
    const [start, length] = getPlace(index);
    return length === 0 ? Buffer.alloc(0) : table.subarray(start);
  };
  const readStructure = (index: number): Buffer => readFrom(index).subarray(0, getPlace(index)[1]);
  const pieces = readPieces(readStructure(structures.pieces));
  if (pieces.length === 0) throw createCorruptError('the table of its text is missing');
  const totalLength = pieces.at(-1)!.end;
  // Several pieces may refer to the same bytes.
  if (totalLength * 2 > limits.maxExpandedBytes) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${name}' claims to have ${totalLength} characters; the limit is ${Math.floor(limits.maxExpandedBytes / 2)}.`,
    );
  }
  if (pieces.some(({ offset, start, end, width }) => offset + (end - start) * width > main.length)) {
    throw createCorruptError('its text goes beyond the file');
  }
  const text = pieces.map((piece) => readText(main, piece)).join('');
  return {
    main,
    table,
    data: file.stream('Data') ?? Buffer.alloc(0),
    text,
    stories: readStories(main, text.length, lengthsAt),
    getOffset(position) {
      const piece = findPiece(pieces, position);
      return piece === undefined ? -1 : piece.offset + (position - piece.start) * piece.width;
    },
    structure: readStructure,
    from: readFrom,
    isOld: false,
    stretches: (kind) =>
      readStretches(main, readStructure(kind === 'paragraph' ? structures.paragraphs : structures.characters), kind),
  };
}

/** A range of a story with its data. */
export interface Entry {
  from: number;
  to: number;
  data: Buffer;
}

/**
 * Reads a list of positions and data (MS-DOC 2.2.2). Lists of stories have `extra` positions at the end. Entries that overlap
 * earlier ones are damaged and skipped.
 */
export function readEntries(plc: Buffer, dataBytes: number, extra = 0): Entry[] {
  const count = Math.floor((plc.length - 4 - 4 * extra) / (4 + dataBytes));
  const entries: Entry[] = [];
  let end = 0;
  for (let index = 0; index < count; index++) {
    const [from, to] = [plc.readUInt32LE(4 * index), plc.readUInt32LE(4 * index + 4)];
    const dataAt = 4 * (count + 1 + extra) + index * dataBytes;
    if (from < end || to < from) continue;
    entries.push({ from, to, data: plc.subarray(dataAt, dataAt + dataBytes) });
    end = to;
  }
  return entries;
}

function readText(main: Buffer, { start, end, offset, width }: TextPiece): string {
  const bytes = main.subarray(offset, offset + (end - start) * width);
  return width === 2 ? bytes.toString('utf16le') : decode(bytes, 'cp1252');
}

function findPiece(pieces: readonly TextPiece[], position: number): TextPiece | undefined {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle]!.end <= position) low = middle + 1;
    else high = middle;
  }
  return pieces[low];
}

import { AppError } from '../../../model/errors';
import type { ReadSheets, RowSheet } from '../../format';
import { openOoxml, type OoxmlPackage } from '../package';
import { type CellTexts, createCellScanner } from './cells';
import { listSheets, readCellTexts, readWorkbook } from './read';

/** Rows are scanned in texts of about this length. */
const pieceLength = 1024 * 1024;
/** Maximum number of cells in a sheet, including the empty ones before the last filled cell of each row. */
const maxPlaces = 100_000_000;
/** Maximum number of characters of a row in the file. */
const maxRowLength = 64 * 1024 * 1024;

/**
 * Reads the sheets of a workbook row by row, each as one table; empty rows are skipped. Merged cells have their text in the
 * first cell. Charts, pictures and comments are not read.
 */
export const readSheets: ReadSheets = function* readSheets(bytes, { limits }): Generator<RowSheet> {
  const office = openOoxml(bytes, limits);
  const texts = readCellTexts(office, readWorkbook(office));
  for (const { name, part, isHidden } of listSheets(office))
    yield { name, isHidden, rows: readRows(office, part, texts) };
};

function* readRows(office: OoxmlPackage, part: string, texts: CellTexts): Generator<string[]> {
  const pieces = office.pieces(part);
  if (!pieces) return;
  let rows: string[][] = [];
  let current = -1;
  let places = 0;
  const handlers = createCellScanner(texts, (row, column, { text }) => {
    if (text === '') return;
    if (row !== current) rows.push([]);
    current = row;
    const cells = rows.at(-1)!;
    places += Math.max(0, column + 1 - cells.length);
    if (places > maxPlaces)
      throw new AppError('DOCUMENT_TOO_LARGE', `${part} has more than ${maxPlaces} places in its rows.`);
    // Empty places need no memory until the row is written.
    cells[column] = text;
  });
  for (const piece of cutRows(pieces, part)) {
    // The last row of a piece is complete.
    office.scanPiece(piece, part, handlers);
    for (const row of rows) yield Array.from(row, (text: string | undefined) => text ?? '');
    [rows, current] = [[], -1];
  }
}

/**
 * Splits a worksheet between rows into pieces that are well-formed on their own: each is wrapped in copies of the first tags.
 * Content after the rows is skipped. Entity references fail, because no piece declares any.
 */
function* cutRows(pieces: Iterable<Uint8Array>, part: string): Generator<string> {
  let text = '';
  let around: Surroundings | undefined;
  for (const more of decodePieces(pieces)) {
    text += more;
    if (!around) {
      around = findSurroundings(text);
      if (!around && text.length > maxRowLength) throw createTooLongError(part);
      if (!around) continue;
      text = text.slice(around.start);
    }
    const last = text.indexOf(around.end, Math.max(0, text.length - more.length - around.end.length));
    if (last >= 0) {
      yield around.before + text.slice(0, last) + around.after;
      return;
    }
    if (text.length < pieceLength) continue;
    const cut = text.lastIndexOf(around.rowEnd) + around.rowEnd.length;
    if (cut >= around.rowEnd.length) {
      yield around.before + text.slice(0, cut) + around.after;
      text = text.slice(cut);
    } else if (text.length > maxRowLength) throw createTooLongError(part);
  }
  if (around) throw new AppError('DOCUMENT_CORRUPT', `${part} ends within its rows.`);
}

function createTooLongError(part: string): AppError {
  return new AppError('DOCUMENT_TOO_LARGE', `${part} has a row of more than ${maxRowLength} characters.`);
}

/** The tags around the rows of a sheet. */
interface Surroundings {
  /** Start tags of the sheet and its data. */
  before: string;
  /** Their end tags. */
  after: string;
  /** End tag of the data. */
  end: string;
  rowEnd: string;
  /** Offset of the first row. */
  start: number;
}

/** Finds the tags around the rows. A sheet with an empty `sheetData` has none. */
function findSurroundings(text: string): Surroundings | undefined {
  const data = /<((?:[\w.-]+:)?)sheetData(?:\s[^>]*[^>/])?>/.exec(text);
  const root = /<(?:[\w.-]+:)?worksheet(?:\s[^>]*)?>/.exec(text);
  if (!data || !root) return undefined;
  const [tag, prefix = ''] = data;
  const end = `</${prefix}sheetData>`;
  return {
    before: root[0] + tag,
    after: `${end}</${root[0].slice(1).split(/[\s>]/, 1)[0]}>`,
    end,
    rowEnd: `</${prefix}row>`,
    start: data.index + tag.length,
  };
}

function* decodePieces(pieces: Iterable<Uint8Array>): Generator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for (const piece of pieces) {
    decoder ??= new TextDecoder(findMarkedEncoding(piece));
    yield decoder.decode(piece, { stream: true });
  }
}

/** Worksheets are encoded in UTF-8, or in UTF-16 with a byte order mark (ECMA-376 part 2, 8.1.4). */
function findMarkedEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

import { type Encodings, findEncodings } from './old-encoding';
import { toWord97List } from './old-properties';
import { readRangesWithLayout } from './properties';
import { type TextPiece, readPieces, readStories, storyNames, structures } from './structure';
import type { WordFile } from './word-file';

/** First two bytes of Word 6 and 95 documents; East Asian editions have their own. */
const marks: ReadonlySet<number> = new Set([0xa5dc, 0xa697, 0xa698, 0xa699]);
const minBytes = 0x168;
/** Offsets in the header: save flags, start of the text, lengths of the stories. */
const header = { flags: 0x0a, textAt: 0x18, lengths: 0x34 } as const;
/** Offsets of structures in the header, by their number in later versions. */
const places: ReadonlyMap<number, number> = new Map([
  [structures.styles, 0x60],
  [structures.footnotes, 0x70],
  [structures.commentMarks, 0x78],
  [structures.comments, 0x80],
  [structures.sections, 0x88],
  [structures.headers, 0xb0],
  [structures.characters, 0xb8],
  [structures.paragraphs, 0xc0],
  [structures.fonts, 0xd0],
  [structures.pieces, 0x160],
  [structures.endnotes, 0x1da],
]);
/** Flags: saved in pieces; two bytes per character, as in East Asian editions. */
const [isInPieces, hasWideSigns] = [0x04, 0x1000];

/** True if the stream contains the text of Word 6 or 95. */
export function isOldWord(main: Buffer): boolean {
  return main.length >= minBytes && marks.has(main.readUInt16LE(0));
}

/** Opens a Word 6 or 95 document, which keeps everything in one stream; undefined if the stream does not contain its text. */
export function openOldWord(main: Buffer): WordFile | undefined {
  const readFrom = (index: number): Buffer => {
    const at = places.get(index);
    if (at === undefined || at + 8 > main.length) return Buffer.alloc(0);
    const [start, length] = [main.readUInt32LE(at), main.readUInt32LE(at + 4)];
    return length === 0 ? Buffer.alloc(0) : main.subarray(start);
  };
  const getLength = (index: number) => main.readUInt32LE(places.get(index)! + 4);
  const readStructure = (index: number) => {
    const bytes = readFrom(index);
    return bytes.length === 0 ? bytes : bytes.subarray(0, getLength(index));
  };
  const flags = main.readUInt16LE(header.flags);
  const pieces = listPieces(main, flags & isInPieces ? readStructure(structures.pieces) : Buffer.alloc(0));
  if (pieces.some(({ offset, start, end, width }) => offset + (end - start) * width > main.length)) return undefined;
  const characters = readStructure(structures.characters);
  const encodings = findEncodings(main, { characters, fonts: readStructure(structures.fonts) });
  const text = pieces.map((piece) => readTextOfPiece(main, piece, encodings)).join('');
  return {
    main,
    table: main,
    data: Buffer.alloc(0),
    text,
    stories: readStories(main, text.length, header.lengths),
    getOffset(position) {
      const piece = pieces.find(({ end }) => position < end);
      return piece === undefined ? -1 : piece.offset + (position - piece.start) * piece.width;
    },
    structure: readStructure,
    from: readFrom,
    isOld: true,
    stretches: (kind) => {
      const bins = readStructure(kind === 'paragraph' ? structures.paragraphs : structures.characters);
      const width = kind === 'paragraph' ? 7 : 1;
      return readRangesWithLayout(main, bins, {
        numberBytes: 2,
        entryBytes: width,
        listOf: (page, at) => listAt(page, at, kind),
      });
    },
  };
}

/** Converts the changes of a range to the current format. Those of a paragraph come after its style number. */
function listAt(page: Buffer, at: number, kind: 'paragraph' | 'character'): Buffer {
  const size = page[at]!;
  if (kind === 'character') return toWord97List(page.subarray(at + 1, at + 1 + size));
  const list = page.subarray(at + 1, at + 1 + 2 * size);
  return Buffer.concat([list.subarray(0, 2), toWord97List(list.subarray(2))]);
}

/** Returns the pieces of a text, or the whole text as one piece. Only editions with two-byte characters have two-byte pieces. */
function listPieces(main: Buffer, table: Buffer): TextPiece[] {
  const total = storyNames.reduce((sum, _, index) => sum + main.readUInt32LE(header.lengths + 4 * index), 0);
  const isWide = (main.readUInt16LE(header.flags) & hasWideSigns) !== 0;
  const pieces = readPieces(table);
  if (pieces.length === 0) {
    return [{ start: 0, end: total, offset: main.readUInt32LE(header.textAt), width: isWide ? 2 : 1 }];
  }
  return isWide ? pieces : pieces.map((piece) => ({ ...piece, width: 1 as const }));
}

function readTextOfPiece(main: Buffer, { start, end, offset, width }: TextPiece, encodings: Encodings): string {
  const to = offset + (end - start) * width;
  return width === 2 ? main.toString('utf16le', offset, to) : encodings(offset, to);
}

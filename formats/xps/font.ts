import { describeFont, fixedPitchFlag } from '../pdf/engine/glyphs';
import type { Font } from '../pdf/geometry/page';

/** What readers need to know about the glyphs of a font file. */
export interface FontFace {
  font: Font;
  /** The glyph of a code point; 0 if the font has none. */
  findGlyph(codePoint: number): number;
  /** The code point of a glyph; undefined if the font maps none to it. */
  findCodePoint(glyph: number): number | undefined;
  /** The advance width in ems. */
  getAdvance(glyph: number): number;
}

/** Places in the tables of an OpenType font, in bytes from the start of the table (ISO/IEC 14496-22, 5). */
const offsets = {
  head: { unitsPerEm: 18 },
  hhea: { numberOfMetrics: 34 },
  os2: { weightClass: 4, selection: 62 },
  post: { italicAngle: 4, isFixedPitch: 12 },
} as const;
/** Bits of the selection in `OS/2`. */
const selectionBits = { italic: 1, bold: 32 } as const;
/** Identifiers of names. */
const nameIds = { full: 4, postScript: 6 } as const;
/** Platforms of names and of character maps. */
const platforms = { unicode: 0, macintosh: 1, windows: 3 } as const;
/** The weight of fonts without an `OS/2` table, and the lowest one that counts as bold. */
const [regularWeight, semiboldWeight] = [400, 600];
/** The advance width in ems of glyphs outside the file, and the units per em of fonts that say none. */
const [unknownAdvance, usualUnitsPerEm] = [0.5, 1000];
/** `ttcf`, the first bytes of a collection of fonts. */
const collectionTag = 0x74746366;
/** The number of bytes at the start of an obfuscated font that are XORed with the GUID. */
const obfuscatedBytes = 32;
/** Symbol fonts map the codes from here on. */
const symbolBase = 0xf000;
/** Fonts have at most 65,535 glyphs; only damaged files map more code points, or the same ones again and again. */
const maxCodePoints = 200_000;

interface Tables {
  view: DataView;
  /** The position of a table. */
  find: (tag: string) => number | undefined;
}

/**
 * Restores a font whose first bytes are obfuscated with the GUID in its name (ECMA-388, 9.1.7.3). Other fonts are returned
 * unchanged.
 */
export function revealFont(bytes: Uint8Array, part: string): Uint8Array {
  const [guid] = /[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}(?=[^/]*$)/i.exec(part) ?? [];
  if (guid === undefined || !/\.odttf$/i.test(part) || bytes.length < obfuscatedBytes) return bytes;
  const key = Buffer.from(guid.replaceAll('-', ''), 'hex').toReversed();
  const plain = Uint8Array.from(bytes);
  for (let at = 0; at < obfuscatedBytes; at += 1) plain[at]! ^= key[at % key.length]!;
  return plain;
}

/** Reads an OpenType font, or one of a collection; undefined if the file is damaged. */
export function readFont(bytes: Uint8Array, index = 0): FontFace | undefined {
  try {
    return readTables(bytes, index);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readTables(bytes: Uint8Array, index: number): FontFace | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isCollection = view.getUint32(0) === collectionTag;
  const start = isCollection ? view.getUint32(12 + 4 * index) : 0;
  const places = new Map<string, number>();
  const count = view.getUint16(start + 4);
  for (let entry = 0; entry < count; entry += 1) {
    const at = start + 12 + 16 * entry;
    places.set(Buffer.from(bytes.subarray(at, at + 4)).toString('latin1'), view.getUint32(at + 8));
  }
  const tables: Tables = { view, find: (tag) => places.get(tag) };
  const codes = readCodes(tables);
  const advances = readAdvances(tables);
  if (!codes || !advances) return undefined;
  let glyphs: Map<number, number> | undefined;
  return {
    font: readStyle(bytes, tables),
    findGlyph: (code) => codes.get(code) ?? codes.get(symbolBase + code) ?? 0,
    findCodePoint(glyph) {
      glyphs ??= new Map([...codes].toReversed().map(([code, glyph]) => [glyph, code]));
      return glyphs.get(glyph);
    },
    getAdvance: advances,
  };
}

/** Reads advance widths from `hmtx`: glyphs after the last one with a width have that width. */
function readAdvances({ view, find }: Tables): FontFace['getAdvance'] | undefined {
  const [head, hhea, hmtx] = [find('head'), find('hhea'), find('hmtx')];
  if (head === undefined || hhea === undefined || hmtx === undefined) return undefined;
  const unitsPerEm = view.getUint16(head + offsets.head.unitsPerEm) || usualUnitsPerEm;
  const count = view.getUint16(hhea + offsets.hhea.numberOfMetrics);
  return (glyph) => {
    const at = hmtx + 4 * Math.max(0, Math.min(glyph, count - 1));
    return at + 2 <= view.byteLength ? view.getUint16(at) / unitsPerEm : unknownAdvance;
  };
}

/** Reads glyphs by code point from the best subtable: all of Unicode (12), its first plane (4), or single bytes (0). */
function readCodes({ view, find }: Tables): Map<number, number> | undefined {
  const cmap = find('cmap');
  if (cmap === undefined) return undefined;
  const count = view.getUint16(cmap + 2);
  const subtables = Array.from({ length: count }, (_, index) => {
    const at = cmap + 4 + 8 * index;
    const offset = cmap + view.getUint32(at + 4);
    return { platform: view.getUint16(at), offset, format: view.getUint16(offset) };
  });
  const wide = subtables.filter(({ platform }) => platform === platforms.windows || platform === platforms.unicode);
  const format12 = wide.find(({ format }) => format === 12);
  if (format12) return readFormat12(view, format12.offset);
  const format4 = wide.find(({ format }) => format === 4);
  if (format4) return readFormat4(view, format4.offset);
  const format0 = subtables.find(({ format }) => format === 0);
  return format0 ? readFormat0(view, format0.offset) : new Map();
}

/** Reads subtable format 0: a glyph for each byte. */
function readFormat0(view: DataView, at: number): Map<number, number> {
  const glyphs = Array.from({ length: 256 }, (_, code): [number, number] => [code, view.getUint8(at + 6 + code)]);
  return new Map(glyphs.filter(([, glyph]) => glyph !== 0));
}

/** Reads subtable format 12: groups of consecutive code points and glyphs. */
function readFormat12(view: DataView, at: number): Map<number, number> {
  const codes = new Map<number, number>();
  const groups = view.getUint32(at + 12);
  let left = maxCodePoints;
  for (let group = 0; group < groups && left > 0; group += 1) {
    const [first, last, glyph] = [0, 4, 8].map((more) => view.getUint32(at + 16 + 12 * group + more));
    for (let code = first!; code <= last! && left > 0; code += 1, left -= 1) codes.set(code, glyph! + code - first!);
  }
  return codes;
}

/** Reads subtable format 4: segments whose glyphs are listed, or follow from the code by a difference. */
function readFormat4(view: DataView, at: number): Map<number, number> {
  const codes = new Map<number, number>();
  // Four arrays with two bytes for each segment; two bytes of padding follow the first.
  const arrayBytes = view.getUint16(at + 6);
  const ends = at + 14;
  const starts = ends + arrayBytes + 2;
  const differences = starts + arrayBytes;
  const listOffsets = differences + arrayBytes;
  let left = maxCodePoints;
  for (let segment = 0; segment < arrayBytes && left > 0; segment += 2) {
    const [end, start] = [view.getUint16(ends + segment), view.getUint16(starts + segment)];
    const difference = view.getUint16(differences + segment);
    const listOffsetAt = listOffsets + segment;
    const listOffset = view.getUint16(listOffsetAt);
    for (let code = start; code <= end && code < 0xffff; code += 1, left -= 1) {
      const listed = listOffset === 0 ? code : view.getUint16(listOffsetAt + listOffset + 2 * (code - start));
      const isMissing = listed === 0 && listOffset !== 0;
      const glyph = isMissing ? 0 : (listed + difference) & 0xffff;
      if (glyph !== 0) codes.set(code, glyph);
    }
  }
  return codes;
}

/** Reads the style from the names and tables of the font: the weight of `OS/2`, the angle and pitch of `post`. */
function readStyle(bytes: Uint8Array, { view, find }: Tables): Font {
  const [os2, post] = [find('OS/2'), find('post')];
  const selection = os2 === undefined ? 0 : view.getUint16(os2 + offsets.os2.selection);
  const weight = os2 === undefined ? regularWeight : view.getUint16(os2 + offsets.os2.weightClass);
  const isFixed = post !== undefined && view.getUint32(post + offsets.post.isFixedPitch) !== 0;
  const isSlanted = post !== undefined && view.getInt32(post + offsets.post.italicAngle) !== 0;
  const described = describeFont(readName(bytes, { view, find }), {
    flags: isFixed ? fixedPitchFlag : 0,
    weight,
    angled: isSlanted || (selection & selectionBits.italic) !== 0,
  });
  const isBold = weight >= semiboldWeight || (selection & selectionBits.bold) !== 0;
  return { ...described, bold: described.bold || isBold };
}

/** Returns the PostScript name, or else the full name. */
function readName(bytes: Uint8Array, { view, find }: Tables): string {
  const at = find('name');
  if (at === undefined) return '';
  const texts = at + view.getUint16(at + 4);
  const names = Array.from({ length: view.getUint16(at + 2) }, (_, index) => {
    const entry = at + 6 + 12 * index;
    const [platform, id] = [view.getUint16(entry), view.getUint16(entry + 6)];
    const from = texts + view.getUint16(entry + 10);
    const raw = Buffer.from(bytes.subarray(from, from + view.getUint16(entry + 8)));
    return { id, text: platform === platforms.macintosh ? raw.toString('latin1') : readUtf16(raw) };
  });
  return (
    names.find(({ id }) => id === nameIds.postScript)?.text ?? names.find(({ id }) => id === nameIds.full)?.text ?? ''
  );
}

function readUtf16(raw: Buffer): string {
  return raw.length % 2 === 0 ? Buffer.from(raw).swap16().toString('utf16le') : '';
}

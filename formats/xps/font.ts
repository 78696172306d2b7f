import { describeFont } from '../pdf/engine/glyphs';
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

/** `ttcf`, the first bytes of a collection of fonts. */
const collectionTag = 0x74746366;
/** Fonts have at most 65,535 glyphs; only damaged files map more code points. */
const maxCodePoints = 200_000;
/** Flags of fonts as in PDF. */
const fixedPitch = 1;
const italicFlag = 64;

interface Tables {
  view: DataView;
  find: (tag: string) => number | undefined;
}

/**
 * Restores a font whose first 32 bytes are obfuscated with the GUID in its name (ECMA-388, 9.1.7.3). Other fonts are returned
 * unchanged.
 */
export function revealFont(bytes: Uint8Array, part: string): Uint8Array {
  const [guid] = /[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}(?=[^/]*$)/i.exec(part) ?? [];
  if (guid === undefined || !/\.odttf$/i.test(part) || bytes.length < 32) return bytes;
  const key = Buffer.from(guid.replaceAll('-', ''), 'hex').toReversed();
  const plain = Uint8Array.from(bytes);
  for (let at = 0; at < 32; at += 1) plain[at]! ^= key[at % 16]!;
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
    // Symbol fonts map the codes from F000 on.
    findGlyph: (code) => codes.get(code) ?? codes.get(0xf000 + code) ?? 0,
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
  const unitsPerEm = view.getUint16(head + 18) || 1000;
  const count = view.getUint16(hhea + 34);
  return (glyph) => {
    const at = hmtx + 4 * Math.max(0, Math.min(glyph, count - 1));
    return at + 2 <= view.byteLength ? view.getUint16(at) / unitsPerEm : 0.5;
  };
}

/** Reads glyphs by code point, from the subtable with the most code points that can be read. */
function readCodes({ view, find }: Tables): Map<number, number> | undefined {
  const cmap = find('cmap');
  if (cmap === undefined) return undefined;
  const count = view.getUint16(cmap + 2);
  const subtables = Array.from({ length: count }, (_, index) => {
    const at = cmap + 4 + 8 * index;
    const offset = cmap + view.getUint32(at + 4);
    return { platform: view.getUint16(at), encoding: view.getUint16(at + 2), offset, format: view.getUint16(offset) };
  });
  const isUnicode = ({ platform }: { platform: number }) => platform === 3 || platform === 0;
  const format12 = subtables.find((subtable) => isUnicode(subtable) && subtable.format === 12);
  if (format12) return readFormat12(view, format12.offset);
  const format4 = subtables.find((subtable) => isUnicode(subtable) && subtable.format === 4);
  if (format4) return readFormat4(view, format4.offset);
  const format0 = subtables.find(({ format }) => format === 0);
  if (!format0) return new Map();
  return new Map(Array.from({ length: 256 }, (_, code) => [code, view.getUint8(format0.offset + 6 + code)]));
}

/** Reads subtable format 12: groups of consecutive code points and glyphs. */
function readFormat12(view: DataView, at: number): Map<number, number> {
  const codes = new Map<number, number>();
  const groups = view.getUint32(at + 12);
  for (let group = 0; group < groups && codes.size < maxCodePoints; group += 1) {
    const [first, last, glyph] = [0, 4, 8].map((more) => view.getUint32(at + 16 + 12 * group + more));
    for (let code = first!; code <= last! && codes.size < maxCodePoints; code += 1)
      codes.set(code, glyph! + code - first!);
  }
  return codes;
}

/** Reads subtable format 4: segments with a difference or with a list of glyphs. */
function readFormat4(view: DataView, at: number): Map<number, number> {
  const codes = new Map<number, number>();
  const length = view.getUint16(at + 6);
  const [ends, starts] = [at + 14, at + 16 + length];
  for (let segment = 0; segment < length; segment += 2) {
    const [end, start] = [view.getUint16(ends + segment), view.getUint16(starts + segment)];
    const difference = view.getUint16(starts + length + segment);
    const offsetAt = starts + 2 * length + segment;
    const offset = view.getUint16(offsetAt);
    for (let code = start; code <= end && code < 0xffff; code += 1) {
      const listed = offset === 0 ? code : view.getUint16(offsetAt + offset + 2 * (code - start));
      const glyph = listed === 0 && offset !== 0 ? 0 : (listed + difference) & 0xffff;
      if (glyph !== 0) codes.set(code, glyph);
    }
  }
  return codes;
}

/** Reads the style from the names and tables of the font: the weight of `OS/2`, the angle and pitch of `post`. */
function readStyle(bytes: Uint8Array, { view, find }: Tables): Font {
  const [os2, post] = [find('OS/2'), find('post')];
  const selection = os2 === undefined ? 0 : view.getUint16(os2 + 62);
  const isFixed = post !== undefined && view.getUint32(post + 12) !== 0;
  const flags = (isFixed ? fixedPitch : 0) | ((selection & 1) === 0 ? 0 : italicFlag);
  const weight = os2 === undefined ? 400 : view.getUint16(os2 + 4);
  const angled = post !== undefined && view.getInt32(post + 4) !== 0;
  const described = describeFont(readName(bytes, { view, find }), { flags, weight, angled });
  return { ...described, bold: described.bold || weight >= 600 || (selection & 32) !== 0 };
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
    return { id, text: platform === 1 ? raw.toString('latin1') : readUtf16(raw) };
  });
  return names.find(({ id }) => id === 6)?.text ?? names.find(({ id }) => id === 4)?.text ?? '';
}

function readUtf16(raw: Buffer): string {
  return raw.length % 2 === 0 ? Buffer.from(raw).swap16().toString('utf16le') : '';
}

import type { ArtRecord } from '../art-records';
import type { Numbering } from './numbering';

/** A paragraph of a shape. */
export interface Paragraph {
  text: string;
  hasBullet: boolean;
  /** The number of the first item if the bullet is a number. */
  startAt: Numbering;
}
/** The text of a shape; `type` as in MS-PPT 2.13.33. */
export interface ShapeText {
  type: number;
  paragraphs: Paragraph[];
}

/** Formatting of the paragraph at a text position. */
interface ParagraphFormat {
  hasBullet?: boolean;
  /** Index into the numberings of the text. */
  numbering: number;
}
type FindNumberings = (type: number) => readonly Numbering[];

/** Types of records (MS-PPT 2.13.24). */
const recordTypes = { header: 0xf9f, wideText: 0xfa0, formatting: 0xfa1, narrowText: 0xfa8 } as const;
/** Types of text that have bullets unless they state otherwise. */
const bodyTypes: ReadonlySet<number> = new Set([1, 7, 8]);

/** Reads the texts in a list of records: a header each, then the characters, then their formatting. */
export function listTexts(records: readonly ArtRecord[], findNumberings: FindNumberings): ShapeText[] {
  const texts: ShapeText[] = [];
  let raw = '';
  for (const { type, data } of records) {
    if (type === recordTypes.header && data.length >= 4) {
      raw = '';
      texts.push({ type: data.readUInt32LE(0), paragraphs: [] });
      continue;
    }
    const last = texts.at(-1);
    if (!last) continue;
    if (type === recordTypes.wideText || type === recordTypes.narrowText)
      raw = data.toString(type === recordTypes.wideText ? 'utf16le' : 'latin1');
    else if (type !== recordTypes.formatting) continue;
    const findFormat = type === recordTypes.formatting ? createFormatLookup(data, raw.length) : () => undefined;
    last.paragraphs = splitParagraphs(raw, bodyTypes.has(last.type), findNumberings(last.type), findFormat);
  }
  return texts;
}

function splitParagraphs(
  raw: string,
  isBody: boolean,
  numberings: readonly Numbering[],
  findFormat: (place: number) => ParagraphFormat | undefined,
): Paragraph[] {
  let at = 0;
  return raw.split('\r').map((line) => {
    const format = findFormat(at);
    at += line.length + 1;
    const text = line.replaceAll('\u000b', ' ').trim();
    return { text, hasBullet: format?.hasBullet ?? isBody, startAt: numberings[format?.numbering ?? 0] };
  });
}

/** Reads the bullets of paragraphs by their start (MS-PPT 2.9.44). */
function createFormatLookup(data: Buffer, length: number): (place: number) => ParagraphFormat | undefined {
  const paragraphs: [end: number, hasBullet: boolean | undefined][] = [];
  const characters: [end: number, numbering: number][] = [];
  let at = 0;
  for (let end = 0; end <= length && at + 10 <= data.length;) {
    const count = data.readUInt32LE(at);
    const mask = data.readUInt32LE(at + 6);
    at += 10;
    const statesBullet = (mask & 1) !== 0 && at + 2 <= data.length;
    end += count;
    paragraphs.push([end, statesBullet ? (data.readUInt16LE(at) & 1) === 1 : undefined]);
    at += measureParagraphFormat(mask, data, at);
    if (count === 0) break;
  }
  for (let end = 0; end <= length && at + 8 <= data.length;) {
    const count = data.readUInt32LE(at);
    const mask = data.readUInt32LE(at + 4);
    at += 8;
    end += count;
    const hasStyle = (mask & styleBits) !== 0 && at + 2 <= data.length;
    characters.push([end, hasStyle ? (data.readUInt16LE(at) >> 10) & 0xf : 0]);
    at += 2 * characterFields.filter((bits) => mask & bits).length;
    if (count === 0) break;
  }
  let [paragraph, run] = [0, 0];
  // Positions are requested in ascending order.
  return (place) => {
    while (paragraph < paragraphs.length && paragraphs[paragraph]![0] <= place) paragraph += 1;
    while (run < characters.length && characters[run]![0] <= place) run += 1;
    const hasBullet = paragraphs[paragraph]?.[1];
    const numbering = characters[run]?.[1] ?? 0;
    return { ...(hasBullet === undefined ? {} : { hasBullet }), numbering };
  };
}

/** The mask of a character run has one of these bits if a style follows (MS-PPT 2.9.14). */
const styleBits = 0x3eb7;
/** Each set field of the mask takes two bytes; colours (0x40000) take four. */
const characterFields = [
  ...[styleBits, 0x10000, 0x200000, 0x400000, 0x800000, 0x20000],
  ...[0x40000, 0x40000, 0x80000],
];

/** Returns the size of the paragraph formatting that a mask announces (MS-PPT 2.9.20). */
function measureParagraphFormat(mask: number, data: Buffer, at: number): number {
  const twoBytes = [0x80, 0x10, 0x40, 0x800, 0x1000, 0x2000, 0x4000, 0x100, 0x400, 0x8000];
  let size = (mask & 0xf ? 2 : 0) + (mask & 0x20 ? 4 : 0);
  for (const bit of twoBytes) if (mask & bit) size += 2;
  if (mask & 0x100000 && at + size + 2 <= data.length) size += 2 + 4 * data.readUInt16LE(at + size);
  for (const bits of [0x10000, 0xe0000, 0x200000]) if (mask & bits) size += 2;
  return size;
}

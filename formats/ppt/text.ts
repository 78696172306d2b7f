import type { PptRecord } from './records';

/** A paragraph of a shape. */
export interface Paragraph {
  text: string;
  hasBullet: boolean;
}
/** The text of a shape; `type` as MS-PPT 2.13.33 counts. */
export interface ShapeText {
  type: number;
  paragraphs: Paragraph[];
}

const bodyTypes: ReadonlySet<number> = new Set([1, 7, 8]);

/** The texts that follow each other in a list of records: a header each, then characters, then their look. */
export function textsOf(records: readonly PptRecord[]): ShapeText[] {
  const texts: ShapeText[] = [];
  let raw = '';
  for (const { type, data } of records) {
    if (type === 0xf9f && data.length >= 4) {
      raw = '';
      texts.push({ type: data.readUInt32LE(0), paragraphs: [] });
    } else if (type === 0xfa0 || type === 0xfa8) {
      raw = data.toString(type === 0xfa0 ? 'utf16le' : 'latin1');
      const last = texts.at(-1);
      if (last) last.paragraphs = split(raw, bodyTypes.has(last.type), new Map());
    } else if (type === 0xfa1) {
      const last = texts.at(-1);
      if (last) last.paragraphs = split(raw, bodyTypes.has(last.type), bulletsOf(data, raw.length));
    }
  }
  return texts;
}

function split(raw: string, isBody: boolean, bullets: ReadonlyMap<number, boolean>): Paragraph[] {
  let at = 0;
  return raw.split('\r').map((line) => {
    const hasBullet = bullets.get(at) ?? isBody;
    at += line.length + 1;
    return { text: line.replaceAll('\u000b', ' ').trim(), hasBullet };
  });
}

/** Whether the paragraphs say that they have a bullet, by where they begin (MS-PPT 2.9.44 and 2.9.20). */
function bulletsOf(data: Buffer, length: number): Map<number, boolean> {
  const bullets = new Map<number, boolean>();
  let at = 0;
  let start = 0;
  while (start <= length && at + 10 <= data.length) {
    const count = data.readUInt32LE(at);
    const mask = data.readUInt32LE(at + 6);
    at += 10;
    if (mask & 0xf && at + 2 <= data.length) {
      const has = (data.readUInt16LE(at) & 1) === 1;
      if (mask & 1) for (let own = start; own < Math.min(start + count, length); own++) bullets.set(own, has);
    }
    at += sizeOf(mask, data, at);
    start += count;
    if (count === 0) break;
  }
  return bullets;
}

function sizeOf(mask: number, data: Buffer, at: number): number {
  const twoBytes = [0x80, 0x10, 0x40, 0x800, 0x1000, 0x2000, 0x4000, 0x100, 0x400, 0x8000];
  let size = (mask & 0xf ? 2 : 0) + (mask & 0x20 ? 4 : 0);
  for (const bit of twoBytes) if (mask & bit) size += 2;
  if (mask & 0x100000 && at + size + 2 <= data.length) size += 2 + 4 * data.readUInt16LE(at + size);
  for (const bits of [0x10000, 0xe0000, 0x200000]) if (mask & bits) size += 2;
  return size;
}

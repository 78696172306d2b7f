import type { BiffRecord } from './records';
import { biff } from './records';

/** Excel 2, 3, 4, 5 and 95, and 97 to 2003, by record version. */
export type BiffVersion = 2 | 3 | 4 | 5 | 8;

/** Types of the first record of a stream, by version (OpenOffice.org's documentation of the format, 5.8). */
const beginnings: ReadonlyMap<number, BiffVersion> = new Map([
  [0x009, 2],
  [0x209, 3],
  [0x409, 4],
]);

/** True if the bytes are an Excel 2 to 4 sheet, which has no container. */
export function isBareSheet(head: Uint8Array): boolean {
  if (head.length < 8 || head[0] !== 0x09 || !beginnings.has(head[0] + head[1]! * 0x100)) return false;
  const [length, kind] = [head[2]! + head[3]! * 0x100, head[6]! + head[7]! * 0x100];
  return length >= 4 && length <= 8 && [0x10, 0x20, 0x40, 0x100].includes(kind);
}

/** Returns the version from the first record; undefined if the record does not start a stream. */
export function findVersion({ type, parts }: BiffRecord): BiffVersion | undefined {
  const old = beginnings.get(type);
  if (old) return old;
  if (type !== biff.bof || parts[0]!.length < 4) return undefined;
  return parts[0]!.readUInt16LE(0) >= 0x600 ? 8 : 5;
}

const [oldFormula3, oldFormula4] = [0x206, 0x406];
/** Excel 2 records by the number that they have since Excel 3. Integers become numbers. */
const excel2Types: Readonly<Record<number, number>> = {
  0x02: biff.number,
  0x03: biff.number,
  0x04: biff.label,
  0x05: biff.boolErr,
  0x06: biff.formula,
  0x07: biff.string,
};
const excel2Cells: ReadonlySet<number> = new Set([0x02, 0x03, 0x04, 0x05, 0x06]);

/** Converts an Excel 2 to 4 record to its Excel 5 form. Other records are returned unchanged. */
export function toExcel5Record(record: BiffRecord, version: BiffVersion): BiffRecord {
  if (version >= 5) return record;
  const type = toExcel5Type(record.type, version);
  const [first = Buffer.alloc(0), ...others] = record.parts;
  if (version > 2) return type === record.type ? record : { ...record, type };
  if (record.type === 0x07) return { ...record, type, parts: [widenCount(first, 0), ...others] };
  if (!excel2Cells.has(record.type) || first.length < 7) return { ...record, type };
  const content = readExcel2Content(record.type, first.subarray(7));
  // Three bytes of formatting become a style number.
  const head = Buffer.from([...first.subarray(0, 4), first[4]! & 0x3f, 0]);
  return { ...record, type, parts: [Buffer.concat([head, content]), ...others] };
}

function toExcel5Type(type: number, version: BiffVersion): number {
  if (beginnings.has(type)) return biff.bof;
  if (type === oldFormula3 || type === oldFormula4) return biff.formula;
  if (type === 0x43 || type === 0x243 || type === 0x443) return biff.xf;
  if (type === 0x1e) return biff.format;
  return version === 2 ? (excel2Types[type] ?? type) : type;
}

function readExcel2Content(type: number, content: Buffer): Buffer {
  if (type === 0x02 && content.length >= 2) {
    const number = Buffer.alloc(8);
    number.writeDoubleLE(content.readUInt16LE(0));
    return number;
  }
  return type === 0x04 ? widenCount(content, 0) : content;
}

/** Widens the length of a string from one byte to two. */
function widenCount(bytes: Buffer, at: number): Buffer {
  if (bytes.length <= at) return bytes;
  return Buffer.concat([bytes.subarray(0, at + 1), Buffer.alloc(1), bytes.subarray(at + 1)]);
}

/** Returns the number format of a style. */
export function readStyleFormat({ parts }: BiffRecord, version: BiffVersion): number {
  const data = parts[0]!;
  if (version >= 5) return data.length < 4 ? 0 : data.readUInt16LE(2);
  return version === 2 ? (data[2] ?? 0) & 0x3f : (data[1] ?? 0);
}

import { AppError } from '../../model/errors';
import { openCompound } from '../compound';

/** A record of the stream (MS-PPT 2.3.1). */
export interface PptRecord {
  type: number;
  instance: number;
  data: Buffer;
  isContainer: boolean;
}
const headerBytes = 8;

/** The record that begins at a place; undefined when none fits there. */
export function recordAt(bytes: Buffer, at: number): PptRecord | undefined {
  if (at < 0 || at + headerBytes > bytes.length) return undefined;
  const head = bytes.readUInt16LE(at);
  const end = at + headerBytes + bytes.readUInt32LE(at + 4);
  if (end > bytes.length) return undefined;
  const data = bytes.subarray(at + headerBytes, end);
  return { type: bytes.readUInt16LE(at + 2), instance: head >> 4, data, isContainer: (head & 0xf) === 0xf };
}

/** The records within a container, as far as they fit into it. */
export function childrenOf({ data, isContainer }: PptRecord): PptRecord[] {
  const children: PptRecord[] = [];
  let at = 0;
  for (let next = isContainer ? recordAt(data, 0) : undefined; next; next = recordAt(data, at)) {
    children.push(next);
    at += headerBytes + next.data.length;
  }
  return children;
}

/** The first record of a type within a container. */
export function childOf(record: PptRecord | undefined, type: number, instance?: number): PptRecord | undefined {
  if (record === undefined) return undefined;
  return childrenOf(record).find((own) => own.type === type && (instance === undefined || own.instance === instance));
}

/** The document and what it refers to by number. */
export interface Presentation {
  document: PptRecord;
  persisted: (id: number) => PptRecord | undefined;
}

const encryptedToken = 0xf3d1c4df;

/** Opens the file; what was saved last counts (MS-PPT 2.1.2). Throws DOCUMENT_ENCRYPTED or DOCUMENT_CORRUPT. */
export function openPresentation(bytes: Uint8Array, name: string): Presentation {
  const file = openCompound(bytes, name);
  const stream = file.stream('PowerPoint Document');
  const user = file.stream('Current User');
  const corrupt = (what: string) => new AppError('DOCUMENT_CORRUPT', `'${name}' is no presentation: ${what}.`);
  if (stream === undefined || user === undefined || user.length < 20) throw corrupt('a stream is missing');
  const isProtected = user.readUInt32LE(12) === encryptedToken || file.stream('EncryptedSummary') !== undefined;
  if (isProtected) throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a presentation protected by a password.`);
  const offsets = new Map<number, number>();
  const seen = new Set<number>();
  let documentId: number | undefined;
  for (let at = user.readUInt32LE(16); at !== 0 && !seen.has(at);) {
    seen.add(at);
    const edit = recordAt(stream, at);
    if (edit?.type !== 0xff5 || edit.data.length < 20) break;
    documentId ??= edit.data.readUInt32LE(16);
    readDirectory(recordAt(stream, edit.data.readUInt32LE(12)), offsets);
    at = edit.data.readUInt32LE(8);
  }
  const persisted = (id: number) => recordAt(stream, offsets.get(id) ?? -1);
  const document = documentId === undefined ? undefined : persisted(documentId);
  if (document?.type !== 0x3e8) throw corrupt('its document is not where the list of its parts says');
  return { document, persisted };
}

function readDirectory(directory: PptRecord | undefined, offsets: Map<number, number>): void {
  if (directory?.type !== 0x1772) return;
  const { data } = directory;
  for (let at = 0; at + 4 <= data.length;) {
    const head = data.readUInt32LE(at);
    const [first, count] = [head & 0xfffff, head >>> 20];
    for (let index = 0; index < count && at + 8 + 4 * index <= data.length; index++) {
      const id = first + index;
      if (!offsets.has(id)) offsets.set(id, data.readUInt32LE(at + 4 + 4 * index));
    }
    at += 4 + 4 * count;
  }
}

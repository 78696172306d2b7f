import { AppError } from '../../../model/errors';
import type { RecordOmission } from '../../coverage';
import { explainPassword } from '../../password';
import { type ArtPicture, readStore } from '../art-pictures';
import { art, type ArtRecord, findChild, headerBytes, readRecord } from '../art-records';
import { openCompound } from '../compound';
import type { KeyOfBlock } from '../crypt/rc4-keys';
import { decryptParts, decryptPictures, findPresentationKeys } from './decrypt';

/** The document, and the records that it refers to by number. */
export interface Presentation {
  document: ArtRecord;
  persisted: (id: number) => ArtRecord | undefined;
  /** Returns a picture by the number that shapes use, from 1. */
  picture: (number: number) => ArtPicture | undefined;
}

/** Types of records (MS-PPT 2.13.24). */
const recordTypes = { document: 0x3e8, drawings: 0x40b, edit: 0xff5, directory: 0x1772, cryptSession: 0x2f14 } as const;
/** Minimum sizes of the stream `Current User` (MS-PPT 2.3.2) and of the record of a save (MS-PPT 2.3.3). */
const userBytes = 20;
const editBytes = 20;
/** Position in that record of the number of the part that describes the encryption. */
const cryptSessionAt = 28;
/** Marks an encrypted file in the stream `Current User`. */
const encryptedToken = 0xf3d1c4df;

interface OpenOptions {
  name: string;
  password: string | undefined;
  recordOmission?: RecordOmission | undefined;
}

/** Opens the file. The last save applies (MS-PPT 2.1.2). Throws DOCUMENT_ENCRYPTED or DOCUMENT_CORRUPT. */
export function openPresentation(bytes: Uint8Array, { name, password, recordOmission }: OpenOptions): Presentation {
  const file = openCompound(bytes, name);
  file.reportFolders(recordOmission);
  const stored = file.stream('PowerPoint Document');
  const user = file.stream('Current User');
  const createCorruptError = (reason: string) =>
    new AppError('DOCUMENT_CORRUPT', `'${name}' is not a presentation: ${reason}.`);
  if (stored === undefined || user === undefined || user.length < userBytes)
    throw createCorruptError('a stream is missing');
  const isProtected = user.readUInt32LE(12) === encryptedToken || file.stream('EncryptedSummary') !== undefined;
  const { documentId, sessionId, offsets } = readEdits(stored, user.readUInt32LE(16));
  const pictures = file.stream('Pictures') ?? Buffer.alloc(0);
  const keyOf = isProtected ? findKeys(stored, offsets.get(sessionId ?? -1), password) : undefined;
  if (isProtected && !keyOf)
    throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a presentation ${explainPassword(password)}.`);
  if (sessionId !== undefined) offsets.delete(sessionId);
  const stream = keyOf ? decryptParts(stored, offsets, keyOf) : stored;
  // In a damaged file, the last save may not lead to all directories; the others locate the remaining parts.
  const getOtherOffsets = collectDirectories(stream);
  const findPersisted = (id: number) => readRecord(stream, offsets.get(id) ?? getOtherOffsets().get(id) ?? -1);
  const document = documentId === undefined ? undefined : findPersisted(documentId);
  if (document?.type !== recordTypes.document) throw createCorruptError('the list of its parts points to no document');
  const drawings = findChild(findChild(document, recordTypes.drawings), art.drawingGroup);
  return {
    document,
    persisted: findPersisted,
    picture: readStore(drawings, keyOf ? decryptPictures(pictures, keyOf) : pictures),
  };
}

/** Undefined if the part that describes the encryption is missing, or no password fits. */
function findKeys(stream: Buffer, at: number | undefined, password: string | undefined): KeyOfBlock | undefined {
  const session = readRecord(stream, at ?? -1);
  return session?.type === recordTypes.cryptSession ? findPresentationKeys(session, password) : undefined;
}

/** Follows the saves from the last one to the first (MS-PPT 2.3.3). Offsets of later saves win. */
function readEdits(stream: Buffer, lastEditAt: number) {
  const offsets = new Map<number, number>();
  const seen = new Set<number>();
  let documentId: number | undefined;
  let sessionId: number | undefined;
  let at = lastEditAt;
  while (at !== 0 && !seen.has(at)) {
    seen.add(at);
    const edit = readRecord(stream, at);
    if (edit?.type !== recordTypes.edit || edit.data.length < editBytes) break;
    documentId ??= edit.data.readUInt32LE(16);
    if (edit.data.length >= cryptSessionAt + 4) sessionId ??= edit.data.readUInt32LE(cryptSessionAt);
    readDirectory(readRecord(stream, edit.data.readUInt32LE(12)), offsets);
    at = edit.data.readUInt32LE(8);
  }
  return { documentId, sessionId, offsets };
}

/** Returns the location of parts according to all directories in the stream; the last one written wins. Computed on first use. */
function collectDirectories(stream: Buffer): () => ReadonlyMap<number, number> {
  let offsets: Map<number, number> | undefined;
  return () => {
    if (offsets) return offsets;
    offsets = new Map();
    const directories: ArtRecord[] = [];
    let at = 0;
    for (let record = readRecord(stream, 0); record; record = readRecord(stream, at)) {
      if (record.type === recordTypes.directory) directories.unshift(record);
      at += headerBytes + record.data.length;
    }
    for (const directory of directories) readDirectory(directory, offsets);
    return offsets;
  };
}

function readDirectory(directory: ArtRecord | undefined, offsets: Map<number, number>): void {
  if (directory?.type !== recordTypes.directory) return;
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

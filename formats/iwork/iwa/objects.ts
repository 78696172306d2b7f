import { AppError } from '../../../model/errors';
import type { ReadLimits } from '../../format';
import { openZip, type Zip } from '../../zip/zip';
import { Message, readVarint } from './message';
import { unpackIwa } from './snappy';

/** An object of the document: its message type and fields. */
export interface IwaObject {
  type: number;
  message: Message;
}

/** The objects of a document by identifier. */
export type IwaObjects = ReadonlyMap<number, IwaObject>;

/** Maximum number of objects of a document. */
const maxObjects = 500_000;

/** True if the container has the archives of Pages 5 (2013) and later. */
export function isIwa(zip: Zip): boolean {
  return zip.names.some((name) => name.endsWith('.iwa') || /(?:^|\/)Index\.zip$/.test(name));
}

interface ExpectedDocument {
  /** True if the container has the parts of iWork '09. */
  isOlder: boolean;
  program: string;
  kind: string;
  exportAs: string;
}

/** For a container without archives: a document of iWork '09 or earlier, or not a document of the program at all. */
export function createNoArchivesError(name: string, { isOlder, program, kind, exportAs }: ExpectedDocument): AppError {
  if (!isOlder)
    return new AppError('DOCUMENT_CORRUPT', `'${name}' is not a ${program} ${kind}: it has no archives in 'Index'.`);
  return new AppError(
    'FORMAT_UNSUPPORTED',
    `'${name}' is a ${kind} of ${program} '09 or earlier, which this program does not read; open and save it with a newer ${program}, or export it as ${exportAs}.`,
  );
}

/** Reads every object of all archives. Throws DOCUMENT_ENCRYPTED if the document has a password. */
export function readObjects(zip: Zip, name: string, limits: ReadLimits): IwaObjects {
  if (zip.names.some((entry) => /\.iwp[vh]2?$/.test(entry))) {
    throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is protected by a password.`);
  }
  const objects = new Map<number, IwaObject>();
  let left = limits.maxExpandedBytes;
  for (const { entry, bytes } of iterateArchives(zip, limits)) {
    const content = unpackIwa(bytes, entry, left);
    left -= content.length;
    readArchive(content, objects);
    if (objects.size > maxObjects) {
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has more than ${maxObjects} objects.`);
    }
  }
  return objects;
}

/** Yields the archives, which are in the container or in a nested container. */
function* iterateArchives(zip: Zip, limits: ReadLimits): Generator<{ entry: string; bytes: Uint8Array }> {
  const index = zip.names.find((entry) => /(?:^|\/)Index\.zip$/.test(entry));
  const inner = index === undefined ? undefined : zip.read(index);
  const from = inner ? openZip(inner, limits) : zip;
  for (const entry of from.names) {
    const bytes = entry.endsWith('.iwa') ? from.read(entry) : undefined;
    if (bytes) yield { entry, bytes };
  }
}

/** Reads an archive. Each object has a header with its identifier, and messages of which only the first is used. */
function readArchive(bytes: Uint8Array, objects: Map<number, IwaObject>): void {
  for (let at = 0; at < bytes.length;) {
    const length = readVarint(bytes, at);
    if (!length || length.end + length.value > bytes.length) return;
    const header = new Message(bytes.subarray(length.end, length.end + length.value));
    at = length.end + length.value;
    const infos = header.messages(2);
    const identifier = header.number(1);
    const first = infos[0];
    const size = first?.number(3) ?? 0;
    if (identifier !== undefined && first && at + size <= bytes.length) {
      objects.set(identifier, { type: first.number(1) ?? 0, message: new Message(bytes.subarray(at, at + size)) });
    }
    at += infos.reduce((sum, info) => sum + (info.number(3) ?? 0), 0);
  }
}

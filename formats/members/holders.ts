import { detectFormat } from '../detect';
import { isArchive } from './archive';

/** True for the name of an archive. */
export function isArchiveName(name: string): boolean {
  return /\.(?:zip|tar|tgz|gz)$/i.test(name);
}

/** What may hold other files, by the name alone: an archive or mailbox, a document, or neither. */
export function holderKind(name: string): 'container' | 'document' | undefined {
  if (isArchiveName(name)) return 'container';
  return detectFormat({ name, head: new Uint8Array() })?.holds;
}

/** Which files that people take for documents are opened as if they held others. */
export interface OpenedDocuments {
  /** Each message of a mailbox is a file. */
  messages: boolean;
  /** Each group of rows of a large table is a file. Default: the table is one document. */
  tables?: boolean;
}

/** True for a file that is not a document itself: an archive and, if asked for, a mailbox or a large table. */
export function isContainer(
  { name, bytes }: { name: string; bytes: Uint8Array },
  { messages, tables = false }: OpenedDocuments,
): boolean {
  if (isArchive(name, bytes)) return true;
  if (messages && detectFormat({ name, head: bytes })?.holds === 'container') return true;
  return tables && isLargeTable(name, bytes);
}

/** True if a file has tables that are too large for one document. */
export function isLargeTable(name: string, bytes: Uint8Array): boolean {
  return detectFormat({ name, head: bytes })?.rows?.isLarge(bytes) ?? false;
}

/** False if a file of that name and size certainly has no large table. */
export function mayBeLargeTable({ name, size }: { name: string; size: number }): boolean {
  const least = detectFormat({ name, head: new Uint8Array() })?.rows?.leastBytes;
  return least !== undefined && size >= least;
}

/** Names of parts, headers and storages without which a document holds no file. */
const signs = ['embeddings/', 'ame=', 'ttachment', 'essage/rfc822', 'essage/global'].map((sign) => Buffer.from(sign));
const outlookSign = Buffer.from('__attach', 'utf16le');

/** False if a document certainly holds no files. Takes milliseconds, so that few documents need to be opened. */
export function mayEmbedFiles(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [...signs, outlookSign].some((sign) => buffer.includes(sign));
}

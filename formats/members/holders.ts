import { detectFormat } from '../detect';
import { isArchive } from './archive';

/** True for the file name of an archive. */
export function isArchiveName(name: string): boolean {
  return /\.(?:zip|tar|tgz|gz|7z|rar)$/i.test(name);
}

/** The kind of a file that may contain others, by name alone: an archive or mailbox, a document, or neither. */
export function findHolderKind(name: string): 'container' | 'document' | undefined {
  if (isArchiveName(name)) return 'container';
  return detectFormat({ name, head: new Uint8Array() })?.holds;
}

/** True if few files with this name contain others. */
export function rarelyHoldsFiles(name: string): boolean {
  return detectFormat({ name, head: new Uint8Array() })?.rarelyHolds ?? false;
}

/** Which documents are opened as containers of other files. */
export interface OpenedDocuments {
  /** Each message of a mailbox is a separate file. */
  messages: boolean;
  /** Each group of rows of a large table is a separate file. Default: the table is one document. */
  tables?: boolean;
}

/** True for a file that is not a document itself: an archive and, on request, a mailbox or a large table. */
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

/** False if a file with this name and size cannot have a large table. */
export function mayBeLargeTable({ name, size }: { name: string; size: number }): boolean {
  const minBytes = detectFormat({ name, head: new Uint8Array() })?.rows?.leastBytes;
  return minBytes !== undefined && size >= minBytes;
}

/**
 * Parts of names of entries, headers and storages, at least one of which occurs in every document with embedded files. First
 * letters are omitted where their case varies (`filename=`, `Name=`, `Attachment`).
 */
const signs = ['embeddings/', 'ame=', 'ttachment', 'essage/rfc822', 'essage/global', 'EmbeddedFile'].map((sign) =>
  Buffer.from(sign),
);
/** The kind of attached files in OneNote sections (MS-ONE 2.1.13). */
const noteSign = Buffer.from([0x36, 0x00, 0x08, 0x00]);
const outlookSign = Buffer.from('__attach', 'utf16le');

/** False if a document certainly contains no files. Takes milliseconds, so that few documents need to be opened. */
export function mayEmbedFiles(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [...signs, outlookSign, noteSign].some((sign) => buffer.includes(sign));
}

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

/** True for a file that is not a document itself: an archive and, with `messages`, a mailbox. */
export function isContainer(
  { name, bytes }: { name: string; bytes: Uint8Array },
  { messages }: { messages: boolean },
): boolean {
  return isArchive(name, bytes) || (messages && detectFormat({ name, head: bytes })?.holds === 'container');
}

/** Names of parts, headers and storages without which a document holds no file. */
const signs = ['embeddings/', 'ame=', 'ttachment', 'essage/rfc822', 'essage/global'].map((sign) => Buffer.from(sign));
const outlookSign = Buffer.from('__attach', 'utf16le');

/** False if a document certainly holds no files. Takes milliseconds, so that few documents need to be opened. */
export function mayEmbedFiles(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [...signs, outlookSign].some((sign) => buffer.includes(sign));
}

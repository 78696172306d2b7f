import { listRootNames } from './compound/compound-directory';
import { getBaseName, getExtension, type Format } from './format';
import { formats as allFormats } from './list';
import { decodeText } from './text/decode';

/** Facts about a document before it is read. */
export interface DetectRequest {
  name: string;
  mimetype?: string;
  /** The first bytes. 4,096 suffice, except for a container that begins with a long entry. */
  head: Uint8Array;
}

/**
 * Detects the format by file name, then media type, then content. Content takes precedence over a name that contradicts it, but
 * generic XML, JSON or code content never contradicts a name.
 */
export function detectFormat(request: DetectRequest, formats: readonly Format[] = allFormats): Format | undefined {
  const { name, mimetype, head } = request;
  if (isCompoundFile(head)) return findCompoundFormat(name, head, formats);
  const extension = getExtension(name);
  const media = mimetype?.split(';')[0]!.trim().toLowerCase();
  const fileName = getBaseName(name).toLowerCase();
  const byFile =
    formats.find(({ fileNames }) => fileNames?.includes(fileName)) ??
    formats.find((format) => format.extensions.includes(extension) && (!format.isZip || isZip(head)));
  const byContent = findFormatByContent(head, formats);
  const byName = byFile ?? (media === undefined ? undefined : findFormatByMedia(media, head, formats));
  if (byName && byContent && byName !== byContent && isContradicted(byName, byContent)) return byContent;
  // `application/xml` and `application/json` are the types of many formats.
  if (!byFile && byContent && sharedTypes.has(media ?? '')) return byContent;
  if (byName ?? byContent) return byName ?? byContent;
  // Files such as README and LICENSE.
  return extension === '' && looksLikeText(head) ? formats.find(({ readsAnyText }) => readsAnyText) : undefined;
}

function findFormatByMedia(media: string, head: Uint8Array, formats: readonly Format[]): Format | undefined {
  return formats.find(
    (format) =>
      format.mediaTypes.some((type) => type.toLowerCase() === media) &&
      // Forms have this type for each file without one, which some HTTP clients send.
      !(media === 'text/plain' && isBinary(head)),
  );
}

/** True for a compound file, the container of encrypted and old binary Office documents. */
export function isCompoundFile(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1].every((byte, at) => bytes[at] === byte);
}

/** Detects the format by the names in the root, or by the extension if the given bytes do not include them. */
function findCompoundFormat(name: string, bytes: Uint8Array, formats: readonly Format[]): Format | undefined {
  const names = listRootNames(bytes);
  const compound = formats.filter(({ streams }) => streams !== undefined);
  if (names === undefined) return compound.find(({ extensions }) => extensions.includes(getExtension(name)));
  return compound.find(({ streams }) => streams?.some((stream) => names.has(stream.toLowerCase())));
}

/** True for a password-encrypted Office document: its compound file has the stream `EncryptedPackage`. */
export function isEncryptedOffice(bytes: Uint8Array): boolean {
  if (!isCompoundFile(bytes)) return false;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );
}

function findFormatByContent(head: Uint8Array, formats: readonly Format[]): Format | undefined {
  // Listings ask by name alone, for each file.
  if (head.length === 0) return undefined;
  const zipped = isZip(head) ? (findDeclaredFormat(head, formats) ?? findFormatByEntries(head, formats)) : undefined;
  return zipped ?? formats.find((format) => format.sniff?.(head.subarray(0, 4096)) ?? false);
}

function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** Length of the header before each entry of a ZIP, up to its name (APPNOTE 4.3.7). */
const zipHeaderBytes = 30;
/** Names of entries are searched in this many bytes, which include the first parts of any document. */
const searchedBytes = 8 * 1024 * 1024;

/** OpenDocument and EPUB begin with an uncompressed entry `mimetype`, so its text is in the first bytes. */
function findDeclaredFormat(head: Uint8Array, formats: readonly Format[]): Format | undefined {
  const start = Buffer.from(head.subarray(0, 256)).toString('latin1');
  if (!start.startsWith('mimetype', zipHeaderBytes)) return undefined;
  // The extra field, whose length is in the header, comes between the name of the entry and its content.
  const contentStart = zipHeaderBytes + 'mimetype'.length + start.charCodeAt(28);
  // Longest type first: the types of templates begin like those of documents.
  const types = formats.flatMap((format) => format.mediaTypes.map((type) => ({ format, type })));
  const matches = types
    .filter(({ type }) => start.startsWith(type, contentStart))
    .toSorted((match, other) => other.type.length - match.type.length);
  return matches[0]?.format;
}

/** Looks at the names in the local headers of the ZIP. */
function findFormatByEntries(head: Uint8Array, formats: readonly Format[]): Format | undefined {
  const buffer = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, searchedBytes));
  const signature = Buffer.from([0x50, 0x4b, 3, 4]);
  let fallback: Format | undefined;
  for (let at = 0; at >= 0; at = buffer.indexOf(signature, at + 4)) {
    const nameStart = at + zipHeaderBytes;
    if (nameStart > buffer.length) return fallback;
    const name = buffer.toString('latin1', nameStart, nameStart + Math.min(buffer.readUInt16LE(at + 26), 64));
    const format = formats.find(({ entries }) => entries?.[0].test(name));
    if (format) return format;
    fallback ??= formats.find(({ entries }) => entries?.[1]?.test(name));
  }
  return fallback;
}

const sharedTypes: ReadonlySet<string> = new Set(['application/xml', 'text/xml', 'application/json']);
/** Content does not always overrule the name: Markdown and CSV files may begin like HTML or a mail. */
function isContradicted(byName: Format, { overrides }: Format): boolean {
  return overrides?.includes(byName.name) ?? true;
}

/** True for bytes that no reader of text would decode. */
function isBinary(head: Uint8Array): boolean {
  try {
    decodeText(head.subarray(0, 4096), { name: '' });
    return false;
  } catch {
    return true;
  }
}

function looksLikeText(head: Uint8Array): boolean {
  const start = head.subarray(0, 4096);
  if (start.includes(0)) return false;
  try {
    // The last character may be cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}

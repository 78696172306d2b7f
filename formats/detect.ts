import { rootNames } from './compound/compound-directory';
import { baseNameOf, extensionOf, type Format } from './format';
import { formats as allFormats } from './list';

/** Facts about a document before it is read. */
export interface DetectRequest {
  name: string;
  mimetype?: string;
  /** The first bytes. 4,096 suffice, except for a container that begins with a long entry. */
  head: Uint8Array;
}

/**
 * Detects the format by file name, then media type, then content. Content wins over a name that contradicts it, except that
 * being some kind of XML, JSON or code contradicts no name.
 */
export function detectFormat(request: DetectRequest, formats: readonly Format[] = allFormats): Format | undefined {
  const { name, mimetype, head } = request;
  if (isCompoundFile(head)) return compoundFormat(name, head, formats);
  const extension = extensionOf(name);
  const media = mimetype?.split(';')[0]!.trim().toLowerCase();
  const byFile =
    formats.find(({ fileNames }) => fileNames?.includes(baseNameOf(name).toLowerCase())) ??
    formats.find(({ extensions }) => extensions.includes(extension));
  const byMedia = formats.find(
    (format) => media !== undefined && format.mediaTypes.some((type) => type.toLowerCase() === media),
  );
  const byContent = formatOfContent(head, formats);
  const byName = byFile ?? byMedia;
  if (byName && byContent && byName !== byContent && isContradicted(byName, byContent)) return byContent;
  // `application/xml` and `application/json` are the types of many formats.
  if (!byFile && byContent && sharedTypes.has(media ?? '')) return byContent;
  if (byName ?? byContent) return byName ?? byContent;
  // Files such as README and LICENSE.
  return extension === '' && looksLikeText(head) ? formats.find((format) => format.name === 'text') : undefined;
}

/** True for a compound file, the container of encrypted and old binary Office documents. */
export function isCompoundFile(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1].every((byte, at) => bytes[at] === byte);
}

/** The stream or folder that identifies the format of a compound file (MS-OXMSG 2.4, MS-XLS 2.1.2). */
const compoundStreams: readonly (readonly [stream: string, format: string])[] = [
  ['__properties_version1.0', 'msg'],
  ['WordDocument', 'doc'],
  ['PowerPoint Document', 'ppt'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
];

/** Detects the format by the names in the root, or by the extension if the given bytes do not include them. */
function compoundFormat(name: string, bytes: Uint8Array, formats: readonly Format[]): Format | undefined {
  const names = rootNames(bytes);
  const found = compoundStreams.find(([stream, format]) =>
    names === undefined ? formatNamed(format)?.extensions.includes(extensionOf(name)) : names.has(stream.toLowerCase()),
  );
  return found && formatNamed(found[1]);
  function formatNamed(wanted: string) {
    return formats.find((format) => format.name === wanted);
  }
}

/** True for a password-encrypted Office document: its compound file has the stream `EncryptedPackage`. */
export function isEncryptedOffice(bytes: Uint8Array): boolean {
  if (!isCompoundFile(bytes)) return false;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );
}

/** Parts by which an Office format is known. Both forms of workbooks have parts such as `xl/theme/theme1.xml`. */
const officeParts: readonly (readonly [name: RegExp, format: string])[] = [
  [/^word\//, 'docx'],
  [/^ppt\//, 'pptx'],
  [/^xl\/(?:workbook|styles|sharedStrings|worksheets\/[^/]+)\.bin$/, 'xlsb'],
  [/^xl\/(?:workbook|styles|sharedStrings|worksheets\/[^/]+)\.xml$/, 'xlsx'],
  [/^visio\//, 'vsdx'],
];

function formatOfContent(head: Uint8Array, formats: readonly Format[]): Format | undefined {
  const folder = isZip(head) ? (declaredFormat(head, formats) ?? officeFormat(head)) : undefined;
  if (folder) return formats.find((format) => format.name === folder);
  if (isPdf(head)) return formats.find((format) => format.name === 'pdf');
  return formats.find((format) => format.sniff?.(head.subarray(0, 4096)) ?? false);
}

function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** OpenDocument and EPUB begin with an uncompressed entry `mimetype`, so its text is in the first bytes. */
function declaredFormat(head: Uint8Array, formats: readonly Format[]): string | undefined {
  const text = Buffer.from(head.subarray(0, 256)).toString('latin1');
  if (!text.startsWith('mimetype', 30)) return undefined;
  // Longest type first: the types of templates begin like those of documents.
  const types = formats.flatMap(({ name, mediaTypes }) => mediaTypes.map((type) => ({ name, type })));
  const found = types
    .filter(({ type }) => text.startsWith(type, 38 + text.charCodeAt(28)))
    .toSorted((one, other) => other.type.length - one.type.length);
  return found[0]?.name;
}

/** Readers accept garbage before the header within the first 1,024 bytes, but then the name must match. */
function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 5)).toString('latin1') === '%PDF-';
}

/** Looks at the names in the local headers of the ZIP. */
function officeFormat(head: Uint8Array): string | undefined {
  const buffer = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 8 * 1024 * 1024));
  const signature = Buffer.from([0x50, 0x4b, 3, 4]);
  let fallback: string | undefined;
  for (let at = 0; at >= 0; at = buffer.indexOf(signature, at + 4)) {
    if (at + 30 > buffer.length) return fallback;
    const name = buffer.toString('latin1', at + 30, at + 30 + Math.min(buffer.readUInt16LE(at + 26), 64));
    const found = officeParts.find(([sign]) => sign.test(name));
    if (found) return found[1];
    if (name.startsWith('xl/')) fallback = 'xlsx';
  }
  return fallback;
}

const sharedTypes: ReadonlySet<string> = new Set(['application/xml', 'text/xml', 'application/json']);
const textFormats: ReadonlySet<string> = new Set(['html', 'eml', 'mbox', 'subtitles']);
/** Formats that only say how a file is written, not what it holds. */
const generalFormats: ReadonlySet<string> = new Set(['xml', 'json', 'code']);

/** Content overrides a text format only if the name says plain text: Markdown and CSV files may begin like HTML or a mail. */
function isContradicted(byName: Format, byContent: Format): boolean {
  if (generalFormats.has(byContent.name)) return byName.name === 'code' && byContent.name === 'xml';
  if (byContent.name === 'html' && byName.name === 'xml') return true;
  if (textFormats.has(byContent.name)) return byName.name === 'text';
  if (byContent.name === 'docling') return byName.name === 'text' || byName.name === 'json';
  return true;
}

function looksLikeText(head: Uint8Array): boolean {
  const looked = head.subarray(0, 4096);
  if (looked.includes(0)) return false;
  try {
    // The last character may be cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(looked, { stream: true });
    return true;
  } catch {
    return false;
  }
}

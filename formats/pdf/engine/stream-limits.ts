import { inflateSync } from 'node:zlib';
import { AppError } from '../../../model/errors';

/** Bytes to which a stream of text, drawing or objects may expand; the engine needs about 20 ms per MB. */
const maxOfOne = 64 * 1024 * 1024;
/** Bytes to which all streams together may expand, each counted as often as pages refer to it. */
const maxOfAll = 512 * 1024 * 1024;
/** Bytes that one image may have; an A2 page in colour at 600 dpi has fewer. */
const maxOfImage = 512 * 1024 * 1024;
/** The highest expansion ratio of Deflate: bytes out per byte in. */
const maxRatio = 1_032;
const keyword = 'stream';
/** Bytes searched for a stream's dictionary or a list of contents, both of which are short. */
const lookBack = 4_000;

/**
 * Throws DOCUMENT_TOO_LARGE for a PDF whose streams expand too far, before the engine decodes them. Images are measured by
 * their declared size, which is what the engine decodes. Streams with other filters and those of encrypted documents are not
 * checked: the engine's memory limit covers them.
 */
export function checkStreams(bytes: Uint8Array, name: string): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const uses = countUses(file);
  let totalBytes = 0;
  for (const { object, start, end, dictionary } of iterateStreams(file)) {
    if (/\/Subtype\s*\/Image\b/.test(dictionary)) {
      if (computeImageSize(dictionary) > maxOfImage)
        throw createTooLargeError(name, `an image of more than ${toMegabytes(maxOfImage)}`);
      continue;
    }
    const filters = countDeflated(dictionary);
    if (filters === 0) continue;
    const count = uses.get(object) ?? 1;
    const maxBytes = (end - start) * maxRatio ** filters;
    if (maxBytes <= maxOfOne && maxBytes * count <= maxOfOne) continue;
    const size = computeExpandedSize(bytes.subarray(start, end), filters);
    if (size > maxOfOne) throw createTooLargeError(name, `a stream that expands to more than ${toMegabytes(maxOfOne)}`);
    totalBytes += size * count;
    if (totalBytes > maxOfAll)
      throw createTooLargeError(name, `streams that expand to more than ${toMegabytes(maxOfAll)}`);
  }
}

interface FoundStream {
  object: string;
  start: number;
  end: number;
  dictionary: string;
}

function* iterateStreams(file: Buffer): Generator<FoundStream> {
  for (let at = file.indexOf(keyword); at >= 0;) {
    let end = at + keyword.length;
    if (/>>\s*$/.test(file.toString('latin1', Math.max(0, at - 20), at))) {
      const before = file.toString('latin1', Math.max(0, at - lookBack), at);
      const begun = before.lastIndexOf('obj');
      const dictionary = before.slice(begun + 1);
      const [, object = ''] = /(\d+\s+\d+)\s+$/.exec(before.slice(Math.max(0, begun - 30), begun)) ?? [];
      const start = end + (file[end] === 0x0d ? 2 : 1);
      end = Math.max(start, computeEnd(file, start, dictionary));
      yield { object, start, end, dictionary };
    }
    at = file.indexOf(keyword, end);
  }
}

/** Size of the samples in bytes, with three colour components unless the dictionary shows another number. */
function computeImageSize(dictionary: string): number {
  const number = (key: string) => Number(new RegExp(`/${key}\\s+(\\d+)`).exec(dictionary)?.[1] ?? 0);
  const bits = number('BitsPerComponent') || 8;
  return (number('Width') * number('Height') * bits * countColours(dictionary, bits)) / 8;
}

function countColours(dictionary: string, bits: number): number {
  if (bits === 1 || /\/DeviceGray\b/.test(dictionary)) return 1;
  return /\/DeviceCMYK\b/.test(dictionary) ? 4 : 3;
}

/** Number of Deflate layers of the stream, from the outermost to the first other filter. */
function countDeflated(dictionary: string): number {
  const [, list = ''] = /\/Filter\s*(\[[^\]]*\]|\/\w+)/.exec(dictionary) ?? [];
  const names = [...list.matchAll(/\/(\w+)/g)].map(([, name]) => name);
  const other = names.findIndex((name) => name !== 'FlateDecode' && name !== 'Fl');
  return other < 0 ? names.length : other;
}

/** The end of the stream: at its declared length if `endstream` follows there, else at the next `endstream`. */
function computeEnd(file: Buffer, start: number, dictionary: string): number {
  const [, length] = /\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(dictionary) ?? [];
  const declaredEnd = start + Number(length);
  if (length !== undefined && /^\s{0,3}endstream/.test(file.toString('latin1', declaredEnd, declaredEnd + 12)))
    return declaredEnd;
  const index = file.indexOf('endstream', start);
  return index < 0 ? file.length : index;
}

/** Counts how often pages refer to each stream; the engine decodes it again for each reference. */
function countUses(file: Buffer): Map<string, number> {
  const uses = new Map<string, number>();
  for (let at = file.indexOf('/Contents'); at >= 0; at = file.indexOf('/Contents', at + 1)) {
    const after = file.toString('latin1', at, at + lookBack);
    const [, list = ''] = /^\/Contents\s*(\d+\s+\d+\s+R|\[[\d\sR]*\])/.exec(after) ?? [];
    for (const [, object = ''] of list.matchAll(/(\d+\s+\d+)\s+R/g)) uses.set(object, (uses.get(object) ?? 0) + 1);
  }
  return uses;
}

/** Size after inflating `times` times, at most one byte more than the limit for one stream; 0 if the data is unreadable. */
function computeExpandedSize(bytes: Uint8Array, times: number): number {
  let current = bytes;
  for (let turn = 0; turn < times; turn += 1) {
    try {
      current = inflateSync(current, { maxOutputLength: maxOfOne + 1 });
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? maxOfOne + 1 : 0;
    }
  }
  return current.length;
}

function createTooLargeError(name: string, excess: string): AppError {
  return new AppError('DOCUMENT_TOO_LARGE', `'${name}' is a PDF with ${excess}.`);
}

function toMegabytes(bytes: number): string {
  return `${bytes / 1024 ** 2} MB`;
}

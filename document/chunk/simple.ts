import { AppError } from '../../model/errors';

/** A piece of a text: `text === source.slice(start, end)`, offsets in UTF-16 code units. */
export interface TextChunk {
  text: string;
  start: number;
  end: number;
}

/**
 * How a text is split. A chunk ends at the strongest separator in the later part of its range; separators of one array are
 * equally strong.
 */
export interface ChunkTextOptions {
  /** Maximum length of a chunk in UTF-16 code units; at least 2, so that a surrogate pair fits. */
  chunkSize: number;
  /** Maximum number of code units shared with the previous chunk; less than `chunkSize`. */
  chunkOverlap: number;
  /** Strongest first. Default: paragraph, line, sentence, blank. A text without any of them is split between characters. */
  separators?: readonly (string | readonly string[])[];
}

/** Positions where a text may be split, strongest first. */
export const defaultSeparators: readonly (readonly string[])[] = [
  ['\n\n', '\r\n\r\n'],
  ['\n'],
  ['. ', '! ', '? ', '.\t', '。', '！', '？', '؟ ', '। '],
  [' ', '\t'],
];

/**
 * Splits a text at the strongest separator that leaves a well-filled chunk. Chunks neither begin nor end with white space,
 * cover every other character, and overlap at word boundaries if there are any. Takes linear time.
 */
export function chunkText(text: string, options: ChunkTextOptions): TextChunk[] {
  const { chunkSize, chunkOverlap } = options;
  checkSizes(chunkSize, chunkOverlap);
  const separators = (options.separators ?? defaultSeparators)
    .map((entry) => (typeof entry === 'string' ? [entry] : entry).filter((separator) => separator !== ''))
    .filter((entry) => entry.length > 0);
  const chunks: TextChunk[] = [];
  let start = skipBlank(text, 0);
  while (start < text.length) {
    const end = findChunkEnd(text, start, { size: chunkSize, overlap: chunkOverlap, separators });
    const trimmed = trimEnd(text, start, end);
    const last = chunks.at(-1);
    // A short tail after much white space may lie completely within the overlap.
    if (!last || trimmed > last.end) chunks.push({ text: text.slice(start, trimmed), start, end: trimmed });
    const rest = skipBlank(text, end);
    if (rest >= text.length) break;
    // White space counts towards the overlap only if there is text on both sides of it.
    start = Math.max(findOverlapStart(text, start, trimmed, chunkOverlap) ?? rest, start + 1);
  }
  return chunks;
}

function checkSizes(chunkSize: number, chunkOverlap: number): void {
  if (!Number.isInteger(chunkSize) || chunkSize < 2) {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `chunk_size is ${chunkSize}; it must be a whole number of at least 2.`,
    );
  }
  if (!Number.isInteger(chunkOverlap) || chunkOverlap < 0 || chunkOverlap >= chunkSize) {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `chunk_overlap is ${chunkOverlap}; it must be a whole number from 0 to ${chunkSize - 1}.`,
    );
  }
}

function findChunkEnd(
  text: string,
  start: number,
  { size, overlap, separators }: { size: number; overlap: number; separators: readonly (readonly string[])[] },
): number {
  if (start + size >= text.length) return text.length;
  // A separator may begin inside the chunk and end with white space after it, which is trimmed anyway.
  const window = text.slice(start, start + size + 1);
  // Every chunk extends beyond the overlap by a share of the rest. This bounds the number of chunks.
  const shares = [Math.max(size / 2, overlap + (size - overlap) / 2), overlap + Math.max(1, (size - overlap) / 8)];
  for (const share of shares) {
    for (const group of separators) {
      const cut = findLastCut(window, group, size);
      if (cut >= share) return start + cut;
    }
  }
  const limit = start + size;
  return isInsidePair(text, limit) ? limit - 1 : limit;
}

/** Returns the offset after the last separator of the group, or -1. White space at its end does not count towards the size. */
function findLastCut(window: string, group: readonly string[], size: number): number {
  let best = -1;
  for (const separator of group) {
    const visible = separator.trimEnd().length;
    let at = window.lastIndexOf(separator);
    while (at >= 0 && at + visible > size) at = at === 0 ? -1 : window.lastIndexOf(separator, at - 1);
    if (at >= 0) best = Math.max(best, Math.min(at + separator.length, window.length));
  }
  return best;
}

/** Returns where the next chunk starts to repeat at most `overlap` code units; undefined if it repeats nothing. */
function findOverlapStart(text: string, start: number, end: number, overlap: number): number | undefined {
  if (overlap === 0) return undefined;
  let at = Math.max(end - overlap, start + 1);
  if (isInsidePair(text, at)) at += 1;
  for (let word = at; word < end; word++) {
    if (isBlank(text, word - 1) && !isBlank(text, word)) return word;
  }
  return at < end ? at : undefined;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text, at)) at += 1;
  return at;
}

function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text, at - 1)) at -= 1;
  return at;
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (
    code === 32 ||
    (code >= 9 && code <= 13) ||
    code === 0xa0 ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

function isInsidePair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

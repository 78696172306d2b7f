import { addAll } from '../../model/lists/add-all';
import { iterateBatches } from '../../model/lists/batches';
/** Positions where a text may be split, strongest first. The match stays with the part before it. */
const levels: readonly RegExp[] = [
  /\n{2,}/g,
  /\n/g,
  /(?<=[.!?…])[\s]+|(?<=[。！？])/g,
  /(?<=[;:,)\]])\s+|(?<=[；：，、])/g,
  /\s+/g,
];

/**
 * Splits a text into parts of at most `limit` tokens: at paragraphs, else at lines, sentences, clauses, words, or between
 * characters. Neighbouring parts are merged while they fit. `count` sees each character a fixed number of times.
 */
export function splitByTokens(text: string, limit: number, count: (text: string) => number): string[] {
  return split({ text, tokens: count(text) }, Math.max(1, limit), count, 0)
    .map((part) => part.text.trim())
    .filter((part) => part !== '');
}

interface Part {
  text: string;
  tokens: number;
}

function split(whole: Part, limit: number, count: (text: string) => number, level: number): Part[] {
  if (whole.tokens <= limit) return [whole];
  const separator = levels[level];
  if (!separator) return splitByCharacters(whole, limit, count);
  const texts = listParts(whole.text, separator);
  if (texts.length === 1) return split(whole, limit, count, level + 1);
  const parts = texts.flatMap((text) => split({ text, tokens: count(text) }, limit, count, level + 1));
  return joinParts(parts, limit);
}

function listParts(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const match of text.matchAll(separator)) {
    const end = match.index + match[0].length;
    if (end > start) parts.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}

/** Merges neighbours while their sum fits. */
function joinParts(parts: readonly Part[], limit: number): Part[] {
  const result: { texts: string[]; tokens: number }[] = [];
  for (const { text, tokens } of parts) {
    const last = result.at(-1);
    if (last && last.tokens + tokens <= limit) {
      last.texts.push(text);
      last.tokens += tokens;
    } else result.push({ texts: [text], tokens });
  }
  return result.map(({ texts, tokens }) => ({ text: texts.join(''), tokens }));
}

/** Pieces of a word may have more tokens than their share of the whole, because tokens do not cross their ends. */
const tokenReserve = 1.05;

/** Splits a word longer than a chunk into equal pieces, and halves those that are still too long. */
function splitByCharacters(whole: Part, limit: number, count: (text: string) => number): Part[] {
  const characters = Array.from(whole.text);
  if (characters.length < 2) return [whole];
  const size = Math.max(1, Math.floor((characters.length * limit) / whole.tokens / tokenReserve));
  const parts: Part[] = [];
  const step = Math.min(size, characters.length - 1);
  for (const batch of iterateBatches(characters, step)) {
    const text = batch.join('');
    const part = { text, tokens: count(text) };
    if (part.tokens <= limit) parts.push(part);
    else addAll(parts, splitByCharacters(part, limit, count));
  }
  return parts;
}

import { chunkText, type TextChunk } from './simple';

/** How a threshold is computed from the distances between neighbouring sentences. */
export const breakpointKinds = ['percentile', 'standard_deviation', 'interquartile', 'gradient'] as const;
export type BreakpointKind = (typeof breakpointKinds)[number];

/** Default amounts: a percentile, or a multiple of the standard deviation or the interquartile range. */
export const defaultBreakpointAmounts: Readonly<Record<BreakpointKind, number>> = {
  percentile: 95,
  standard_deviation: 3,
  interquartile: 1.5,
  gradient: 95,
};

/** A longer text without a sentence end is split like plain text. */
const longestSentence = 1_000;

/** A sentence of a text. A heading belongs to the sentence after it. */
export interface Sentence extends TextChunk {
  isHeading: boolean;
}

/**
 * Returns the sentences of a text in order, with their offsets. A sentence ends at a full stop, question mark or exclamation
 * mark before white space, at East Asian sentence marks, and at the end of a heading, list item, table row or blank line.
 * `headings` holds the offsets of heading lines that have no Markdown sign.
 */
export function splitSentences(text: string, headings: ReadonlySet<number> = new Set()): Sentence[] {
  const sentences: Sentence[] = [];
  for (const { start, end, isHeading } of splitBlocks(text, headings)) {
    const ends = isHeading ? [end] : [...iterateSentenceEnds(text, start, end), end];
    let from = start;
    for (const to of ends) {
      for (const piece of trimChunk(text, from, to)) sentences.push({ ...piece, isHeading });
      from = to;
    }
  }
  return sentences;
}

/** Yields blocks of lines that belong together: the lines of one paragraph, or a single line of another kind. */
function* splitBlocks(
  text: string,
  headings: ReadonlySet<number>,
): Generator<{ start: number; end: number; isHeading: boolean }> {
  let start = 0;
  let at = 0;
  for (const line of text.split('\n')) {
    const end = Math.min(at + line.length + 1, text.length);
    const isHeading = headings.has(at) || /^ {0,3}#{1,6}\s/.test(line);
    const isAlone = isHeading || line.trim() === '' || /^\s*(?:[-*+|>]|\d+[.)])\s?/.test(line);
    if (isAlone) {
      if (at > start) yield { start, end: at, isHeading: false };
      yield { start: at, end, isHeading };
      start = end;
    }
    at = end;
  }
  if (start < text.length) yield { start, end: text.length, isHeading: false };
}

function* iterateSentenceEnds(text: string, start: number, end: number): Generator<number> {
  for (const match of text.slice(start, end).matchAll(/(?<![.!?…])[.!?…]+["'”’)\]]*(?=\s)|[。！？]+/g))
    yield start + match.index + match[0].length;
}

function trimChunk(text: string, from: number, to: number): TextChunk[] {
  const piece = text.slice(from, to);
  const start = from + piece.length - piece.trimStart().length;
  const end = from + piece.trimEnd().length;
  if (end <= start) return [];
  if (end - start <= longestSentence) return [{ text: text.slice(start, end), start, end }];
  return chunkText(text.slice(start, end), { chunkSize: longestSentence, chunkOverlap: 0 }).map((chunk) => ({
    text: chunk.text,
    start: start + chunk.start,
    end: start + chunk.end,
  }));
}

/** Returns the text to embed for each sentence: the sentence with `buffer` neighbours on each side. */
export function listSentenceWindows(text: string, sentences: readonly Sentence[], buffer: number): string[] {
  return sentences.map((_, index) => {
    const first = sentences[Math.max(0, index - buffer)];
    const last = sentences[Math.min(sentences.length - 1, index + buffer)];
    return text.slice(first?.start, last?.end);
  });
}

/** Where semantic chunks end. */
export interface SemanticOptions {
  kind: BreakpointKind;
  amount: number;
  /** Maximum length of a chunk in UTF-16 code units. A longer chunk is split like plain text. */
  chunkSize: number;
  chunkOverlap: number;
}

/**
 * Splits a text where its meaning changes: between two sentences whose vectors are further apart than the threshold. `vectors`
 * has one entry per sentence. The chunks cover all sentences in order and never end with a heading.
 */
export function chunkSemantic(
  text: string,
  sentences: readonly Sentence[],
  vectors: readonly (readonly number[])[],
  options: SemanticOptions,
): TextChunk[] {
  const isBreak = findBreakpoints(
    sentences.slice(1).map((_, index) => computeDistance(vectors[index] ?? [], vectors[index + 1] ?? [])),
    options,
  );
  const chunks: TextChunk[] = [];
  let first = 0;
  for (const [index, sentence] of sentences.entries()) {
    const isLast = index === sentences.length - 1;
    if (!isLast && (!isBreak[index] || sentence.isHeading)) continue;
    const start = sentences[first]?.start ?? 0;
    for (const piece of chunkText(text.slice(start, sentence.end), options))
      chunks.push({ text: piece.text, start: start + piece.start, end: start + piece.end });
    first = index + 1;
  }
  return chunks;
}

/** Returns, for each distance between neighbours, whether a chunk ends there. */
export function findBreakpoints(
  distances: readonly number[],
  { kind, amount }: Pick<SemanticOptions, 'kind' | 'amount'>,
): boolean[] {
  if (distances.length === 0) return [];
  const measured = kind === 'gradient' ? computeGradient(distances) : distances;
  const threshold = computeThreshold(measured, kind, amount);
  return measured.map((value) => value > threshold);
}

function computeThreshold(values: readonly number[], kind: BreakpointKind, amount: number): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  switch (kind) {
    case 'percentile':
    case 'gradient':
      return computePercentile(values, amount);
    case 'standard_deviation':
      return mean + amount * Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    case 'interquartile':
      return mean + amount * (computePercentile(values, 75) - computePercentile(values, 25));
  }
}

/** Interpolates linearly between the nearest ranks. */
function computePercentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((value, other) => value - other);
  const rank = (Math.min(100, Math.max(0, percent)) / 100) * (sorted.length - 1);
  const low = sorted[Math.floor(rank)] ?? 0;
  const high = sorted[Math.ceil(rank)] ?? low;
  return low + (high - low) * (rank - Math.floor(rank));
}

/** Central differences; one-sided at the ends. */
function computeGradient(values: readonly number[]): number[] {
  if (values.length < 2) return [...values];
  return values.map((value, index) => {
    const before = values[index - 1];
    const after = values[index + 1];
    if (before === undefined) return (after ?? value) - value;
    return after === undefined ? value - before : (after - before) / 2;
  });
}

/** Cosine distance: 1 minus the cosine of the angle. */
function computeDistance(item: readonly number[], other: readonly number[]): number {
  let product = 0;
  let square = 0;
  let otherSquare = 0;
  for (const [index, value] of item.entries()) {
    const second = other[index] ?? 0;
    product += value * second;
    square += value * value;
    otherSquare += second * second;
  }
  return square === 0 || otherSquare === 0 ? 1 : 1 - product / Math.sqrt(square * otherSquare);
}

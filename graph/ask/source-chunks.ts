import { boxesOf, contextualize, itemsOf, pagesOf } from '../../document/chunk/hierarchical';
import { chunkHybrid } from '../../document/chunk/hybrid';
import { chunkText } from '../../document/chunk/simple';
import type { DoclingDocument } from '../../document/model';
import { toMarkdownWithSpans, type MarkdownSpan } from '../../document/pages';

/** A part of the source that fits into one question to a model. Evidence refers to it. */
export interface SourceChunk {
  id: number;
  text: string;
  /** The headings at its beginning, outermost first. */
  headings: string[];
  pages: number[];
  /** Positions of its blocks: range in `text`, page, and left, top, right, bottom in points from the top left. */
  boxes: { start: number; end: number; page: number; bbox?: number[]; ref?: string }[];
  /** References of the document items it contains. */
  refs?: string[];
}

export interface ChunkOptions {
  /** Maximum tokens of a chunk. Default 512. */
  maxTokens?: number;
  /** Counts the tokens of a text. Default: a quarter of its characters, rounded up. */
  countTokens?: (text: string) => number;
}

const defaultTokens = 512;

/** Estimates tokens without a tokenizer: a quarter of the characters, rounded up. */
export const countQuarters = (text: string): number => Math.ceil(text.length / 4);

/** The whole source as one chunk. */
export function wholeChunk(source: DoclingDocument | string): SourceChunk {
  if (typeof source === 'string') return { id: 0, text: source, headings: [], pages: [], boxes: [] };
  const { markdown, spans } = toMarkdownWithSpans(source);
  return { id: 0, text: markdown, headings: [], ...buildPlaces(spans, spans) };
}

/**
 * Splits the source into chunks: whole blocks as long as they fit, each chunk on as few pages as possible. Large blocks are
 * split.
 */
export function chunksOf(source: DoclingDocument | string, options: ChunkOptions = {}): SourceChunk[] {
  const { maxTokens = defaultTokens, countTokens = countQuarters } = options;
  const { markdown, spans } =
    typeof source === 'string'
      ? { markdown: source, spans: [{ start: 0, end: source.length, headings: [] }] satisfies MarkdownSpan[] }
      : toMarkdownWithSpans(source);
  const groups: MarkdownSpan[][] = [];
  for (const span of spans.flatMap((span) => splitSpan(markdown, span, maxTokens, countTokens))) {
    const group = groups.at(-1);
    const first = group?.[0];
    if (group && first && countTokens(markdown.slice(first.start, span.end)) <= maxTokens) group.push(span);
    else groups.push([span]);
  }
  return groups.map((group, id) => {
    const [first, last] = [group[0], group.at(-1)];
    const text = markdown.slice(first?.start ?? 0, last?.end ?? 0);
    return { id, text, headings: first?.headings ?? [], ...buildPlaces(group, moveSpans(group, first?.start ?? 0)) };
  });
}

/** One chunk per page. A source without pages is one chunk. */
export function pageChunks(source: DoclingDocument | string): SourceChunk[] {
  if (typeof source === 'string') return [wholeChunk(source)];
  const { markdown, spans } = toMarkdownWithSpans(source);
  const pages = new Map<number, MarkdownSpan[]>();
  for (const span of spans) pages.set(span.page ?? 0, [...(pages.get(span.page ?? 0) ?? []), span]);
  return [...pages.values()].map((group, id) => {
    let length = 0;
    const ranges = group.map(({ start, end }) => {
      const pageStart = length;
      length += end - start + pageSeparator.length;
      return { start: pageStart, end: pageStart + end - start };
    });
    const text = group.map(({ start, end }) => markdown.slice(start, end)).join(pageSeparator);
    return { id, text, headings: group[0]?.headings ?? [], ...buildPlaces(group, ranges) };
  });
}

const pageSeparator = '\n\n';

/**
 * Splits the document like the peer: blocks under the same headings stay together while they fit, and each chunk starts with
 * its headings.
 */
export function createPeerChunks(document: DoclingDocument, options: ChunkOptions = {}): SourceChunk[] {
  const { maxTokens = defaultTokens, countTokens = countQuarters } = options;
  const tokenizer = { name: 'chunks', maxTokens, count: countTokens };
  return [...chunkHybrid(document, { tokenizer, maxTokens })].map((chunk, id) => {
    let at = chunk.headings.reduce((length, heading) => length + heading.length + 1, 0);
    const boxes = chunk.pieces.flatMap(({ text, before, items }, index) => {
      const start = at + (index === 0 ? 0 : before.length);
      at = start + text.length;
      const end = at;
      return items.flatMap((item) =>
        boxesOf(document, [item]).map(([page = 0, ...bbox]) => ({ start, end, page, bbox, ref: item.self_ref })),
      );
    });
    const items = itemsOf(chunk);
    const refs = items.map(({ self_ref }) => self_ref);
    return { id, text: contextualize(chunk), headings: [...chunk.headings], pages: pagesOf(items), boxes, refs };
  });
}

const minSplitLength = 40;

/** Splits a chunk in half, for a model that could not finish its answer; undefined when it is too short. */
export function splitChunk(chunk: SourceChunk): SourceChunk[] | undefined {
  if (chunk.text.length < minSplitLength) return undefined;
  // A little more than half, so that a split at the end of a sentence leaves two parts, not three.
  const chunkSize = Math.ceil(chunk.text.length * 0.6);
  const parts = chunkText(chunk.text, { chunkSize, chunkOverlap: 0 });
  return parts.length > 1 ? parts.map(({ text }) => ({ ...chunk, text })) : undefined;
}

function splitSpan(
  markdown: string,
  span: MarkdownSpan,
  maxTokens: number,
  count: (text: string) => number,
): MarkdownSpan[] {
  const text = markdown.slice(span.start, span.end);
  const tokens = count(text);
  if (tokens <= maxTokens) return [span];
  const chunkSize = Math.max(2, Math.floor((text.length * maxTokens) / tokens));
  return chunkText(text, { chunkSize, chunkOverlap: 0 }).map(({ start, end }) => ({
    ...span,
    start: span.start + start,
    end: span.start + end,
  }));
}

function moveSpans(spans: readonly MarkdownSpan[], offset: number): Range[] {
  return spans.map(({ start, end }) => ({ start: start - offset, end: end - offset }));
}

interface Range {
  start: number;
  end: number;
}

// `ranges` are the ranges of the spans in the text of the chunk.
function buildPlaces(
  spans: readonly MarkdownSpan[],
  ranges: readonly Range[],
): Pick<SourceChunk, 'pages' | 'boxes' | 'refs'> {
  const boxes = spans.flatMap(({ page, bbox, ref }, index) => {
    const { start = 0, end = 0 } = ranges[index] ?? {};
    return page === undefined ? [] : [{ start, end, page, ...(bbox ? { bbox } : {}), ...(ref ? { ref } : {}) }];
  });
  const refs = [...new Set(spans.flatMap(({ ref }) => ref ?? []))];
  return { pages: [...new Set(boxes.map(({ page }) => page))], boxes, refs };
}

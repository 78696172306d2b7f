import type { Tokenizer } from '../../model/llm/tokenizer';
import type { DoclingDocument } from '../model';
import {
  type ChunkDocumentOptions,
  type ChunkPiece,
  chunkHierarchically,
  contextualize,
  type DocumentChunk,
  joinPieces,
} from './hierarchical';
import { splitByTokens } from './split';
import { splitItems } from './split-items';

/** How a document is split for a model with a token limit. */
export interface HybridOptions extends ChunkDocumentOptions {
  tokenizer: Tokenizer;
  /** Maximum number of tokens of a chunk, headings included. Default: the limit of the tokenizer's model. */
  maxTokens?: number;
  /** Merges neighbouring chunks under the same headings while they fit. Default: true. */
  mergePeers?: boolean;
}

/** A chunk with the number of tokens of its text and headings. */
export interface HybridChunk extends DocumentChunk {
  tokens: number;
}

interface Cutting {
  limit: number;
  count: (text: string) => number;
  /** Token counts by the text of the heading path. */
  headings: Map<string, number>;
}

/** A chunk before its tokens are counted exactly; `tokens` is an estimate that is rarely too low. */
type Draft = DocumentChunk & { tokens: number; room: number };

/**
 * Splits the chunks of `chunkHierarchically` that are too large, first between items, then between table rows, lines, sentences
 * and words, and then merges neighbours. A chunk exceeds `maxTokens` only if a single character does. Headings are left out if
 * they leave no room for text. Takes linear time.
 */
export function* chunkHybrid(document: DoclingDocument, options: HybridOptions): Generator<HybridChunk> {
  const { tokenizer, mergePeers = true } = options;
  const cutting: Cutting = {
    limit: Math.max(1, options.maxTokens ?? tokenizer.maxTokens),
    count: (text) => tokenizer.count(text),
    headings: new Map(),
  };
  let open: Draft[] = [];
  let tokens = 0;
  for (const chunk of chunkHierarchically(document, options)) {
    for (const draft of cutChunk(chunk, cutting)) {
      const first = open[0];
      const isPeer = first && mergePeers && isSamePath(first, draft) && tokens + draft.tokens <= first.room;
      if (first && !isPeer) {
        yield* settle(mergeDrafts(open), cutting);
        open = [];
        tokens = 0;
      }
      open.push(draft);
      tokens += draft.tokens + 1;
    }
  }
  if (open.length > 0) yield* settle(mergeDrafts(open), cutting);
}

function cutChunk(chunk: DocumentChunk, cutting: Cutting): Draft[] {
  const neededRoom = computeRoomBeside(chunk.headings, cutting);
  const headings = neededRoom > 0 ? chunk.headings : [];
  const room = neededRoom > 0 ? neededRoom : cutting.limit;
  const drafts: { pieces: ChunkPiece[]; tokens: number }[] = [];
  for (const piece of chunk.pieces) {
    const tokens = cutting.count(piece.text);
    const last = drafts.at(-1);
    if (tokens > room) {
      for (const part of listPartPieces(piece, room, cutting))
        drafts.push({ pieces: [part], tokens: cutting.count(part.text) });
    } else if (last && last.tokens + 1 + tokens <= room) {
      last.pieces.push(piece);
      last.tokens += tokens + 1;
    } else drafts.push({ pieces: [piece], tokens });
  }
  return drafts.map(({ pieces, tokens }) => ({ text: joinPieces(pieces), headings, pieces, tokens, room }));
}

function computeRoomBeside(headings: readonly string[], { limit, count, headings: previousHeadings }: Cutting): number {
  if (headings.length === 0) return limit;
  const path = `${headings.join('\n')}\n`;
  let tokens = previousHeadings.get(path);
  if (tokens === undefined) {
    tokens = count(path);
    previousHeadings.set(path, tokens);
  }
  return limit - tokens;
}

/** Splits a table between rows and repeats its header in each part. Splits all other pieces as text. */
function listPartPieces(piece: ChunkPiece, room: number, { count }: Cutting): ChunkPiece[] {
  const { table, items } = piece;
  const lead = table ? count(table.lead) : 0;
  if (!table || lead * 2 > room) {
    return splitText(piece.text, room, { items, count });
  }
  const parts: { lines: string[]; tokens: number }[] = [];
  for (const line of table.lines.flatMap((text) => splitByTokens(text, room - lead, count))) {
    const tokens = count(line) + 1;
    const last = parts.at(-1);
    if (last && lead + last.tokens + tokens <= room) {
      last.lines.push(line);
      last.tokens += tokens;
    } else parts.push({ lines: [line], tokens });
  }
  return parts.map(({ lines }) => ({ text: table.lead + lines.join(table.glue), before: '\n', items }));
}

function isSamePath({ headings: peer }: Draft, { headings: other }: Draft): boolean {
  return peer.length === other.length && peer.every((heading, index) => heading === other[index]);
}

function mergeDrafts(drafts: readonly Draft[]): DocumentChunk {
  const pieces = drafts.flatMap((draft, index) =>
    index === 0 ? draft.pieces : draft.pieces.map((piece, at) => (at === 0 ? { ...piece, before: '\n' } : piece)),
  );
  return { text: joinPieces(pieces), headings: drafts[0]!.headings, pieces };
}

/** Counts the exact tokens of a chunk. Splits it again in the rare case that its joined parts have more tokens than their sum. */
function* settle(chunk: DocumentChunk, cutting: Cutting): Generator<HybridChunk> {
  const tokens = cutting.count(contextualize(chunk));
  if (tokens <= cutting.limit) {
    yield { ...chunk, tokens };
    return;
  }
  const parts = halveChunk(chunk, tokens - cutting.limit, cutting);
  if (parts.length < 2) yield { ...chunk, tokens };
  else for (const part of parts) yield* settle(part, cutting);
}

function halveChunk({ pieces, headings, text }: DocumentChunk, excess: number, cutting: Cutting): DocumentChunk[] {
  if (pieces.length > 1) {
    const middle = pieces.length >> 1;
    return [pieces.slice(0, middle), pieces.slice(middle)].map((some) => ({
      text: joinPieces(some),
      headings,
      pieces: some,
    }));
  }
  const room = cutting.count(text) - excess;
  const parts = splitText(text, room, { items: pieces[0]?.items ?? [], count: cutting.count });
  return parts.map((part) => ({ text: part.text, headings, pieces: [part] }));
}

function splitText(
  text: string,
  room: number,
  { items, count }: Pick<ChunkPiece, 'items'> & Pick<Cutting, 'count'>,
): ChunkPiece[] {
  const parts = splitByTokens(text, room, count);
  const itemsOfParts = splitItems(text, parts, items);
  return parts.map((part, at) => ({ text: part, before: '\n', items: itemsOfParts[at] ?? [] }));
}

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

interface TokenBudget {
  /** Maximum number of tokens of a chunk, headings included. */
  limit: number;
  count: (text: string) => number;
  /** Token counts of heading paths, by their text. */
  pathTokens: Map<string, number>;
}

/** A chunk before its tokens are counted exactly. */
interface Draft extends DocumentChunk {
  /** The tokens of the text, an estimate that is rarely too low. */
  tokens: number;
  /** Tokens that the headings leave for the text. */
  room: number;
}

/** Tokens of the line end between two joined texts. */
const separatorTokens = 1;
/** A table header is repeated in each part unless it takes more than this share of the room. */
const maxLeadShare = 0.5;

/**
 * Splits the chunks of `chunkHierarchically` that are too large, first between items, then between table rows, lines, sentences
 * and words, and then merges neighbours. A chunk exceeds `maxTokens` only if a single character does. Headings are left out if
 * they leave no room for text. Takes linear time.
 */
export function* chunkHybrid(document: DoclingDocument, options: HybridOptions): Generator<HybridChunk> {
  const { tokenizer, mergePeers = true } = options;
  const budget: TokenBudget = {
    limit: Math.max(1, options.maxTokens ?? tokenizer.maxTokens),
    count: (text) => tokenizer.count(text),
    pathTokens: new Map(),
  };
  let open: Draft[] = [];
  let tokens = 0;
  for (const chunk of chunkHierarchically(document, options)) {
    for (const draft of splitChunk(chunk, budget)) {
      const first = open[0];
      const isPeer = first && mergePeers && isSamePath(first, draft) && tokens + draft.tokens <= first.room;
      if (first && !isPeer) {
        yield* splitExactly(mergeDrafts(open), budget);
        open = [];
        tokens = 0;
      }
      open.push(draft);
      tokens += draft.tokens + separatorTokens;
    }
  }
  if (open.length > 0) yield* splitExactly(mergeDrafts(open), budget);
}

/** Splits a chunk between its pieces, and pieces that do not fit on their own. */
function splitChunk(chunk: DocumentChunk, budget: TokenBudget): Draft[] {
  const roomBesideHeadings = computeRoomBeside(chunk.headings, budget);
  const fitsHeadings = roomBesideHeadings > 0;
  const headings = fitsHeadings ? chunk.headings : [];
  const room = fitsHeadings ? roomBesideHeadings : budget.limit;
  const drafts: { pieces: ChunkPiece[]; tokens: number }[] = [];
  for (const piece of chunk.pieces) {
    const tokens = budget.count(piece.text);
    const last = drafts.at(-1);
    if (tokens > room) {
      for (const part of splitPiece(piece, room, budget))
        drafts.push({ pieces: [part], tokens: budget.count(part.text) });
    } else if (last && last.tokens + separatorTokens + tokens <= room) {
      last.pieces.push(piece);
      last.tokens += separatorTokens + tokens;
    } else drafts.push({ pieces: [piece], tokens });
  }
  return drafts.map(({ pieces, tokens }) => ({ text: joinPieces(pieces), headings, pieces, tokens, room }));
}

/** Tokens that the headings leave for the text; zero or less if they leave none. */
function computeRoomBeside(headings: readonly string[], { limit, count, pathTokens }: TokenBudget): number {
  if (headings.length === 0) return limit;
  const path = `${headings.join('\n')}\n`;
  const tokens = pathTokens.get(path) ?? count(path);
  pathTokens.set(path, tokens);
  return limit - tokens;
}

/** Splits a table between rows and repeats its header in each part. Splits all other pieces as text. */
function splitPiece(piece: ChunkPiece, room: number, { count }: TokenBudget): ChunkPiece[] {
  const { table, items } = piece;
  const lead = table ? count(table.lead) : 0;
  if (!table || lead > maxLeadShare * room) return splitText(piece.text, room, { items, count });
  const parts: { lines: string[]; tokens: number }[] = [];
  for (const line of table.lines.flatMap((text) => splitByTokens(text, room - lead, count))) {
    const tokens = count(line) + separatorTokens;
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
  const [first, ...others] = drafts as [Draft, ...Draft[]];
  const startOnNewLine = ([piece, ...rest]: readonly ChunkPiece[]) => [{ ...piece!, before: '\n' }, ...rest];
  const pieces = [...first.pieces, ...others.flatMap((draft) => startOnNewLine(draft.pieces))];
  return { text: joinPieces(pieces), headings: first.headings, pieces };
}

/** Counts the exact tokens of a chunk. Splits it again in the rare case that its joined parts have more tokens than their sum. */
function* splitExactly(chunk: DocumentChunk, budget: TokenBudget): Generator<HybridChunk> {
  const tokens = budget.count(contextualize(chunk));
  if (tokens <= budget.limit) {
    yield { ...chunk, tokens };
    return;
  }
  const parts = halveChunk(chunk, tokens - budget.limit, budget);
  if (parts.length < 2) yield { ...chunk, tokens };
  else for (const part of parts) yield* splitExactly(part, budget);
}

/** Halves the list of pieces; a single piece is split as text that has `excess` tokens less. */
function halveChunk({ pieces, headings, text }: DocumentChunk, excess: number, budget: TokenBudget): DocumentChunk[] {
  if (pieces.length > 1) {
    const middle = pieces.length >> 1;
    return [pieces.slice(0, middle), pieces.slice(middle)].map((some) => ({
      text: joinPieces(some),
      headings,
      pieces: some,
    }));
  }
  const room = budget.count(text) - excess;
  const parts = splitText(text, room, { items: pieces[0]?.items ?? [], count: budget.count });
  return parts.map((part) => ({ text: part.text, headings, pieces: [part] }));
}

function splitText(
  text: string,
  room: number,
  { items, count }: Pick<ChunkPiece, 'items'> & Pick<TokenBudget, 'count'>,
): ChunkPiece[] {
  const parts = splitByTokens(text, room, count);
  const itemsOfParts = splitItems(text, parts, items);
  return parts.map((part, at) => ({ text: part, before: '\n', items: itemsOfParts[at] ?? [] }));
}

import { chunkText } from '../../document/chunk/simple';
import { estimateTokens } from '../llm/tokens';

/**
 * The text, or pieces of it with at most `limit` tokens each as counted by `count`. Each piece repeats the end of the previous
 * one.
 */
export function listPieces(text: string, limit: number, overlapRatio: number, count = estimateTokens): string[] {
  const tokens = count(text);
  if (tokens <= limit) return [text];
  const size = Math.max(2, Math.floor((limit * text.length) / tokens));
  return cut(text, size, overlapRatio).flatMap((piece) =>
    piece === text ? [piece] : listPieces(piece, limit, overlapRatio, count),
  );
}

function cut(text: string, size: number, overlapRatio: number): string[] {
  const chunks = chunkText(text, { chunkSize: size, chunkOverlap: Math.floor(size * overlapRatio) });
  return chunks.map((chunk) => chunk.text);
}

/**
 * The mean of the vectors of a text's pieces, weighted by their tokens and scaled to their average length, so that vectors of
 * models with length 1 keep that length. A single vector is returned unchanged.
 */
export function averageVectors(
  pieces: readonly string[],
  vectors: readonly number[][],
  count: (text: string) => number = estimateTokens,
): number[] {
  const [first] = vectors;
  if (!first || vectors.length === 1) return first ?? [];
  const weights = pieces.map((piece) => count(piece));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = first.map((_, index) =>
    vectors.reduce((sum, vector, piece) => sum + (vector[index] ?? 0) * ((weights[piece] ?? 0) / total), 0),
  );
  const length = computeLength(mean);
  if (length === 0) return first;
  const combinedLength = vectors.reduce(
    (sum, vector, piece) => sum + computeLength(vector) * ((weights[piece] ?? 0) / total),
    0,
  );
  return mean.map((value) => (value * combinedLength) / length);
}

function computeLength(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

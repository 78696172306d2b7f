/**
 * Estimates the tokens of a text for a language or embedding model: a third of its UTF-8 bytes, because vocabularies differ.
 * Tends to overestimate. Linear time.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

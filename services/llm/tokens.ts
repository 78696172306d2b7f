/**
 * About how many tokens a language or embedding model sees, rather too many than too few: a third of the bytes of UTF-8,
 * since vocabularies differ. Takes linear time.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

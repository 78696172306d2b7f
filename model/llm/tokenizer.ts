/** Counts the tokens of a language or embedding model. Synchronous and offline, so that pure code can use it. */
export interface Tokenizer {
  /** The tokenizer actually used; the bundled one if the requested one is not available. */
  name: string;
  /** Maximum number of tokens that the model accepts. */
  maxTokens: number;
  /** Excludes the special tokens that a model adds around a text. Linear time. */
  count(text: string): number;
}

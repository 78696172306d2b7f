/** Counts the tokens of a language or embedding model. Synchronous and without a network, so that pure code can use it. */
export interface Tokenizer {
  /** What really counts; the bundled one where the wanted one is not at hand. */
  name: string;
  /** Most tokens of a text that the model takes. */
  maxTokens: number;
  /** Without the marks that a model puts around a text. Takes time linear in the text. */
  count(text: string): number;
}

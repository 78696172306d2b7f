/** Facts for choosing between one question about the whole document and many about its parts. */
export interface ContractFacts {
  contentChars: number;
  /** Maximum tokens of one answer. */
  outputTokens: number;
  /** Maximum tokens of question and answer together; unlimited if unknown. */
  contextTokens?: number;
  /** False when the options do not allow splitting the document. */
  canChunk: boolean;
}

/** Maximum answer tokens if the limit of the model is unknown. */
export const defaultOutputTokens = 4092;

/** Estimates one token per four characters; at least one. */
export const computeInputTokens = (characters: number): number => Math.max(1, Math.floor(characters / 4));

/** True when a question about the whole document leaves room for an answer in the context. */
export function fitsContext({ contentChars, outputTokens, contextTokens }: Omit<ContractFacts, 'canChunk'>): boolean {
  return contextTokens === undefined || computeInputTokens(contentChars) + outputTokens <= contextTokens;
}

/**
 * Resolves the contract `auto`: `direct` when the document and an answer fit into the context and one answer can hold all
 * facts, which are estimated to be as long as the document; otherwise `dense`.
 */
export function chooseContract(facts: ContractFacts): { contract: 'direct' | 'dense'; reason: string } {
  if (!facts.canChunk) return { contract: 'direct', reason: 'the document may not be cut' };
  if (!fitsContext(facts)) return { contract: 'dense', reason: 'the document and an answer exceed the context' };
  if (facts.contentChars > facts.outputTokens * 4)
    return { contract: 'dense', reason: 'one answer cannot hold all facts of the document' };
  return { contract: 'direct', reason: 'one question is enough' };
}

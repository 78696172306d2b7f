/** What decides between one question about the whole document and many about its parts. */
export interface ContractFacts {
  contentChars: number;
  /** Most tokens of one answer. */
  outputTokens: number;
  /** What question and answer may hold together; unknown means as much as it takes. */
  contextTokens?: number;
  /** False when the options forbid to cut the document. */
  canChunk: boolean;
}

/** Tokens of an answer where nobody says how many the model gives. */
export const defaultOutputTokens = 4092;

/** A token counts as four characters; one at least. */
export const inputTokensOf = (characters: number): number => Math.max(1, Math.floor(characters / 4));

/** True when a question about all of it leaves room for an answer in the model's context. */
export function fitsContext({ contentChars, outputTokens, contextTokens }: Omit<ContractFacts, 'canChunk'>): boolean {
  return contextTokens === undefined || inputTokensOf(contentChars) + outputTokens <= contextTokens;
}

/**
 * The contract that `auto` stands for: `direct` when the document and an answer fit the context and one answer can hold what
 * the document says, which is taken to be as long as the document; else `dense`.
 */
export function chooseContract(facts: ContractFacts): { contract: 'direct' | 'dense'; reason: string } {
  if (!facts.canChunk) return { contract: 'direct', reason: 'the document may not be cut' };
  if (!fitsContext(facts)) return { contract: 'dense', reason: 'the document and an answer exceed the context' };
  if (facts.contentChars > facts.outputTokens * 4)
    return { contract: 'dense', reason: 'one answer cannot hold what the document says' };
  return { contract: 'direct', reason: 'one question is enough' };
}

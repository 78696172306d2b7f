import type { Attributes } from './value';

/** One question to a language model; the answer should be one JSON object of `schema`. */
export interface ModelRequest {
  /** What the schema is called, for servers that want a name. */
  name: string;
  system: string;
  user: string;
  schema: Attributes;
  signal?: AbortSignal;
}

export interface ModelAnswer {
  text: string;
  /** The model stopped at its output limit. */
  isTruncated?: boolean;
}

/** A language model, passed in: the library itself has no network. Waiting and retrying of transport is the model's own. */
export interface LanguageModel {
  /** What a question and its answer may hold together; unknown means as much as it takes. */
  readonly contextTokens?: number;
  /** True when the server enforces the schema; else the question spells it out. */
  readonly hasStructuredOutput?: boolean;
  ask(request: ModelRequest): Promise<ModelAnswer>;
}

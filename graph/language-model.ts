import type { Attributes } from './value';

/** One question to a language model; the answer should be one JSON object of `schema`. */
export interface ModelRequest {
  /** What the schema is called, for servers that want a name. */
  name: string;
  system: string;
  user: string;
  schema: Attributes;
  /** Pictures that the question is about, in their order, for models that see. */
  images?: readonly ModelImage[];
  /** Most tokens of the answer; default: what the model gives. */
  maxTokens?: number;
  signal?: AbortSignal;
}

/** A picture as its file. */
export interface ModelImage {
  /** Such as `image/png`. */
  mediaType: string;
  base64: string;
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
  /** Most tokens of one answer; unknown counts as 4,092. */
  readonly outputTokens?: number;
  /** True when the server enforces the schema; else the question spells it out. */
  readonly hasStructuredOutput?: boolean;
  ask(request: ModelRequest): Promise<ModelAnswer>;
}

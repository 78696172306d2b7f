import type { Attributes } from '../core/value';

/** A request to a language model; the answer should be a JSON object that matches `schema`. */
export interface ModelRequest {
  /** The name of the schema, for servers that require one. */
  name: string;
  system: string;
  user: string;
  schema: Attributes;
  /** Images that the request is about, in order, for vision models. */
  images?: readonly ModelImage[];
  /** Maximum tokens of the answer; default: that of the model. */
  maxTokens?: number;
  signal?: AbortSignal;
}

/** An image file. */
export interface ModelImage {
  /** The media type, such as `image/png`. */
  mediaType: string;
  base64: string;
}

export interface ModelAnswer {
  text: string;
  /** Whether the model stopped at its output limit. */
  isTruncated?: boolean;
}

/** A language model, passed in because the library uses no network. Rate limits and retries are up to the implementation. */
export interface LanguageModel {
  /** Maximum tokens of a request and its answer together; unlimited if unknown. */
  readonly contextTokens?: number;
  /** Maximum tokens of an answer; 4,092 if unknown. */
  readonly outputTokens?: number;
  /** True if the server enforces the schema; otherwise the prompt contains it. */
  readonly hasStructuredOutput?: boolean;
  ask(request: ModelRequest): Promise<ModelAnswer>;
}

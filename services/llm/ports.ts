import type { ModelSettings, ModelUsage } from '../../model/llm/model-host';

/** A request to a language model. */
export interface ChatRequest {
  messages: readonly { role: 'system' | 'user' | 'assistant'; content: string }[];
  /** The answer must be one JSON object or array that matches this JSON Schema. `name` is passed to the host. */
  schema?: { name: string; schema: Record<string, unknown> };
  /** How many times the model may correct an answer that does not match the schema. Default 2. */
  repairs?: number;
  /** With a schema: returns the answer unchecked, for callers that correct answers themselves. */
  isUnchecked?: boolean;
  /** Both override the settings of the model. */
  temperature?: number;
  maxTokens?: number;
  /** Requests a stream and receives each piece. A retry starts again from the beginning. */
  onText?: (piece: string) => void;
}

/** The answer of a language model. */
export interface ChatAnswer {
  text: string;
  /** True when the answer reached its length limit. */
  isTruncated: boolean;
  /** With a schema: the parsed value, which matches it. */
  value?: unknown;
}

/** Models that compare a query with texts. */
export interface Reranking {
  /** The score of each text, in the order of the texts; higher is nearer. Fails as other calls do. */
  rerank(
    request: { query: string; texts: readonly string[] },
    settings: ModelSettings,
    signal: AbortSignal,
    onUsage?: (usage: ModelUsage) => void,
  ): Promise<number[]>;
}

/**
 * Language and embedding models on every type of host. Transport errors are retried. When a host asks to wait for up to a minute,
 * the retry waits; for longer waits the error contains the time. `onUsage` is called for every answered request.
 */
export interface Llm {
  /** Throws MODEL_ANSWER_INVALID when the answer does not match the schema after the last correction. */
  chat(
    request: ChatRequest,
    settings: ModelSettings,
    signal: AbortSignal,
    onUsage?: (usage: ModelUsage) => void,
  ): Promise<ChatAnswer>;
  /** Embeds non-blank texts. `onBatch` is called once per request, in any order; `from` is the index of its first text. */
  embed(
    texts: readonly string[],
    settings: ModelSettings,
    options: {
      signal: AbortSignal;
      dimensions?: number;
      batch?: { maxTexts?: number; maxTokens?: number };
      onBatch: (from: number, vectors: number[][]) => Promise<void> | void;
      onUsage?: ((usage: ModelUsage) => void) | undefined;
    },
  ): Promise<void>;
}

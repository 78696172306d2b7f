import type { ModelSettings, ModelUsage } from '../../model/llm/model-host';

/** One question to a language model. */
export interface ChatRequest {
  messages: readonly { role: 'system' | 'user' | 'assistant'; content: string }[];
  /** The answer is one JSON object or array of this JSON Schema; `name` is what hosts call it. */
  schema?: { name: string; schema: Record<string, unknown> };
  /** How often a model may mend an answer that does not fit the schema. Default 2. */
  repairs?: number;
  /** With a schema: the answer is handed over as it is, for callers that mend answers themselves. */
  isUnchecked?: boolean;
  /** Both count before the settings of the model. */
  temperature?: number;
  maxTokens?: number;
  /** Asks for a stream and hears each piece; of a second attempt again from the start. */
  onText?: (piece: string) => void;
}

/** What a language model said. */
export interface ChatAnswer {
  text: string;
  /** The model stopped at the limit of its answer. */
  isTruncated: boolean;
  /** With a schema: the value, which fits it. */
  value?: unknown;
}

/**
 * Language and embedding models behind every type of host. Failures of transport are tried again, as long as a host asks to
 * wait, up to a minute; beyond it the error carries the wait. `onUsage` hears of every request that was answered.
 */
export interface Llm {
  /** MODEL_ANSWER_INVALID where the answer does not fit the schema after the repairs. */
  chat(
    request: ChatRequest,
    settings: ModelSettings,
    signal: AbortSignal,
    onUsage?: (usage: ModelUsage) => void,
  ): Promise<ChatAnswer>;
  /** Vectors of texts that are not blank, request by request in any order: `from` is the place of the first text. */
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

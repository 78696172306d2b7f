import type { ModelSettings, ModelUsage } from '../model/model-host';
import type { Llm } from './ports';

/** One question of a library that has no network of its own: the answer should be one JSON object of `schema`. */
export interface Question {
  name: string;
  system: string;
  user: string;
  schema: object;
  signal?: AbortSignal;
}

/** A model of the llm service in the form that the graph library asks for; answers are handed over as they are. */
export function languageModelOf(
  llm: Pick<Llm, 'chat'>,
  settings: ModelSettings,
  options: { contextTokens?: number; onUsage?: (usage: ModelUsage) => void } = {},
): {
  contextTokens?: number;
  hasStructuredOutput: true;
  ask(question: Question): Promise<{ text: string; isTruncated: boolean }>;
} {
  return {
    ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }),
    // Where the host knows no schemas, the service spells them out.
    hasStructuredOutput: true,
    async ask({ name, system, user, schema, signal = new AbortController().signal }) {
      const { text, isTruncated } = await llm.chat(
        {
          messages: [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ],
          schema: { name: name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) || 'answer', schema: { ...schema } },
          isUnchecked: true,
        },
        settings,
        signal,
        options.onUsage,
      );
      return { text, isTruncated };
    },
  };
}

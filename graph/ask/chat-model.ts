import type { LanguageModel } from './language-model';

/** A question to a chat service. The answer is JSON for a schema, not validated. */
export interface ChatQuestion {
  messages: { role: 'system' | 'user'; content: string }[];
  schema: { name: string; schema: Record<string, unknown> };
  isUnchecked: true;
}

/**
 * Adapts a chat service to the interface that extraction uses. The service adds the schema to the prompt if its host does not
 * support schemas.
 */
export function chatModel(
  chat: (question: ChatQuestion, signal?: AbortSignal) => Promise<{ text: string; isTruncated: boolean }>,
): LanguageModel {
  return {
    hasStructuredOutput: true,
    async ask({ name, system, user, schema, signal }) {
      const messages: ChatQuestion['messages'] = [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ];
      // Hosts allow only these characters in schema names.
      const form = name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) || 'answer';
      const question = { messages, schema: { name: form, schema: { ...schema } }, isUnchecked: true } as const;
      const { text, isTruncated } = await chat(question, signal);
      return { text, isTruncated };
    },
  };
}

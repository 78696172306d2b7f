import type { LanguageModel } from './language-model';

/** One question to a chat service that answers with JSON of a schema, unchecked. */
export interface ChatQuestion {
  messages: { role: 'system' | 'user'; content: string }[];
  schema: { name: string; schema: Record<string, unknown> };
  isUnchecked: true;
}

/** A chat service in the form that extraction asks for; where its host knows no schemas, the service spells them out. */
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
      // Hosts allow these signs in names of schemas.
      const form = name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) || 'answer';
      const question = { messages, schema: { name: form, schema: { ...schema } }, isUnchecked: true } as const;
      const { text, isTruncated } = await chat(question, signal);
      return { text, isTruncated };
    },
  };
}

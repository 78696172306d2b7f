import type { ChatRequest, Llm } from '../../../services/llm/ports';

/** A model that answers with the result of `answer` for the last message, and records its requests. */
export function writingModel(answer: (text: string) => { text: string; isTruncated?: boolean }) {
  const requests: ChatRequest[] = [];
  const llm: Llm = {
    async chat(request, _settings, _signal, onUsage) {
      requests.push(request);
      onUsage?.({ requests: 1, inputTokens: 10, outputTokens: 2, cost: 0.5, fromCache: 0 });
      return { isTruncated: false, ...answer(request.messages.at(-1)?.content ?? '') };
    },
    embed: () => Promise.reject(new Error('not used')),
  };
  return { asked: requests, llm };
}

/** Six paragraphs of some 400 characters. */
export const paragraphs = Array.from({ length: 6 }, (_, index) => `Part ${index}. ${'word '.repeat(80).trim()}.`).join(
  '\n\n',
);

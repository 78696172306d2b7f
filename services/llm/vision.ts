import { Type } from '@sinclair/typebox';
import type { NetworkRules } from '../../model/network-rules';
import type { VisionAnswer, VisionEndpoint, VisionQuestion } from '../../model/page/vision';
import { createModelEndpoints } from './model-endpoint';
import { checkValue } from './protocol';

const Part = Type.Object({ type: Type.Optional(Type.String()), text: Type.Optional(Type.String()) });
const Chat = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({
        content: Type.Optional(Type.Union([Type.String(), Type.Null(), Type.Array(Part)])),
      }),
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
    { minItems: 1 },
  ),
});

/** Calls vision models. */
export interface Vision {
  /** Throws the error codes of model hosts. Messages never contain API keys. */
  ask(endpoint: VisionEndpoint, question: VisionQuestion, signal: AbortSignal): Promise<VisionAnswer>;
  close(): void;
}

/** Vision models with the OpenAI protocol. */
export function createVision(rules: NetworkRules, maxRetries?: number): Vision {
  const endpoints = createModelEndpoints(rules, maxRetries);
  return {
    async ask(endpoint, question, signal) {
      const body = JSON.stringify({
        ...endpoint.params,
        messages: [{ role: 'user', content: buildContent(question) }],
      });
      const { answer, base } = await endpoints.post(endpoint, { body }, signal);
      return parseAnswer(answer, base);
    },
    close: () => endpoints.close(),
  };
}

function buildContent({ prompt, image }: VisionQuestion): object[] {
  const text = { type: 'text', text: prompt };
  if (!image) return [text];
  const url = `data:${image.mimetype};base64,${Buffer.from(image.bytes).toString('base64')}`;
  return [{ type: 'image_url', image_url: { url } }, text];
}

function parseAnswer(value: unknown, url: URL): VisionAnswer {
  const [choice] = checkValue(Chat, value, url, 'a chat completion').choices;
  const content = choice?.message.content ?? '';
  const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
  return {
    text: text.replace(/<think>[^]*?(?:<\/think>|$)/g, '').trim(),
    isTruncated: choice?.finish_reason === 'length',
  };
}

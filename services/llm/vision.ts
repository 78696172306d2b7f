import { Type } from '@sinclair/typebox';
import type { NetworkRules } from '../../model/network-rules';
import type { VisionAnswer, VisionEndpoint, VisionQuestion } from '../../model/page/vision';
import { HostRefusal, withAttempts } from './attempts';
import { createConnections, getHeaders, getHost, usualRetries, withoutKeys, withoutUser } from './model-endpoint';
import { checkValue, readJson } from './protocol';

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

/**
 * Vision models with the OpenAI protocol. Addresses pass the address guard, except those of the server's own settings. Redirects
 * are not followed. A request to an overloaded host is retried after the time that the host names.
 */
export function createVision(rules: NetworkRules, maxRetries = usualRetries): Vision {
  const connections = createConnections(rules);

  return {
    async ask(endpoint, question, signal) {
      const { fetch } = connections.of(endpoint);
      const host = { ...getHost(endpoint), maxRetries };
      const body = JSON.stringify({ ...endpoint.params, messages: [{ role: 'user', content: getContent(question) }] });
      const headers = getHeaders(endpoint);
      const address = withoutUser(endpoint.url);
      return await withAttempts({
        host,
        purpose: 'chat',
        signal,
        turn: async () => () => undefined,
        async work(ended) {
          const response = await fetch(address, { method: 'POST', headers, body, signal: ended });
          if (response.status === 200) return parseAnswer(await readJson(response, host.base), host.base);
          const text = withoutKeys(await response.text(), endpoint);
          throw new HostRefusal(host.base, response.status, response.headers, text);
        },
      });
    },
    close: () => connections.close(),
  };
}

function getContent({ prompt, image }: VisionQuestion): object[] {
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

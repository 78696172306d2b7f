import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import type { NetworkRules } from '../../model/network-rules';
import { mask } from '../../model/flow/secrets';
import { getModelName, type VisionAnswer, type VisionEndpoint, type VisionQuestion } from '../../model/page/vision';
import { createAddressGuard, getHostAndPort } from '../net/address-guard';
import { createGuardedFetch, type GuardedFetch } from '../net/guarded-fetch';
import { HostRefusal, withAttempts } from './attempts';
import type { ModelHost } from './host';
import { checkValue, readJson } from './protocol';

/** Retries of a request that failed because the host was overloaded or unavailable. */
const usualRetries = 3;
/** When a host asks for a longer wait, the item fails instead. */
const maxWaitMs = 30_000;
const maxAnswerBytes = 16 * 1024 * 1024;

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
  const connections = new Map<string, GuardedFetch>();

  function connectionTo({ url, isConfigured }: VisionEndpoint): GuardedFetch {
    const own = isConfigured && URL.canParse(url) ? getHostAndPort(new URL(url)) : '';
    const known = connections.get(own);
    if (known) return known;
    const guard = createAddressGuard(own === '' ? rules : [own]);
    const made = createGuardedFetch(guard, maxAnswerBytes);
    connections.set(own, made);
    return made;
  }

  return {
    async ask(endpoint, question, signal) {
      const { fetch } = connectionTo(endpoint);
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
    close() {
      for (const connection of connections.values()) connection.close();
      connections.clear();
    },
  };
}

function getContent({ prompt, image }: VisionQuestion): object[] {
  const text = { type: 'text', text: prompt };
  if (!image) return [text];
  const url = `data:${image.mimetype};base64,${Buffer.from(image.bytes).toString('base64')}`;
  return [{ type: 'image_url', image_url: { url } }, text];
}

/** The endpoint as named in messages: the address without user, password and query, any of which may contain a key. */
function getHost(endpoint: VisionEndpoint): ModelHost {
  if (!URL.canParse(endpoint.url) || !/^https?:$/.test(new URL(endpoint.url).protocol))
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      'The address of the model must begin with http:// or https://.',
    );
  const { origin, pathname } = new URL(endpoint.url);
  const hasKey = Object.keys(endpoint.headers).some((name) => /^(?:authorization|.*key)$/i.test(name));
  return {
    type: 'gateway',
    protocol: 'openai',
    base: new URL(origin + pathname),
    isConfigured: endpoint.isConfigured,
    modelId: getModelName(endpoint),
    // Only marks that there is a key. Messages must not contain it.
    ...(hasKey ? { apiKey: mask } : {}),
    timeoutMs: endpoint.timeoutMs,
    maxRetries: usualRetries,
    maxWaitMs,
    maxConcurrent: endpoint.concurrency,
    limits: {},
    prices: { input: 0, output: 0 },
  };
}

/** Headers that belong to the connection or the request body. */
const ownHeaders =
  /^(?:host|connection|content-length|content-type|transfer-encoding|expect|upgrade|te|trailer|accept|keep-alive)$/i;

/** Throws OPERATOR_CONFIGURATION_INVALID with the name, not the value, of a header that cannot be sent. */
function getHeaders({ headers, url }: VisionEndpoint): Headers {
  const sent = new Headers({ accept: 'application/json', 'content-type': 'application/json' });
  const { username, password } = new URL(url);
  if (username !== '') sent.set('authorization', `Basic ${getBasic(username, password)}`);
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.test(name)) continue;
    try {
      sent.set(name, value);
    } catch {
      // The platform's error message contains the value.
      throw new AppError(
        'OPERATOR_CONFIGURATION_INVALID',
        `The header '${name}' of the model has a name or value that cannot be sent.`,
      );
    }
  }
  return sent;
}

function getBasic(username: string, password: string): string {
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
}

/** `fetch` rejects addresses with a user name. */
function withoutUser(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

function withoutKeys(text: string, { headers, url }: VisionEndpoint): string {
  const { username, password, searchParams } = new URL(url);
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^(?:bearer|basic)\s+/i, '')]);
  return [...values, getBasic(username, password), username, password, ...searchParams.values()]
    .filter((value) => value.length >= 4)
    .toSorted((one, other) => other.length - one.length)
    .reduce((clean, value) => clean.replaceAll(value, mask), text);
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

import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { cutExcerpt, HostRefusal } from './attempts';
import { buildEndpoint, type ModelHost } from './host';
import {
  requireOk,
  ChatCall,
  checkValue,
  EmbedCall,
  readJson,
  type ModelProtocol,
  orderVectors,
  postJson,
} from './protocol';
import { createResponseFormat } from './strict-schema';

/** Version date of the vendor's API that the schemas here and in the model catalogue describe. */
export const vendorApiVersion = '2024-05-01';
/** A token is renewed this long before it expires. */
const renewalMarginMs = 60_000;

const count = Type.Optional(Type.Number());
const Chat = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({ content: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
    { minItems: 1 },
  ),
  usage: Type.Optional(Type.Object({ prompt_tokens: count, completion_tokens: count })),
});
const Vectors = Type.Object({
  results: Type.Array(Type.Object({ embedding: Type.Array(Type.Number(), { minItems: 1 }) })),
  input_token_count: count,
});
const Token = Type.Object({ access_token: Type.String({ minLength: 1 }), expires_in: Type.Optional(Type.Number()) });

/**
 * The API of the hosted vendor. Exchanges the API key for a short-lived token at `tokenUrl`. That request has its own `fetch`,
 * because the address comes from the server's settings. A token is cached until shortly before it expires or the vendor rejects
 * it.
 */
export function createHostedProtocol(
  fetch: typeof globalThis.fetch,
  tokens: { url: string; fetch: typeof globalThis.fetch; clock?: () => number },
): ModelProtocol {
  return new HostedProtocol(fetch, tokens);
}

class HostedProtocol implements ModelProtocol {
  private readonly clock;
  private readonly cached = new Map<string, { token: Promise<string>; until: number }>();

  constructor(
    private readonly fetch: typeof globalThis.fetch,
    private readonly tokens: { url: string; fetch: typeof globalThis.fetch; clock?: () => number },
  ) {
    this.clock = tokens.clock ?? (() => performance.now());
  }

  async chat({ host, messages, schema, temperature, maxTokens, signal }: ChatCall) {
    const url = addVersion(buildEndpoint(host, '/ml/v1/text/chat'));
    const body = {
      messages,
      temperature,
      max_tokens: maxTokens,
      ...(schema ? { response_format: createResponseFormat(schema) } : {}),
    };
    const { choices, usage } = checkValue(Chat, await this.ask(host, url, body, signal), url, 'a chat');
    return {
      text: choices[0]?.message.content ?? '',
      isTruncated: choices[0]?.finish_reason === 'length',
      ...(usage?.prompt_tokens === undefined ? {} : { inputTokens: usage.prompt_tokens }),
      ...(usage?.completion_tokens === undefined ? {} : { outputTokens: usage.completion_tokens }),
    };
  }

  async embed({ host, texts, signal }: EmbedCall) {
    const url = addVersion(buildEndpoint(host, '/ml/v1/text/embeddings'));
    const answer = checkValue(Vectors, await this.ask(host, url, { inputs: texts }, signal), url, 'a list of vectors');
    const inputTokens = answer.input_token_count;
    return {
      vectors: orderVectors(answer.results, texts.length, url),
      ...(inputTokens === undefined ? {} : { inputTokens }),
    };
  }

  private async fetchToken(apiKey: string, signal: AbortSignal): Promise<string> {
    const client = this.cached.get(apiKey);
    if (client && client.until > this.clock()) return await client.token;
    const entry = { token: Promise.resolve(''), until: Infinity };
    entry.token = exchangeKey(apiKey, this.tokens, signal).then(
      ({ access_token, expires_in = 3_600 }) => {
        entry.until = this.clock() + expires_in * 1_000 - renewalMarginMs;
        return access_token;
      },
      (error: unknown) => {
        if (this.cached.get(apiKey) === entry) this.cached.delete(apiKey);
        throw error;
      },
    );
    this.cached.set(apiKey, entry);
    return await entry.token;
  }

  private async ask(host: ModelHost, url: URL, body: object, signal: AbortSignal): Promise<unknown> {
    const { id, kind } = host.container ?? { id: '', kind: 'project' };
    const full = { model_id: host.modelId, [`${kind}_id`]: id, ...body };
    const key = host.apiKey ?? '';
    const send = async () => {
      const token = await this.fetchToken(key, signal);
      return await postJson(this.fetch, url, full, { headers: { authorization: `Bearer ${token}` }, signal });
    };
    const response = await send().catch(async (error: unknown) => {
      if (!(error instanceof HostRefusal) || error.status !== 401) throw error;
      // The token may have been revoked early; retry with a fresh one.
      this.cached.delete(key);
      return await send();
    });
    return await readJson(response, url);
  }
}

function addVersion(url: URL): URL {
  url.searchParams.set('version', vendorApiVersion);
  return url;
}

async function exchangeKey(
  apiKey: string,
  { url: address, fetch }: { url: string; fetch: typeof globalThis.fetch },
  signal: AbortSignal,
): Promise<{ access_token: string; expires_in?: number }> {
  const url = new URL(address);
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'urn:ibm:params:oauth:grant-type:apikey',
      apikey: apiKey,
    }).toString(),
    signal,
  });
  // The token service answers 400 for an unknown key.
  if (response.status === 400 || response.status === 401 || response.status === 403) {
    throw new AppError(
      'HOSTEDMODEL_AUTH_FAILED',
      `The token service ${url.origin} refused the api_key (${response.status}): ${cutExcerpt(await response.text(), apiKey)}`,
    );
  }
  return checkValue(Token, await readJson(await requireOk(url, response), url), url, 'an access token');
}

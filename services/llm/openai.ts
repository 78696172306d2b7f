import { Type } from '@sinclair/typebox';
import type OpenAI from 'openai';
import { buildEndpoint, type ModelHost } from './host';
import { requireOk, type ChatCall, type ChatReply, checkValue, type ModelProtocol, orderVectors } from './protocol';
import { createResponseFormat } from './strict-schema';

const count = Type.Optional(Type.Union([Type.Number(), Type.Null()]));
const Chat = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({ content: Type.Union([Type.String(), Type.Null()]) }),
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
    { minItems: 1 },
  ),
  usage: Type.Optional(Type.Union([Type.Object({ prompt_tokens: count, completion_tokens: count }), Type.Null()])),
});
const Vectors = Type.Object({
  data: Type.Array(
    Type.Object({ index: Type.Optional(Type.Integer()), embedding: Type.Array(Type.Number(), { minItems: 1 }) }),
  ),
  usage: Type.Optional(Type.Union([Type.Object({ prompt_tokens: count }), Type.Null()])),
});

/** Servers and gateways with the OpenAI protocol, through the vendor's own library. The library's retries are disabled. */
export function createOpenAiProtocol(fetch: typeof globalThis.fetch): ModelProtocol {
  return {
    async chat(call) {
      const url = buildEndpoint(call.host, '/chat/completions');
      const { completions } = (await createClient(call.host, url, '/chat/completions', fetch)).chat;
      const body = {
        model: call.host.modelId,
        messages: call.messages.map((message) => ({ ...message })),
        temperature: call.temperature,
        max_tokens: call.maxTokens,
        ...(call.schema ? { response_format: createResponseFormat(call.schema) } : {}),
      };
      if (call.onText) {
        const options = { stream: true, stream_options: { include_usage: true } } as const;
        return await collectStream(await completions.create({ ...body, ...options }, { signal: call.signal }), call);
      }
      const reply: unknown = await completions.create(body, { signal: call.signal });
      const answer = checkValue(Chat, parseValue(reply), url, 'a chat completion');
      const [choice] = answer.choices;
      return {
        text: choice?.message.content ?? '',
        isTruncated: choice?.finish_reason === 'length',
        ...buildCounts(answer.usage?.prompt_tokens, answer.usage?.completion_tokens),
      };
    },
    async embed({ host, texts, dimensions, signal }) {
      const url = buildEndpoint(host, '/embeddings');
      const { embeddings } = await createClient(host, url, '/embeddings', fetch);
      const answer: unknown = await embeddings.create(
        {
          model: host.modelId,
          input: [...texts],
          encoding_format: 'float',
          ...(dimensions === undefined ? {} : { dimensions }),
        },
        { signal },
      );
      const { data, usage } = checkValue(Vectors, parseValue(answer), url, 'an embeddings list');
      return { vectors: orderVectors(data, texts.length, url), ...buildCounts(usage?.prompt_tokens) };
    },
  };
}

/** More than three weeks; timers of Node.js take at most 2^31 - 1 ms. */
const longestTimeoutMs = 2_000_000_000;

/**
 * Sets or removes everything that the library would read from the environment. The library takes 11 MB, so that it is loaded by the
 * first call.
 */
async function createClient(host: ModelHost, url: URL, path: string, fetch: typeof globalThis.fetch): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  const base = new URL(url);
  base.pathname = url.pathname.slice(0, -path.length);
  return new Client({
    baseURL: base.href.replace(/\/$/, ''),
    apiKey: host.apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: 'off',
    // The timeout is handled outside, because the library's timeout ends with the headers.
    timeout: longestTimeoutMs,
    defaultHeaders: host.apiKey ? {} : { authorization: null },
    fetch: async (input, init) =>
      await requireOk(url, await fetch(input, { ...init, headers: pickHeaders(host, init) })),
  });
}

/** Hosts named in flows must not learn about this machine, nor receive headers that the environment adds to every request. */
function pickHeaders({ apiKey }: ModelHost, init: RequestInit | undefined): Headers {
  const headers = new Headers(init?.headers);
  const requestHeaders = new Headers();
  for (const name of ['accept', 'content-type', ...(apiKey ? ['authorization'] : [])]) {
    const value = headers.get(name);
    if (value !== null) requestHeaders.set(name, value);
  }
  return requestHeaders;
}

/** The library returns text for a response without a JSON content type, which some servers omit. */
function parseValue(answer: unknown): unknown {
  return typeof answer === 'string' ? (JSON.parse(answer) as unknown) : answer;
}

async function collectStream(
  stream: AsyncIterable<OpenAI.Chat.Completions.ChatCompletionChunk>,
  { noteAlive, onText }: ChatCall,
): Promise<ChatReply> {
  let text = '';
  let isTruncated = false;
  let usage: ChatReply = { text, isTruncated };
  for await (const piece of stream) {
    noteAlive();
    const [choice] = piece.choices ?? [];
    const delta = choice?.delta?.content ?? '';
    text += delta;
    if (delta !== '') onText?.(delta);
    isTruncated ||= choice?.finish_reason === 'length';
    if (piece.usage) usage = { ...usage, ...buildCounts(piece.usage.prompt_tokens, piece.usage.completion_tokens) };
  }
  return { ...usage, text, isTruncated };
}

function buildCounts(input?: number | null, output?: number | null): Pick<ChatReply, 'inputTokens' | 'outputTokens'> {
  return {
    ...(typeof input === 'number' ? { inputTokens: input } : {}),
    ...(typeof output === 'number' ? { outputTokens: output } : {}),
  };
}

import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { buildEndpoint, type ModelHost } from './host';
import {
  type ChatCall,
  type ChatReply,
  checkValue,
  readJson,
  type ModelProtocol,
  orderVectors,
  postJson,
} from './protocol';

const Reply = Type.Object({
  message: Type.Optional(Type.Object({ content: Type.Optional(Type.String()) })),
  done: Type.Optional(Type.Boolean()),
  done_reason: Type.Optional(Type.String()),
  prompt_eval_count: Type.Optional(Type.Number()),
  eval_count: Type.Optional(Type.Number()),
  error: Type.Optional(Type.String()),
});
const Embedded = Type.Object({
  embeddings: Type.Array(Type.Array(Type.Number(), { minItems: 1 })),
  prompt_eval_count: Type.Optional(Type.Number()),
});

/** The local model host's native protocol: `/api/chat` and `/api/embed`. */
export function createNativeProtocol(fetch: typeof globalThis.fetch): ModelProtocol {
  return {
    async chat(call) {
      const url = buildEndpoint(call.host, '/api/chat');
      const body = {
        model: call.host.modelId,
        messages: call.messages,
        stream: call.onText !== undefined,
        options: { temperature: call.temperature, num_predict: call.maxTokens },
        ...(call.schema ? { format: call.schema.schema } : {}),
      };
      const response = await postJson(fetch, url, body, { headers: buildBearer(call.host), signal: call.signal });
      if (call.onText) return await collectStream(response, url, call);
      const reply = checkValue(Reply, await readJson(response, url), url, 'a chat');
      return { text: readContent(reply, url), ...readUsage(reply) };
    },
    async embed({ host, texts, dimensions, signal }) {
      const url = buildEndpoint(host, '/api/embed');
      const body = { model: host.modelId, input: texts, ...(dimensions === undefined ? {} : { dimensions }) };
      const response = await postJson(fetch, url, body, { headers: buildBearer(host), signal });
      const answer = checkValue(Embedded, await readJson(response, url), url, 'a list of vectors');
      const data = answer.embeddings.map((embedding) => ({ embedding }));
      const inputTokens = answer.prompt_eval_count;
      return { vectors: orderVectors(data, texts.length, url), ...(inputTokens === undefined ? {} : { inputTokens }) };
    },
  };
}

function buildBearer({ apiKey }: ModelHost): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

function readContent(reply: Static<typeof Reply>, url: URL): string {
  if (reply.message?.content !== undefined) return reply.message.content;
  throw new AppError(
    'INVALID_RESPONSE',
    `${url.href} answered a chat without a message${reply.error ? `: ${reply.error}` : ''}.`,
  );
}

function readUsage(reply: Static<typeof Reply>): Omit<ChatReply, 'text'> {
  return {
    isTruncated: reply.done_reason === 'length',
    ...(reply.prompt_eval_count === undefined ? {} : { inputTokens: reply.prompt_eval_count }),
    ...(reply.eval_count === undefined ? {} : { outputTokens: reply.eval_count }),
  };
}

/** The stream has one JSON object per line; the last one has `done`. */
async function collectStream(response: Response, url: URL, { noteAlive, onText }: ChatCall): Promise<ChatReply> {
  let text = '';
  let unread = '';
  let end: Omit<ChatReply, 'text'> | undefined;
  const takeLine = (line: string) => {
    if (line.trim() === '') return;
    const reply = checkValue(Reply, JSON.parse(line), url, 'a piece of a chat');
    const piece = reply.error === undefined && reply.done ? (reply.message?.content ?? '') : readContent(reply, url);
    text += piece;
    if (piece !== '') onText?.(piece);
    if (reply.done) end = readUsage(reply);
  };
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    noteAlive();
    const lines = (unread + decoder.decode(bytes, { stream: true })).split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
  }
  takeLine(unread);
  if (end) return { text, ...end };
  throw new AppError('INVALID_RESPONSE', `${url.href} ended its answer before it was done.`);
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as a model server saw it. */
export interface ModelAsk {
  /** `models` lists, `token` is the token exchange of the hosted vendor. */
  purpose: 'chat' | 'embed' | 'models' | 'token';
  protocol: 'openai' | 'native' | 'hosted';
  path: string;
  authorization: string | undefined;
  headers: Record<string, unknown>;
  model: string;
  /** Of a chat. */
  messages: { role: string; content: string }[];
  /** The images of a chat in order, in addition to the texts in the messages. */
  images: { mimetype: string; bytes: Buffer }[];
  /** Of embeddings. */
  texts: string[];
  /** The JSON Schema for the answer of a chat, if the request has one. */
  schema?: Record<string, unknown>;
  isStream: boolean;
  body: Record<string, unknown>;
}

/**
 * How a server misbehaves: closes without an answer, never answers, answers half of its JSON, stops in the middle of a stream,
 * or returns a wrong status or body.
 */
export type Fault =
  | 'drop'
  | 'hang'
  | 'half'
  | 'cut'
  | { status?: number; headers?: Record<string, string>; body: string | Record<string, unknown> };

/** A model server on a free port that speaks the protocols of all types of hosts. Each test sets its answers. */
export interface ModelServer {
  /** Without a path: `http://127.0.0.1:PORT`; `/v1` below it speaks the OpenAI protocol. */
  url: string;
  tokenUrl: string;
  asked: ModelAsk[];
  /** The models that it has; undefined means all. */
  models: string[] | undefined;
  /** The answer of a chat; an object becomes its JSON text. */
  answer: (ask: ModelAsk, nth: number) => string | object | Promise<string | object>;
  /** The vector of a text. */
  vector: (text: string, ask: ModelAsk) => number[];
  /** The fault of a request, if any; `nth` counts all requests from 1. */
  fault: (ask: ModelAsk, nth: number) => Fault | undefined;
  /** Called before each piece of a stream; awaiting it slows the stream down. */
  pace: () => Promise<void>;
  /** The finish reason of chats. */
  finish: 'stop' | 'length';
  /** The number of open requests. */
  open: number;
  /** The highest number of requests that were open at the same time. */
  maxOpen: number;
  /** Forgets requests and scripts. */
  reset(): void;
  stop(): Promise<void>;
}

/** Starts it. By default, chats are answered with `ok`, and vectors contain the counts of 8 classes of characters. */
export async function createModelServer(): Promise<ModelServer> {
  const http = createServer((request, response) => {
    server.maxOpen = Math.max(server.maxOpen, ++server.open);
    response.on('close', () => server.open--);
    respond(server, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: ModelServer = {
    url,
    tokenUrl: `${url}/identity/token`,
    asked: [],
    models: undefined,
    answer: () => 'ok',
    vector: countVector,
    fault: () => undefined,
    pace: () => Promise.resolve(),
    finish: 'stop',
    open: 0,
    maxOpen: 0,
    reset() {
      Object.assign(server, {
        asked: [],
        models: undefined,
        answer: () => 'ok',
        vector: countVector,
        fault: () => undefined,
        pace: () => Promise.resolve(),
        finish: 'stop',
        maxOpen: 0,
      });
    },
    async stop() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

/** Texts with the same words have the same vector, whatever their order. It is never zero. */
export function countVector(text: string): number[] {
  const vector = Array.from({ length: 8 }, () => 0.01);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 0;
    for (const char of word) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
    vector[hash % 8] = (vector[hash % 8] ?? 0) + 1;
  }
  return vector;
}

async function respond(server: ModelServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const ask = await read(request);
  server.asked.push(ask);
  const nth = server.asked.length;
  const fault = server.fault(ask, nth);
  if (fault === 'hang') return;
  if (fault === 'drop') return void request.socket.destroy();
  if (typeof fault === 'object') {
    const said = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body);
    const type = said.startsWith('<') ? 'text/html' : 'application/json';
    response.writeHead(fault.status ?? 200, { 'content-type': type, ...fault.headers });
    return void response.end(said);
  }
  if (ask.purpose !== 'models' && ask.purpose !== 'token' && server.models && !server.models.includes(ask.model)) {
    response.writeHead(404, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ error: { message: `model '${ask.model}' not found` } }));
  }
  const text = ask.purpose === 'chat' ? getText(await server.answer(ask, nth)) : '';
  if (ask.isStream) return await stream(server, ask, { text, isCut: fault === 'cut' }, response);
  const body = JSON.stringify(getBody(server, ask, text));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(fault === 'half' ? body.slice(0, body.length / 2) : body);
}

function getText(answer: string | object): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}

async function read(request: IncomingMessage): Promise<ModelAsk> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  const raw = Buffer.concat(parts).toString();
  const path = new URL(request.url ?? '/', 'http://x').pathname;
  const isJson = request.headers['content-type']?.includes('json') ?? false;
  const body =
    isJson && raw !== '' ? (JSON.parse(raw) as Record<string, unknown>) : Object.fromEntries(new URLSearchParams(raw));
  const format = (body['response_format'] as { json_schema?: { schema?: object } } | undefined)?.json_schema?.schema;
  const schema = (format ?? body['format']) as Record<string, unknown> | undefined;
  const input = body['input'] ?? body['inputs'] ?? [];
  const isEmbed = /\/(embeddings|embed)$/.test(path);
  const isChat = /\/chat(\/completions)?$/.test(path);
  return {
    purpose: isEmbed ? 'embed' : isChat ? 'chat' : path === '/identity/token' ? 'token' : 'models',
    protocol: path.startsWith('/api/') ? 'native' : path.startsWith('/ml/') ? 'hosted' : 'openai',
    path: request.url ?? '',
    authorization: request.headers.authorization,
    headers: request.headers,
    model: (body['model'] ?? body['model_id'] ?? '') as string,
    ...getChat((body['messages'] ?? []) as { role: string; content: string | ContentPart[] }[]),
    texts: (Array.isArray(input) ? input : [input]) as string[],
    ...(schema ? { schema } : {}),
    isStream: isChat && body['stream'] === true,
    body,
  };
}

interface ContentPart {
  type: string;
  text?: string;
  image_url?: { url: string };
}

function getChat(
  sent: readonly { role: string; content: string | ContentPart[] }[],
): Pick<ModelAsk, 'messages' | 'images'> {
  const parts = sent.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return {
    messages: sent.map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''),
    })),
    images: parts.flatMap(({ image_url: image }) => {
      const [, mimetype, data] = /^data:([^;]+);base64,(.*)$/s.exec(image?.url ?? '') ?? [];
      return mimetype && data ? [{ mimetype, bytes: Buffer.from(data, 'base64') }] : [];
    }),
  };
}

const tokensIn = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0);

function getBody(server: ModelServer, ask: ModelAsk, text: string): object {
  const inputTokens = tokensIn(ask.purpose === 'chat' ? ask.messages.map(({ content }) => content) : ask.texts);
  const usage = { prompt_tokens: inputTokens, completion_tokens: tokensIn([text]), total_tokens: 0 };
  const message = { role: 'assistant', content: text };
  if (ask.purpose === 'token') return { access_token: `token-of-${String(ask.body['apikey'])}`, expires_in: 3_600 };
  if (ask.purpose === 'models') {
    const names = server.models ?? [];
    return {
      models: names.map((name) => ({ name, digest: name })),
      data: names.map((id) => ({ id, object: 'model' })),
    };
  }
  if (ask.purpose === 'chat') {
    if (ask.protocol === 'native') {
      const counts = { prompt_eval_count: usage.prompt_tokens, eval_count: usage.completion_tokens };
      return { model: ask.model, message, done: true, done_reason: server.finish, ...counts };
    }
    return {
      id: 'c',
      object: 'chat.completion',
      model: ask.model,
      choices: [{ index: 0, message, finish_reason: server.finish }],
      usage,
    };
  }
  const vectors = ask.texts.map((text) => server.vector(text, ask));
  if (ask.protocol === 'native') return { model: ask.model, embeddings: vectors, prompt_eval_count: inputTokens };
  if (ask.protocol === 'hosted') {
    return {
      model_id: ask.model,
      results: vectors.map((embedding) => ({ embedding })),
      input_token_count: inputTokens,
    };
  }
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  return { object: 'list', model: ask.model, data, usage };
}

/** The answer word by word: server-sent events, or JSON lines in the native protocol. */
async function stream(
  server: ModelServer,
  ask: ModelAsk,
  { text, isCut }: { text: string; isCut: boolean },
  response: ServerResponse,
): Promise<void> {
  const isNative = ask.protocol === 'native';
  response.writeHead(200, { 'content-type': isNative ? 'application/x-ndjson' : 'text/event-stream' });
  const send = (body: object) =>
    response.write(isNative ? `${JSON.stringify(body)}\n` : `data: ${JSON.stringify(body)}\n\n`);
  const pieces = text.match(/\s*\S+\s*/g) ?? [text];
  for (const [index, piece] of pieces.entries()) {
    await server.pace();
    if (isCut && index > 0 && index >= pieces.length / 2) return void response.destroy();
    if (isNative) send({ message: { role: 'assistant', content: piece }, done: false });
    else
      send({
        id: 'c',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: { content: piece }, finish_reason: null }],
      });
  }
  if (isNative)
    send({
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: server.finish,
      prompt_eval_count: 1,
      eval_count: pieces.length,
    });
  else {
    send({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: {}, finish_reason: server.finish }],
    });
    send({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: pieces.length, total_tokens: 0 },
    });
    response.write('data: [DONE]\n\n');
  }
  response.end();
}

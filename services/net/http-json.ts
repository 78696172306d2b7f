import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AddressGuard } from './address-guard';
import { createGuardedAgents } from './guarded-connections';

/** A response. Redirects are returned, not followed. */
export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface JsonGet {
  url: URL;
  headers?: Record<string, string>;
  timeoutMs: number;
  /** Maximum length of the response body; longer responses are rejected. */
  maxBytes: number;
  signal: AbortSignal;
}
export interface JsonPost extends JsonGet {
  body: unknown;
}

/** HTTP requests with JSON over connections checked by an address guard; global `fetch` cannot use one. */
export interface HttpJson {
  /** Rejects with the guard's error, the signal's reason, or the socket's error (`ETIMEDOUT` after `timeoutMs`). */
  post(call: JsonPost): Promise<HttpAnswer>;
  /** Like `post`, but with GET and without a body. */
  get(call: JsonGet): Promise<HttpAnswer>;
  close(): void;
}

/** Creates a client that keeps connections open between calls. */
export function createHttpJson(guard: AddressGuard): HttpJson {
  const agents = createGuardedAgents(guard);
  async function request(call: JsonGet, body?: Buffer): Promise<HttpAnswer> {
    call.signal.throwIfAborted();
    // A reused connection that the server has just closed fails at once. A new connection shows whether the server is reachable.
    return await send(call, body, agents).catch((error: NodeJS.ErrnoException & { reused?: boolean }) => {
      if (!error.reused || error.code !== 'ECONNRESET') throw error;
      return send(call, body, agents);
    });
  }
  return {
    post: (call) => request(call, Buffer.from(JSON.stringify(call.body))),
    get: (call) => request(call),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function send(
  call: JsonGet,
  body: Buffer | undefined,
  agents: { http: HttpAgent; https: HttpsAgent },
): Promise<HttpAnswer> {
  const isSecure = call.url.protocol === 'https:';
  const request = (isSecure ? httpsRequest : httpRequest)(call.url, {
    method: body ? 'POST' : 'GET',
    agent: isSecure ? agents.https : agents.http,
    headers: {
      accept: 'application/json',
      ...call.headers,
      ...(body ? { 'content-type': 'application/json', 'content-length': body.length } : {}),
    },
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      fail(Object.assign(new Error(`no answer within ${call.timeoutMs} ms`), { code: 'ETIMEDOUT' }));
    }, call.timeoutMs);
    const onAbort = () => fail(call.signal.reason as Error);
    call.signal.addEventListener('abort', onAbort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      call.signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error) => {
      settle();
      request.destroy();
      reject(error);
    };
    request.on('error', (error: Error) => fail(Object.assign(error, { reused: request.reusedSocket })));
    request.on('response', (response) => {
      read(response, call.maxBytes).then((text) => {
        settle();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      }, fail);
    });
    request.end(body);
  });
}

async function read(response: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

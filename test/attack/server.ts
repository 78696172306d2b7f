import http from 'node:http';

/** One request of an attack. */
export interface Ask {
  method: string;
  path: string;
  token?: string | undefined;
  /** Sent as JSON, or unchanged if it is bytes or a form. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** The answer; `body` is the parsed JSON if there is any. */
export interface Answer {
  status: number;
  bytes: Uint8Array;
  text: string;
  body: unknown;
}

/** Sends one request. Redirects are not followed. */
export type Send = (ask: Ask) => Promise<Answer>;

const longestMs = 60_000;

/** Sends to the server at this address. */
export function sendTo(url: string): Send {
  return async ({ method, path, token, body, headers }) => {
    const isRaw = body instanceof Uint8Array || body instanceof FormData;
    const type = body === undefined || body instanceof FormData ? undefined : getType(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(type === undefined ? {} : { 'Content-Type': type }),
        ...headers,
      },
      body: body === undefined ? undefined : isRaw ? (body as never) : JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(longestMs),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString('utf8');
    const isJson = /^application\/(?:[\w.-]+\+)?json/.test(response.headers.get('Content-Type') ?? '');
    return { status: response.status, bytes, text, body: isJson ? parsed(text) : text };
  };
}

function getType(body: unknown): string {
  return body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The status of a request with headers that `fetch` does not let through: `Host`, `Upgrade`. */
export async function getStatus(url: string, headers: Record<string, string>): Promise<number> {
  return await new Promise((resolve, reject) => {
    const request = http.get(url, { headers, timeout: longestMs }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
  });
}

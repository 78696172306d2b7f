import { Agent, type IncomingMessage, request } from 'node:http';

/** A response with status 300 or above. */
export class RefusedError extends Error {
  /** What the header Retry-After asks for; undefined without it. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { headers }: IncomingMessage) {
    super(message);
    const seconds = headers['retry-after'];
    this.retryAfterMs = seconds === undefined ? undefined : Number(seconds) * 1_000;
  }
}

/** A caller of one server over keep-alive connections. */
export interface Caller {
  /** Milliseconds until the response is complete; throws for status 300 and above. `token` is for this call only. */
  call(method: 'GET' | 'POST', path: string, body?: unknown, token?: string): Promise<number>;
  close(): void;
}

/** Opens at most `connections`. `token` is sent with each request that does not have its own. */
export function createCaller(
  address: string,
  { token: common, connections }: { token?: string; connections: number },
): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    call: (method, path, body, token = common) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
        const started = performance.now();
        const sent = request(new URL(path, address), { method, agent, headers }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            if ((response.statusCode ?? 500) < 300) return resolve(performance.now() - started);
            const text = Buffer.concat(parts).toString().slice(0, 300);
            return reject(new RefusedError(`${method} ${path}: ${response.statusCode} ${text}`, response));
          });
        });
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
}

/** Calls `work` `times` times with 0, 1, 2, …, `callers` calls at a time. Returns the milliseconds of each call. */
export async function load(
  { times, callers }: { times: number; callers: number },
  work: (turn: number) => Promise<number>,
): Promise<number[]> {
  const taken: number[] = [];
  let next = 0;
  const caller = async () => {
    while (next < times) taken.push(await work(next++));
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return taken;
}

/** The smallest value that is greater than this share of the list. */
export function quantile(list: readonly number[], share: number): number {
  return list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(share * list.length))] ?? Number.NaN;
}

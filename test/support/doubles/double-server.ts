import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a double, with its body. */
export interface DoubleRequest {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
}

/** The answer of a double; an object that is not bytes is sent as JSON. */
export interface DoubleAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: object | string | Uint8Array;
}

/** A server that implements the part of a protocol that tests need. */
export interface DoubleServer {
  origin: string;
  /** All requests so far. */
  asked: DoubleRequest[];
  /** Answers in place of the double; if it returns undefined, the double answers. */
  override(answer: ((request: DoubleRequest) => DoubleAnswer | undefined) | undefined): void;
  stop(): Promise<void>;
}

/** Starts a double on the loopback interface. */
export async function startDouble(
  answer: (request: DoubleRequest) => DoubleAnswer | Promise<DoubleAnswer>,
): Promise<DoubleServer> {
  const asked: DoubleRequest[] = [];
  let instead: ((request: DoubleRequest) => DoubleAnswer | undefined) | undefined;
  const server = createServer((request, response) => {
    readRequest(request, origin)
      .then(async (read) => {
        asked.push(read);
        const { status = 200, headers = {}, body = '' } = instead?.(read) ?? (await answer(read));
        const isText = typeof body === 'string' || body instanceof Uint8Array;
        response.writeHead(status, { ...(isText ? {} : { 'content-type': 'application/json' }), ...headers });
        response.end(isText ? body : JSON.stringify(body));
      })
      .catch((error: Error) => response.writeHead(500).end(error.stack));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    asked,
    override: (given) => void (instead = given),
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function readRequest(request: IncomingMessage, origin: string): Promise<DoubleRequest> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { method = 'GET', url = '/', headers } = request;
  return { method, url: new URL(url, origin), headers, body: Buffer.concat(parts).toString() };
}

/** A page of a list, and where the next one begins; undefined at the end. */
export function cut<T>(all: readonly T[], from: string | null, size: number): { page: T[]; next?: string } {
  const start = Number(from ?? 0);
  const page = all.slice(start, start + size);
  return start + size < all.length ? { page, next: String(start + size) } : { page };
}

/** Remembers the state at each token; the feed of a double returns what has changed since then. */
export interface Feed {
  /** A token for the current state. */
  mark(): string;
  /** Items that are new or changed since the token, and the ids of missing ones; undefined for an unknown token. */
  since(token: string): { changed: object[]; gone: string[] } | undefined;
  /** Forgets all tokens. */
  forget(): void;
}

/** A feed of the changes of these items, by id. */
export function createFeed(list: () => ReadonlyMap<string, object>): Feed {
  const marks = new Map<string, ReadonlyMap<string, string>>();
  let count = 0;
  const texts = () => new Map([...list()].map(([id, item]) => [id, JSON.stringify(item)]));
  return {
    mark() {
      count += 1;
      marks.set(`mark-${count}`, texts());
      return `mark-${count}`;
    },
    since(token) {
      const before = token === 'start' ? new Map<string, string>() : marks.get(token);
      if (!before) return undefined;
      const now = texts();
      return {
        changed: [...list()].flatMap(([id, item]) => (before.get(id) === now.get(id) ? [] : [item])),
        gone: [...before.keys()].filter((id) => !now.has(id)),
      };
    },
    forget: () => marks.clear(),
  };
}

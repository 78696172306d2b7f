import { createServer, type IncomingMessage, request as httpRequest, type RequestListener } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { Context } from 'koa';
import { getTrace } from '../http/middleware/trace';

/** Headers that identify the caller and its address. */
const passedOn = ['x-api-key', 'x-tenant-id', 'host', 'x-forwarded-for', 'x-forwarded-proto'];
const bodiless = new Set([204, 304]);

/** Creates a `fetch` that sends requests as the caller of `context`, with these credentials. */
export type InProcessFetch = (context: Context, authorization: string) => typeof fetch;

/**
 * Hands requests to this api over connections inside the process, with the credentials, address and trace of the request in
 * the context. Requests to any host end here.
 */
export function createInProcessFetch(listener: () => RequestListener): InProcessFetch {
  // It never listens; connections are passed to it.
  const server = createServer((request, response) => listener()(request, response));
  return (context, authorization) => async (input, init) => {
    const request = new Request(input, init);
    const body = Buffer.from(await request.arrayBuffer());
    const [near, far] = duplexPair();
    Object.defineProperty(far, 'remoteAddress', { value: context.req.socket.remoteAddress });
    const { pathname, search } = new URL(request.url);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpRequest(
        {
          method: request.method,
          path: `${pathname}${search}`,
          headers: {
            ...Object.fromEntries(request.headers),
            ...buildHeaders(context),
            authorization,
            'content-length': body.length,
          },
          createConnection: () => near,
          signal: request.signal,
        },
        resolve,
      );
      sent.once('error', reject);
      server.emit('connection', far);
      sent.end(body);
    });
    const status = response.statusCode ?? 500;
    if (bodiless.has(status)) response.resume();
    return new Response(bodiless.has(status) ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>), {
      status,
      headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string]),
    });
  };
}

function buildHeaders(context: Context): Record<string, string> {
  const { headers } = context.req;
  const sent = passedOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
  return { ...Object.fromEntries(sent), 'x-global-transaction-id': getTrace(context), connection: 'close' };
}

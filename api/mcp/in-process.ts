import { createServer, type IncomingMessage, request as httpRequest, type RequestListener } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { Context } from 'koa';
import { getTrace } from '../http/middleware/trace';

/** Headers that identify the caller and its address. */
const forwardedHeaders = ['x-api-key', 'x-tenant-id', 'host', 'x-forwarded-for', 'x-forwarded-proto'];
const bodilessStatuses = new Set([204, 304]);

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
    const [clientEnd, serverEnd] = duplexPair();
    Object.defineProperty(serverEnd, 'remoteAddress', { value: context.req.socket.remoteAddress });
    const { pathname, search } = new URL(request.url);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const clientRequest = httpRequest(
        {
          method: request.method,
          path: `${pathname}${search}`,
          headers: {
            ...Object.fromEntries(request.headers),
            ...buildHeaders(context),
            authorization,
            'content-length': body.length,
          },
          createConnection: () => clientEnd,
          signal: request.signal,
        },
        resolve,
      );
      clientRequest.once('error', reject);
      server.emit('connection', serverEnd);
      clientRequest.end(body);
    });
    const status = response.statusCode ?? 500;
    if (bodilessStatuses.has(status)) response.resume();
    return new Response(
      bodilessStatuses.has(status) ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>),
      {
        status,
        headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string]),
      },
    );
  };
}

function buildHeaders(context: Context): Record<string, string> {
  const { headers } = context.req;
  const headersToSend = forwardedHeaders.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, String(headers[name])]],
  );
  return { ...Object.fromEntries(headersToSend), 'x-global-transaction-id': getTrace(context), connection: 'close' };
}

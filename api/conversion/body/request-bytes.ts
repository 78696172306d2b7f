import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Context } from 'koa';
import { RequestError } from '../http/request-error';

/** How long the rest of a rejected body is read, so that the client receives the response. */
const lingerMs = 10_000;

/** Rejects a body by its announced length before reading, otherwise while reading. Never yields more than `maxBytes`. */
export async function* readRequestBytes(context: Context, maxBytes: number): AsyncGenerator<Buffer> {
  refuseAnnounced(context, maxBytes);
  if (context.get('Expect').toLowerCase() === '100-continue') context.res.writeContinue();
  let count = 0;
  for await (const chunk of unpackBody(context)) {
    count += chunk.length;
    if (count > maxBytes) throw createTooLargeError(maxBytes);
    yield chunk;
  }
}

/** Throws 413 when the announced length exceeds `maxBytes`. */
export function refuseAnnounced(context: Context, maxBytes: number): void {
  if (Number(context.get('Content-Length')) > maxBytes) throw createTooLargeError(maxBytes);
}

/** After a response that was sent before the whole body arrived: discards the rest for a while. */
export function discardRest(context: Context): void {
  const { req } = context;
  const hasBody = req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined;
  if (req.complete || !hasBody) return;
  req.on('error', () => undefined);
  req.resume();
  const timer = setTimeout(() => req.socket.destroy(), lingerMs);
  timer.unref();
  req.once('close', () => clearTimeout(timer));
}

function createTooLargeError(maxBytes: number): RequestError {
  const mb = maxBytes / (1024 * 1024);
  return new RequestError(413, `Payload too large. Maximum size is ${Number.isInteger(mb) ? mb : mb.toFixed(1)} MB.`);
}

// Leaving the loop early must not close the connection, which is still needed for the response.
function unpackBody(context: Context): AsyncIterable<Buffer> {
  const source = { destroyOnReturn: false };
  const encoding = context.get('Content-Encoding').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return context.req.iterator(source) as AsyncIterable<Buffer>;
  const decoder = getDecoder(encoding);
  // `pipeline` would end the request together with the decoder.
  context.req.pipe(decoder);
  context.req.once('error', (error) => decoder.destroy(error));
  context.req.once('aborted', () => decoder.destroy(new Error('the request was aborted')));
  return readDecoded(decoder);
}

async function* readDecoded(decoder: Transform): AsyncGenerator<Buffer> {
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch {
    throw new RequestError(400, 'The body is not what its Content-Encoding says.');
  }
}

function getDecoder(encoding: string): Transform {
  if (encoding === 'gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  throw new RequestError(415, `The Content-Encoding '${encoding}' is not supported; send gzip, deflate, br or none.`);
}

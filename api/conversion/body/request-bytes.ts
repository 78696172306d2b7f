import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Context } from 'koa';
import { RequestError } from '../http/request-error';

/** How long, and how much of, a body that nobody wants is still read, so that its sender gets to see the answer. */
const lingerMs = 10_000;

/** Refuses by the announced length before anything is read, else while it is read: never more than `maxBytes` are passed on. */
export async function* requestBytes(context: Context, maxBytes: number): AsyncGenerator<Buffer> {
  refuseAnnounced(context, maxBytes);
  if (context.get('Expect').toLowerCase() === '100-continue') context.res.writeContinue();
  let count = 0;
  for await (const chunk of unpacked(context)) {
    count += chunk.length;
    if (count > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

/** 413 when the length that the request announces is more than `maxBytes`. */
export function refuseAnnounced(context: Context, maxBytes: number): void {
  if (Number(context.get('Content-Length')) > maxBytes) throw tooLarge(maxBytes);
}

/** After an answer that came before the whole body: what still comes is passed over, for a while. */
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

function tooLarge(maxBytes: number): RequestError {
  const mb = maxBytes / (1024 * 1024);
  return new RequestError(413, `Payload too large. Maximum size is ${Number.isInteger(mb) ? mb : mb.toFixed(1)} MB.`);
}

// Leaving such a loop must not close the connection, on which the answer is still to be sent.
function unpacked(context: Context): AsyncIterable<Buffer> {
  const source = { destroyOnReturn: false };
  const encoding = context.get('Content-Encoding').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return context.req.iterator(source) as AsyncIterable<Buffer>;
  const decoder = decoderOf(encoding);
  // `pipeline` would end the request with the decoder.
  context.req.pipe(decoder);
  context.req.once('error', (error) => decoder.destroy(error));
  context.req.once('aborted', () => decoder.destroy(new Error('the request was aborted')));
  return readable(decoder);
}

async function* readable(decoder: Transform): AsyncGenerator<Buffer> {
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch {
    throw new RequestError(400, 'The body is not what its Content-Encoding says.');
  }
}

function decoderOf(encoding: string): Transform {
  if (encoding === 'gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  throw new RequestError(415, `The Content-Encoding '${encoding}' is not supported; send gzip, deflate, br or none.`);
}

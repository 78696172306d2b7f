import type { Readable } from 'node:stream';
import { AppError } from '../../model/errors';
import type { SourceFilter } from '../../model/source/remote-source';
import type { SourceEntry } from './source';

/** The maximum size of a document if the flow sets no limit. */
export const defaultMaxBytes = 512 * 1024 * 1024;

interface ByteLimit {
  /** The name for the error message. */
  name: string;
  /** The size that the server announces; it is not trusted. */
  announced?: number | undefined;
  maxBytes?: number | undefined;
}

/** Passes the bytes on. Throws SOURCE_TOO_LARGE as soon as their actual or announced number exceeds the limit. */
export async function* limitBytes(
  parts: AsyncIterable<unknown> | Iterable<unknown>,
  { name, announced = 0, maxBytes = defaultMaxBytes }: ByteLimit,
): AsyncGenerator<Uint8Array> {
  let size = announced;
  let read = 0;
  // Leaving the loop closes the connection.
  for await (const part of parts) {
    read += (part as Uint8Array).length;
    size = Math.max(size, read);
    if (size > maxBytes)
      throw new AppError('SOURCE_TOO_LARGE', `'${name}' has ${size} bytes or more; at most ${maxBytes} are read.`);
    yield part as Uint8Array;
  }
}

/** The parts of a stream. It is destroyed, and fails with INVALID_RESPONSE, if none arrives for this time. */
export async function* limitSilence(
  stream: Readable,
  { name, silenceMs }: { name: string; silenceMs: number },
): AsyncGenerator<Uint8Array> {
  const late = new AppError(
    'INVALID_RESPONSE',
    `The server broke off '${name}': nothing arrived for ${silenceMs / 1_000} s.`,
  );
  const timer = setTimeout(() => void stream.destroy(late), silenceMs);
  try {
    for await (const part of stream) {
      timer.refresh();
      yield part as Uint8Array;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The body of a response, like `limitBytes`. */
export function limitResponse(response: Response, { name, maxBytes }: Omit<ByteLimit, 'announced'>) {
  const announced = Number(response.headers.get('content-length') ?? 0);
  return limitBytes(response.body ?? [], { name, announced, maxBytes });
}

/** The failure of a listed document that is larger than the flow allows. */
export function findSizeFailure(
  size: number,
  { maxFileBytes = Infinity }: Pick<SourceFilter, 'maxFileBytes'>,
  noun = 'file',
): Pick<SourceEntry, 'failure'> {
  if (size <= maxFileBytes) return {};
  const message = `The ${noun} has ${size} bytes; max_file_size_mb allows ${maxFileBytes}.`;
  return { failure: { code: 'SOURCE_TOO_LARGE', message } };
}

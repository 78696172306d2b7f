import { AppError } from '../../model/errors';

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

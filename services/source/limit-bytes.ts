import { AppError } from '../../model/errors';

/** What is read of a document when the flow sets no limit. */
export const defaultMostBytes = 512 * 1024 * 1024;

interface ByteLimit {
  /** For the message. */
  name: string;
  /** The size that the server announces; it is not trusted. */
  announced?: number | undefined;
  maxBytes?: number | undefined;
}

/** Passes the bytes on. Throws SOURCE_TOO_LARGE as soon as they are, or are announced to be, more than the limit. */
export async function* limitBytes(
  parts: AsyncIterable<unknown> | Iterable<unknown>,
  { name, announced = 0, maxBytes = defaultMostBytes }: ByteLimit,
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

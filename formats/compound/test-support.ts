import { utils, write } from 'cfb';
import { AppError } from '../../model/errors';
import { convertBytes } from '../convert';

/** Creates a compound file with these streams in its root. */
export function compoundFile(streams: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const container = utils.cfb_new();
  // The library adds its own stream to every container.
  utils.cfb_del(container, '/\u0001Sh33tJ5');
  for (const [name, content] of Object.entries(streams)) utils.cfb_add(container, `/${name}`, content);
  return Uint8Array.from(write(container, { type: 'buffer' }) as Buffer);
}

/** A number with its size in bytes, or raw bytes. */
export type Piece = readonly [size: 1 | 2 | 4, value: number] | Uint8Array;

/** Returns little-endian bytes; `[2, value]` is a number of two bytes. */
export function joinBytes(...pieces: readonly Piece[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => {
      if (piece instanceof Uint8Array) return piece;
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(piece[1] >>> 0);
      return bytes.subarray(0, piece[0]);
    }),
  );
}

/** Creates a record of PowerPoint or of a drawing. `head` holds the version and, from the fifth bit on, the instance. */
export const artRecord = (head: number, type: number, ...data: readonly Piece[]): Buffer => {
  const bytes = joinBytes(...data);
  return joinBytes([2, head], [2, type], [4, bytes.length], bytes);
};

/** Creates the properties of a shape from pairs of number and value. */
export const artProperties = (
  type: number,
  ...values: readonly (readonly [property: number, value: number])[]
): Buffer =>
  artRecord(
    (values.length << 4) | 3,
    type,
    ...values.flatMap(
      ([property, value]) =>
        [
          [2, property],
          [4, value],
        ] as const,
    ),
  );

/** Creates an entry of a picture store: with its picture inside, or with an offset into another stream. */
export const artStoreEntry = (picture: Uint8Array | number): Buffer => {
  const isThere = typeof picture !== 'number';
  const sizes = [
    [4, 0],
    [4, 1],
    [4, isThere ? 0 : picture],
    [4, 0],
  ] as const;
  return artRecord(2, 0xf007, Buffer.alloc(20), ...sizes, ...(isThere ? [picture] : []));
};

/** Inverts every `step`-th byte, one at a time, and returns the errors that are not our own. There should be none. */
export async function failuresOfDamaged(bytes: Uint8Array, name: string, step: number): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (let at = 8; at < bytes.length; at += step) {
    const changed = Uint8Array.from(bytes);
    changed[at]! ^= 0xff;
    await convertBytes({ bytes: changed, name }).catch((error: unknown) => {
      // An offset beyond the data was read without a length check, which would be reported as a file that is too large.
      const isOurs =
        error instanceof AppError && (error.code === 'DOCUMENT_CORRUPT' || !(error.cause instanceof Error));
      if (!isOurs) failures.push({ at, error, cause: (error as Error).cause });
    });
  }
  return failures;
}

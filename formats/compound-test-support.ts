import { utils, write } from 'cfb';

/** A compound file of these streams in its root. */
export function compoundFile(streams: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const container = utils.cfb_new();
  // The library begins every container with a stream of its own.
  utils.cfb_del(container, '/\u0001Sh33tJ5');
  for (const [name, content] of Object.entries(streams)) utils.cfb_add(container, `/${name}`, content);
  return Uint8Array.from(write(container, { type: 'buffer' }) as Buffer);
}

/** A number of so many bytes, or bytes as they are. */
export type Piece = readonly [size: 1 | 2 | 4, value: number] | Uint8Array;

/** Little-endian bytes: `[2, value]` for two bytes, or bytes as they are. */
export function bytesOf(...pieces: readonly Piece[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => {
      if (piece instanceof Uint8Array) return piece;
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(piece[1] >>> 0);
      return bytes.subarray(0, piece[0]);
    }),
  );
}

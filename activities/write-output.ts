import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';

/** What a writer gives: a text, or its bytes in pieces where it may be longer than a text can be. */
export type Written = string | Iterable<Uint8Array>;

/** The bytes of an output in one piece. */
export function bytesOf(written: Written): Uint8Array {
  return typeof written === 'string' ? Buffer.from(written) : Buffer.concat([...written]);
}

/** Writes an output piece by piece, so that it is never whole in memory; makes the folder where there is none. Gives the bytes written. */
export function writeOutput(file: string, written: Written): number {
  mkdirSync(path.dirname(file), { recursive: true });
  const descriptor = openSync(file, 'w');
  let size = 0;
  try {
    for (const piece of typeof written === 'string' ? [Buffer.from(written)] : written) {
      for (let at = 0; at < piece.length;) at += writeSync(descriptor, piece, at);
      size += piece.length;
    }
    return size;
  } finally {
    closeSync(descriptor);
  }
}

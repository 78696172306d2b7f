import { hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';

/** Output of a writer: a string, or bytes in pieces if it may be longer than a string can be. */
export type Written = string | Iterable<Uint8Array>;

/** Returns the bytes of an output in one piece. */
export function collectBytes(written: Written): Uint8Array {
  return typeof written === 'string' ? Buffer.from(written) : Buffer.concat([...written]);
}

/** Returns the path of the unfinished output of this process. If a thread is killed, the caller can remove the file it left. */
export function buildPartPath(file: string): string {
  const name = hash('sha256', path.resolve(file)).slice(0, 16);
  return path.join(path.dirname(file), `.docloom-${process.pid}-${name}.part`);
}

/**
 * Writes an output piece by piece, so that it is never completely in memory, and creates missing folders. The file appears when
 * it is complete; an existing file is kept until then. Returns the number of bytes written.
 */
export function writeOutput(file: string, written: Written): number {
  mkdirSync(path.dirname(file), { recursive: true });
  const part = buildPartPath(file);
  try {
    const size = writePieces(part, written);
    renameSync(part, file);
    return size;
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

function writePieces(file: string, written: Written): number {
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

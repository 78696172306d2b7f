import { createHash } from 'node:crypto';
import type { Source } from './source';

/** The bytes of a document as they arrive. */
type ReadParts = (file: string, config: Record<string, unknown>, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/** `read` and `hash` of a source that streams its documents; `hash` holds one part at a time. */
export function readWhole(readParts: ReadParts): Pick<Source, 'read' | 'hash'> {
  return {
    async read(file, config, signal) {
      const parts: Uint8Array[] = [];
      for await (const part of readParts(file, config, signal)) parts.push(part);
      return Buffer.concat(parts);
    },
    async hash(file, config, signal) {
      const hash = createHash('sha256');
      for await (const part of readParts(file, config, signal)) hash.update(part);
      return hash.digest('hex');
    },
  };
}

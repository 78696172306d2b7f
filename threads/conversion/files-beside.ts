import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ReadRelated } from '../../formats/format';

/** Larger related files are not read. */
const maxBytes = 64 * 1024 * 1024;

/** Reads files below the folder of a document. Links that lead out of the folder are treated as missing. */
export function createRelatedReader(folder: string): ReadRelated {
  const root = realpathSync(folder);
  return (name) => {
    try {
      const file = realpathSync(path.resolve(root, name));
      const isInside = file.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
      const facts = isInside ? statSync(file) : undefined;
      return facts?.isFile() && facts.size <= maxBytes ? new Uint8Array(readFileSync(file)) : undefined;
    } catch {
      // A missing file is a normal result, not an error.
      return undefined;
    }
  };
}

import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ReadRelated } from '../../formats/format';

/** Larger files beside a document are not read. */
const maxBytes = 64 * 1024 * 1024;

/** Reads files below a folder for a document that stands in it. Links that lead out of the folder are as good as absent. */
export function filesBeside(folder: string): ReadRelated {
  const root = realpathSync(folder);
  return (name) => {
    try {
      const file = realpathSync(path.resolve(root, name));
      const isInside = file.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
      const facts = isInside ? statSync(file) : undefined;
      return facts?.isFile() && facts.size <= maxBytes ? new Uint8Array(readFileSync(file)) : undefined;
    } catch {
      // A name that leads nowhere is an answer, not an error.
      return undefined;
    }
  };
}

import { api } from '../api';
import { hashFile } from '../hash';
import { texts } from '../texts';
import { toAllowedName } from './allowed-name';

/** A file that was chosen for upload. */
export interface Chosen {
  file: File;
  /** The name under which it is kept. */
  name: string;
  /** Number of uploaded bytes; undefined before the upload. */
  sent?: number;
  /** Why it cannot be uploaded. */
  problem?: string;
}

/** Number of files uploaded in parallel. */
const together = 3;

/** The given files that are not chosen yet. Empty ones have a problem from the start. */
export function chooseFiles(chosen: readonly Chosen[], added: readonly File[]): Chosen[] {
  const names = new Set(chosen.map(({ name }) => name));
  return added.flatMap((file) => {
    const name = toAllowedName(file.name);
    if (names.has(name)) return [];
    names.add(name);
    return [{ file, name, ...(file.size === 0 ? { problem: texts.add.emptyFile } : {}) }];
  });
}

/** The files without a problem. */
export function getUsable(files: readonly Chosen[]): Chosen[] {
  return files.filter(({ problem }) => problem === undefined);
}

/** Uploads the files, several at a time, without those already uploaded. Returns how many were refused. */
export async function sendAll(
  libraryId: string,
  files: readonly Chosen[],
  note: (file: File, change: Partial<Chosen>) => void,
): Promise<number> {
  const waiting = files.filter(({ file, sent }) => sent !== file.size);
  let refused = 0;
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { file, name } = next;
      note(file, { sent: 0 });
      try {
        const upload = { name, content: file, sha256: await hashFile(file) };
        await api.documentLibraries.upload(libraryId, upload, { onProgress: (sent) => note(file, { sent }) });
        note(file, { sent: file.size });
      } catch (error) {
        refused += 1;
        note(file, { sent: undefined, problem: error instanceof Error ? error.message : String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return refused;
}

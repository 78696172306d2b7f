import { api } from '../api';
import { hashFile } from '../hash';
import { texts } from '../texts';
import { toAllowedName } from './allowed-name';

/** A file that was chosen for upload. */
export interface Chosen {
  file: File;
  /** The name under which the library stores it. */
  name: string;
  /** Number of uploaded bytes; undefined before the upload. */
  sent?: number;
  /** Why it cannot be uploaded. */
  problem?: string;
}

/** Number of files uploaded in parallel. */
const maxUploads = 3;

/** The added files whose names are not chosen yet. Empty files have a problem from the start. */
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
export function listUsable(files: readonly Chosen[]): Chosen[] {
  return files.filter(({ problem }) => problem === undefined);
}

/** Uploads the files that are not uploaded yet, several at a time. Returns how many were refused. */
export async function uploadFiles(
  libraryId: string,
  files: readonly Chosen[],
  onChange: (file: File, change: Partial<Chosen>) => void,
): Promise<number> {
  const waiting = files.filter(({ file, sent }) => sent !== file.size);
  let refused = 0;
  const uploadNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { file, name } = next;
      onChange(file, { sent: 0 });
      try {
        const upload = { name, content: file, sha256: await hashFile(file) };
        await api.documentLibraries.upload(libraryId, upload, { onProgress: (sent) => onChange(file, { sent }) });
        onChange(file, { sent: file.size });
      } catch (error) {
        refused += 1;
        onChange(file, { sent: undefined, problem: error instanceof Error ? error.message : String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: maxUploads }, uploadNext));
  return refused;
}

import { api } from '../api';
import { describeError } from '../describe-error';
import { hashFile } from '../hash';
import { texts } from '../texts';
import { toAllowedName } from './allowed-name';
import { persist } from './persist';

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

/** What a list of chosen files shows while they are uploaded. */
interface UploadObserver {
  onChange: (file: File, change: Partial<Chosen>) => void;
  /** Called with the reason when the server cannot take files for now, and with nothing when it can again. */
  onWait: (reason?: string) => void;
}

/** Number of files uploaded in parallel. */
const maxUploads = 3;
/** Between two attempts to reach a server that does not answer. */
const pauseMs = 2_000;

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

/**
 * Uploads the files that are not uploaded yet, several at a time. While the server does not answer or is busy it
 * waits, so that no file is lost. The browser asks before it leaves the page meanwhile. Returns how many files were refused
 * or given up.
 */
export async function uploadFiles(
  libraryId: string,
  files: readonly Chosen[],
  observer: UploadObserver,
): Promise<number> {
  const waiting = files.filter(({ file, sent }) => sent !== file.size);
  let refused = 0;
  const uploadNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      if (!(await uploadOne(libraryId, next, observer))) refused += 1;
  };
  window.addEventListener('beforeunload', askBeforeLeaving);
  try {
    await Promise.all(Array.from({ length: maxUploads }, uploadNext));
  } finally {
    window.removeEventListener('beforeunload', askBeforeLeaving);
  }
  return refused;
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Returns false if the file was refused, was given up or cannot be read. */
async function uploadOne(libraryId: string, { file, name }: Chosen, observer: UploadObserver): Promise<boolean> {
  const { onChange, onWait } = observer;
  const send = async () => {
    onChange(file, { sent: 0 });
    // Computed again after a wait: a file that changed meanwhile cannot be read any more, and must not be waited for.
    const upload = { name, content: file, sha256: await hashFile(file) };
    await api.documentLibraries.upload(libraryId, upload, { onProgress: (sent) => onChange(file, { sent }) });
    onChange(file, { sent: file.size });
  };
  try {
    await persist(send, {
      askServer: () => api.documentLibraries.get(libraryId),
      onWait: (error) => onWait(error === undefined ? undefined : describeError(error)),
      pauseMs,
    });
    return true;
  } catch (error) {
    onChange(file, { sent: undefined, problem: describeError(error) });
    return false;
  }
}

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../model/errors';
import { ignoreAbsent } from '../storage/absent-file';

/** Stores records as JSON files in one folder, `<id>.json`. File system errors become FLOW_STORAGE_ERROR. */
export interface JsonFolder {
  /** Indents by two spaces and ends with a newline, for readable diffs in version control. */
  write(id: string, value: unknown): Promise<void>;
  /** Undefined when the file does not exist. Throws JSON's error when it is malformed. */
  read(id: string): Promise<unknown>;
  remove(id: string): Promise<void>;
  /** Sorted. */
  listIds(): Promise<string[]>;
  /** Writes and removes a test file, to detect a full or read-only folder before anything else is changed. */
  probe(): Promise<void>;
}

/**
 * Creates the folder with the first write. Writes files under a temporary name and renames them, so that nobody reads a partial
 * file.
 */
export function createJsonFolder(folder: string): JsonFolder {
  const getFile = (id: string) => path.join(folder, `${path.basename(id)}.json`);
  /** Writes a file and moves or removes it with `finish`. If either fails, the file is removed. */
  const writeTemporary = async (text: string, finish: (file: string) => Promise<void>) => {
    const file = path.join(folder, `.${randomUUID()}.tmp`);
    await mkdir(folder, { recursive: true });
    try {
      await writeFile(file, text);
      await finish(file);
    } catch (error) {
      // What failed first is reported.
      await rm(file, { force: true }).catch(() => undefined);
      throw error;
    }
  };
  return {
    write: (id, value) =>
      guard(folder, () =>
        writeTemporary(`${JSON.stringify(value, undefined, 2)}\n`, (file) => rename(file, getFile(id))),
      ),
    read: async (id) => {
      const text = await guard(folder, () => ignoreAbsent(readFile(getFile(id), 'utf8')));
      return text === undefined ? undefined : (JSON.parse(text) as unknown);
    },
    remove: (id) => guard(folder, () => rm(getFile(id), { force: true })),
    listIds: () =>
      guard(folder, async () => {
        const names = (await ignoreAbsent(readdir(folder))) ?? [];
        return names
          .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
          .map((name) => name.slice(0, -'.json'.length))
          .toSorted((value, other) => (value < other ? -1 : 1));
      }),
    probe: () => guard(folder, () => writeTemporary('', (file) => rm(file))),
  };
}

async function guard<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new AppError('FLOW_STORAGE_ERROR', `The folder '${folder}' cannot be used: ${message}.`, {}, error);
  }
}

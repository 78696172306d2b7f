import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** A temporary folder that a server of a fixture serves. */
export interface ServedFolder {
  root: string;
  put: (key: string, text: string) => Promise<void>;
  remove: (key: string) => Promise<void>;
  putAccess: (folder: string, list: object | string) => Promise<void>;
  close: () => Promise<void>;
}

export async function serveFolder(): Promise<ServedFolder> {
  const root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'docloom-source-')));
  const put = async (key: string, text: string) => {
    const file = path.join(root, key);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  return {
    root,
    put,
    remove: (key) => rm(path.join(root, key)),
    putAccess: (folder, list) =>
      put(path.join(folder, '.acl.json'), typeof list === 'string' ? list : JSON.stringify(list)),
    close: () => rm(root, { recursive: true, force: true }),
  };
}

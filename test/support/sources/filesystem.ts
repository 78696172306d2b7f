import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createSources } from '../../../services/source/sources';
import type { SourceFixture } from './fixture';

/** A temporary folder as a source. */
export async function filesystemFixture(): Promise<SourceFixture> {
  const root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'docloom-source-')));
  const put = async (key: string, text: string) => {
    const file = path.join(root, key);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  return {
    provider: 'filesystem',
    sources: createSources({ roots: [root] }),
    config: { connection_params: { paths: [root] } },
    put,
    remove: (key) => rm(path.join(root, key)),
    keyOf: ({ relativePath }) => relativePath,
    putAccess: (folder, list) =>
      put(path.join(folder, '.acl.json'), typeof list === 'string' ? list : JSON.stringify(list)),
    missing: { connection_params: { paths: [path.join(root, 'none')] } },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

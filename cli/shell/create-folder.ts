import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Creates a folder with those above it, level by level: below /proc, the recursive mode of Node never returns. */
export async function createFolder(folder: string): Promise<void> {
  const absolute = path.resolve(folder);
  const stats = await stat(absolute).catch(() => undefined);
  if (stats?.isDirectory()) return;
  const parent = path.dirname(absolute);
  if (!stats && parent !== absolute) await createFolder(parent);
  await mkdir(absolute).catch(async (error: unknown) => {
    // Another command may have created it since.
    if (!(await stat(absolute).catch(() => undefined))?.isDirectory()) throw error;
  });
}

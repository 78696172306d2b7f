import { constants, copyFileSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Content, isWrittenOnce, listContents } from './contents';
import { runWhileFrozen } from './freeze';

const stagingPrefix = '.backup-';

/** The files of a data folder as they were at one moment. */
export interface Snapshot {
  contents: Content[];
  /** The folder of the files. */
  root: string;
  /** How long the processes were frozen; 0 if none was running. */
  frozenMs: number;
  remove(): void;
}

/**
 * Copies the state of the data folder of a running stack at one moment, into a folder inside it. Files that are written once
 * become hard links, most of them before the processes are frozen; only the others are copied while they are frozen.
 */
export async function takeSnapshot(dataDir: string, running: readonly string[]): Promise<Snapshot> {
  const root = path.join(dataDir, `${stagingPrefix}${process.pid}`);
  const remove = () => rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { mode: 0o700 });
  try {
    const linked = new Map<string, number>();
    const link = (content: Content) => {
      copyContent(dataDir, root, content);
      linked.set(content.name, content.inode);
    };
    for (const content of listContents(dataDir)) if (isWrittenOnce(content.name)) link(content);
    const { result: contents, frozenMs } = await runWhileFrozen(dataDir, running, () => {
      const contents = listContents(dataDir);
      for (const content of contents) {
        if (content.type === 'file' && linked.get(content.name) !== content.inode) copyContent(dataDir, root, content);
      }
      return contents;
    });
    return { contents, root, frozenMs, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Removes leftovers of interrupted backups from the data folder, or those with the prefix. No other backup may be running. */
export function removeStaging(dataDir: string, prefix = stagingPrefix): void {
  for (const name of readdirSync(dataDir).filter((value) => value.startsWith(prefix)))
    rmSync(path.join(dataDir, name), { recursive: true, force: true });
}

/** The data folder itself as a snapshot, for when nothing runs in it. */
export function openStoppedSnapshot(dataDir: string): Snapshot {
  return { contents: listContents(dataDir), root: dataDir, frozenMs: 0, remove: () => undefined };
}

function copyContent(dataDir: string, root: string, { name, type }: Content): void {
  if (type === 'directory') return;
  const from = path.join(dataDir, name);
  const to = path.join(root, name);
  mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
  try {
    if (isWrittenOnce(name) && tryLink(from, to)) return;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    // Removed since it was listed: the files of the snapshot are listed again while nothing changes.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || statSync(from, { throwIfNoEntry: false })) throw error;
  }
}

function tryLink(from: string, to: string): boolean {
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another disk, another owner, or a file system without links.
    if (code === 'EXDEV' || code === 'EPERM' || code === 'ENOTSUP' || code === 'EMLINK') return false;
    throw error;
  }
}

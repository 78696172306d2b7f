import { read as readContainer } from 'cfb';
import { AppError } from '../../model/errors';
import type { LeaveOut } from '../coverage';

/** The streams in the root of a compound file (MS-CFB), by name; what lies in folders below is embedded and left out. */
export interface CompoundFile {
  /** Undefined when there is none of this name; case does not matter, as in the format (MS-CFB 2.6.4). */
  stream(name: string): Buffer | undefined;
  /** Tells of embedded objects and macros, which lie in folders of their own. */
  reportFolders(leaveOut: LeaveOut | undefined): void;
}

/** Opens a compound file. Throws DOCUMENT_CORRUPT when its sectors do not fit together. */
export function openCompound(bytes: Uint8Array, name: string): CompoundFile {
  const streams = new Map<string, Buffer>();
  const folders = new Set<string>();
  try {
    const { FileIndex: entries, FullPaths: paths } = readContainer(Buffer.from(bytes), { type: 'buffer' });
    for (const [index, entry] of entries.entries()) {
      const [, folder] = /^[^/]*\/(?:ObjectPool\/)?([^/]+)\//i.exec(paths[index] ?? '') ?? [];
      if (folder !== undefined) folders.add(folder);
      const isInRoot = /^[^/]*\/[^/]+$/.test(paths[index] ?? '');
      if (entry.type === 2 && isInRoot)
        streams.set(entry.name.toLowerCase(), Buffer.from((entry.content as Uint8Array | undefined) ?? []));
    }
  } catch (error) {
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' is a compound file whose parts do not fit together.`, {}, error);
  }
  return {
    stream: (wanted) => streams.get(wanted.toLowerCase()),
    reportFolders(leaveOut) {
      for (const folder of folders) {
        if (/^(?:Macros|_VBA_PROJECT_CUR)$/i.test(folder)) leaveOut?.('macro');
        else if (/^(?:_\d+|MBD[\dA-F]+)$/i.test(folder)) leaveOut?.('embedded object');
      }
    },
  };
}

import { hash } from 'node:crypto';
import type { PageRange, PageStore } from '../../services/conversion/page/kept-pages';
import type { FilesStore } from '../../services/storage/files';

/** The pages that attempts to convert a document have read. */
export interface DocumentPages extends PageStore {
  /** True if this attempt knows of stored pages, its own or those of earlier attempts. */
  isUsed(): boolean;
  remove(): Promise<void>;
}

/**
 * Stores ranges of pages of a document in the files store, below the prefix. Calls `onContinue` with the number of pages that
 * earlier attempts have stored, if there are any.
 */
export function createDocumentPages(
  files: Pick<FilesStore, 'list' | 'get' | 'put' | 'removePrefix'>,
  prefix: string,
  onContinue: (pages: number) => void = () => undefined,
): DocumentPages {
  let isUsed = false;
  return {
    async read() {
      const ranges: PageRange[] = [];
      for await (const key of files.list(prefix)) {
        // Keys end in `FROM-TO`.
        const [, from, to] = /(\d+)-(\d+)$/.exec(key) ?? [];
        if (from && to) ranges.push({ from: Number(from), to: Number(to), bytes: await files.get(key) });
      }
      if (ranges.length === 0) return ranges;
      isUsed = true;
      onContinue(ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0));
      return ranges;
    },
    async write({ from, to, bytes }) {
      isUsed = true;
      await files.put(`${prefix}${from}-${to}`, bytes);
    },
    isUsed: () => isUsed,
    remove: () => files.removePrefix(prefix),
  };
}

/**
 * The prefix for the pages of a document of a run. It is next to the run's tables and is deleted with them. No operator stores tables
 * under a name with a leading dot.
 */
export function buildRunPagesPrefix({ runId }: { runId: string }, operator: string, documentId: string): string {
  const name = hash('sha256', JSON.stringify([operator, documentId]));
  return `run/${runId}/.pages/${name.slice(0, 32)}/`;
}

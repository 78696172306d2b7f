import type { DocumentOutcome } from '../../model/conversion/task/work';
import type { PageCount } from '../../model/page/page-count';
import type { DoneCounts } from '../../services/conversion/record';
import type { ConversionStore } from '../../services/conversion/store';

/** Keeps the counts of running tasks roughly up to date without a write per document or page. */
export interface TaskProgress {
  /** Records that this process finished a document of the task. Returns at once. */
  note(taskId: string, outcome: DocumentOutcome): void;
  /** Records how many pages of a document are done; `undefined` once reading has ended. Returns at once. */
  notePages(taskId: string, index: number, pages: PageCount | undefined): void;
  forget(taskId: string): void;
}

interface Counted {
  done: Map<number, DocumentOutcome['status']>;
  /** Documents whose pages are stored. */
  reading: Set<number>;
  /** Pages that are not stored yet. */
  pages: Map<number, PageCount | undefined>;
  timer?: NodeJS.Timeout;
  pagesTimer?: NodeJS.Timeout;
}

const countsIntervalMs = 250;
const defaultPageIntervalMs = 1_000;
/** Tasks that one process keeps counts of; the oldest is forgotten first. */
const maxTasks = 1_000;

type Store = Pick<ConversionStore, 'noteProgress' | 'noteReading'>;

/**
 * Writes the counts of documents at most four times per second and task, and those of pages once per second. The workflow of the
 * task writes the final count.
 */
export function createTaskProgress(
  store: Store,
  process: string,
  pageIntervalMs = defaultPageIntervalMs,
): TaskProgress {
  const tasks = new Map<string, Counted>();
  const open = (taskId: string): Counted => {
    const task: Counted = tasks.get(taskId) ?? { done: new Map(), reading: new Set(), pages: new Map() };
    tasks.set(taskId, task);
    if (tasks.size > maxTasks) tasks.delete(tasks.keys().next().value ?? '');
    return task;
  };
  return {
    note(taskId, { index, status }) {
      const task = open(taskId);
      task.done.set(index, status);
      task.timer ??= setTimeout(() => {
        task.timer = undefined;
        // Progress is best effort: there is none while the database is unavailable.
        store.noteProgress(taskId, process, buildCounts([...task.done.values()])).catch(() => undefined);
      }, countsIntervalMs).unref();
    },
    notePages(taskId, index, pages) {
      // Most documents have been read before their pages are reported.
      if (!pages && !tasks.get(taskId)?.reading.has(index)) return;
      const task = open(taskId);
      if (pages) task.reading.add(index);
      else task.reading.delete(index);
      task.pages.set(index, pages);
      task.pagesTimer ??= setTimeout(() => {
        task.pagesTimer = undefined;
        const changed = new Map(task.pages);
        task.pages.clear();
        store.noteReading(taskId, changed).catch(() => undefined);
      }, pageIntervalMs).unref();
    },
    forget(taskId) {
      clearTimeout(tasks.get(taskId)?.timer);
      clearTimeout(tasks.get(taskId)?.pagesTimer);
      tasks.delete(taskId);
    },
  };
}

function buildCounts(statuses: readonly DocumentOutcome['status'][]): DoneCounts {
  const count = (...counted: DocumentOutcome['status'][]) =>
    statuses.filter((status) => counted.includes(status)).length;
  return { succeeded: count('success'), partial: count('partial_success'), failed: count('failure', 'skipped') };
}

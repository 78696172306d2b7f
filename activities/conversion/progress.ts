import type { DocumentOutcome } from '../../model/conversion/task/work';
import type { DoneCounts } from '../../services/conversion/record';
import type { ConversionStore } from '../../services/conversion/store';

/** Keeps the counts of running tasks roughly up to date without a write per document. */
export interface TaskProgress {
  /** Records that this process finished a document of the task. Returns at once. */
  note(taskId: string, outcome: DocumentOutcome): void;
  forget(taskId: string): void;
}

interface Counted {
  done: Map<number, DocumentOutcome['status']>;
  timer?: NodeJS.Timeout;
}

const everyMs = 250;
const remembered = 1_000;

/** Writes at most four times per second and task. The workflow of the task writes the final count. */
export function createTaskProgress(store: Pick<ConversionStore, 'noteProgress'>, process: string): TaskProgress {
  const tasks = new Map<string, Counted>();
  return {
    note(taskId, { index, status }) {
      const task: Counted = tasks.get(taskId) ?? { done: new Map() };
      tasks.set(taskId, task);
      if (tasks.size > remembered) tasks.delete(tasks.keys().next().value ?? '');
      task.done.set(index, status);
      task.timer ??= setTimeout(() => {
        task.timer = undefined;
        // Progress is best effort: there is none while the database is unavailable.
        store.noteProgress(taskId, process, getCounts([...task.done.values()])).catch(() => undefined);
      }, everyMs).unref();
    },
    forget(taskId) {
      clearTimeout(tasks.get(taskId)?.timer);
      tasks.delete(taskId);
    },
  };
}

function getCounts(statuses: readonly DocumentOutcome['status'][]): DoneCounts {
  const count = (...wanted: DocumentOutcome['status'][]) => statuses.filter((status) => wanted.includes(status)).length;
  return { succeeded: count('success'), partial: count('partial_success'), failed: count('failure', 'skipped') };
}

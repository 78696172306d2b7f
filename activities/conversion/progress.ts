import type { DocumentOutcome } from '../../model/conversion/task/work';
import type { DoneCounts } from '../../services/conversion/record';
import type { ConversionStore } from '../../services/conversion/store';

/** Keeps the counts of running tasks near the truth without a write for every document. */
export interface TaskProgress {
  /** This process has done a document of the task. Returns at once. */
  note(taskId: string, outcome: DocumentOutcome): void;
  forget(taskId: string): void;
}

interface Counted {
  done: Map<number, DocumentOutcome['status']>;
  timer?: NodeJS.Timeout;
}

const everyMs = 250;
const remembered = 1_000;

/** Writes at most four times a second and task. The last count of a task is its workflow's. */
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
        // Progress is a courtesy: while the database is away there is none.
        store.noteProgress(taskId, process, countsOf([...task.done.values()])).catch(() => undefined);
      }, everyMs).unref();
    },
    forget(taskId) {
      clearTimeout(tasks.get(taskId)?.timer);
      tasks.delete(taskId);
    },
  };
}

function countsOf(statuses: readonly DocumentOutcome['status'][]): DoneCounts {
  const count = (...wanted: DocumentOutcome['status'][]) => statuses.filter((status) => wanted.includes(status)).length;
  return { succeeded: count('success'), partial: count('partial_success'), failed: count('failure', 'skipped') };
}

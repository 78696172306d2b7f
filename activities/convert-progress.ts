import type { TaskEvents } from '../services/conversion-events';
import type { ConversionStore } from '../services/conversion-store';

/** Keeps the counts of running tasks near the truth without a write for every document. */
export interface TaskProgress {
  /** A document of the task is done. Returns at once. */
  note(taskId: string, tenant: string): void;
}

const everyMs = 250;

/** Counts at most four times a second and task. The last count of a task is its workflow's. */
export function createTaskProgress({
  store,
  events,
}: {
  store: Pick<ConversionStore, 'countDone'>;
  events: Pick<TaskEvents, 'publish'>;
}): TaskProgress {
  const due = new Map<string, NodeJS.Timeout>();
  return {
    note(taskId, tenant) {
      if (due.has(taskId)) return;
      const count = async () => {
        due.delete(taskId);
        await store.countDone(taskId);
        events.publish({ task: taskId, tenant, kind: 'progress' });
      };
      // Progress is a courtesy: while the database is away there is none.
      due.set(taskId, setTimeout(() => void count().catch(() => undefined), everyMs).unref());
    },
  };
}

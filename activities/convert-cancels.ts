import { AppError } from '../model/errors';
import type { TaskEvents } from '../services/conversion-events';
import { cancelledMessage } from '../services/conversion-tasks';

/** Ends the work of cancelled tasks in this process at once; a workflow would notice only after its documents. */
export interface TaskCancels {
  /** Runs the work with a signal that aborts with the task or with `signal`. */
  during<T>(taskId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

const remembered = 5_000;

/** Listens to the events of tasks while there is work that they might end. */
export function createTaskCancels(events: Pick<TaskEvents, 'subscribe'>): TaskCancels {
  const running = new Map<string, Set<AbortController>>();
  const cancelled = new Set<string>();
  let unsubscribe: (() => void) | undefined;
  const listen = () => {
    unsubscribe ??= events.subscribe(({ kind, task }) => {
      if (kind !== 'cancelled') return;
      cancelled.add(task);
      if (cancelled.size > remembered) cancelled.delete(cancelled.values().next().value ?? '');
      for (const controller of running.get(task) ?? []) controller.abort(ended());
    });
  };
  const leave = () => {
    if (running.size > 0) return;
    unsubscribe?.();
    unsubscribe = undefined;
  };
  return {
    async during(taskId, signal, work) {
      const own = new AbortController();
      if (cancelled.has(taskId)) own.abort(ended());
      const controllers = running.get(taskId) ?? new Set();
      running.set(taskId, controllers.add(own));
      listen();
      try {
        return await work(AbortSignal.any([signal, own.signal]));
      } finally {
        controllers.delete(own);
        if (controllers.size === 0 && running.get(taskId) === controllers) running.delete(taskId);
        leave();
      }
    },
  };
}

/** Not tried again: the record of the task is final. */
function ended(): AppError {
  return new AppError('CONVERSION_TASK_NOT_FOUND', cancelledMessage);
}

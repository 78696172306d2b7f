import { AppError } from '../../model/errors';
import { isOpen } from '../../services/conversion/record';
import type { ConversionStore } from '../../services/conversion/store';
import { cancelledMessage } from '../../services/conversion/tasks';

/** Stops the work of tasks that were cancelled from outside. Their workflow would notice only after its documents. */
export interface TaskCancels {
  /** Runs the work with a signal that aborts when the task ends or when `signal` aborts. */
  during<T>(taskId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** One query covers all tasks in progress, however many documents they have. No queries are sent when there is no work. */
const pollIntervalMs = 500;

/** Polls the records of the tasks in progress and aborts the work of those that are no longer open. */
export function createTaskCancels(store: Pick<ConversionStore, 'getMany'>): TaskCancels {
  const running = new Map<string, Set<AbortController>>();
  let timer: NodeJS.Timeout | undefined;

  async function abortEnded(): Promise<void> {
    const ids = [...running.keys()];
    if (ids.length === 0) return;
    const open = new Set((await store.getMany(ids)).filter(isOpen).map(({ _id }) => _id));
    for (const id of ids)
      if (!open.has(id)) for (const controller of running.get(id) ?? []) controller.abort(createEndError());
  }
  function pollLater(): void {
    timer ??= setTimeout(() => {
      // Errors are ignored: the next poll tries again.
      void abortEnded()
        .catch(() => undefined)
        .then(() => {
          timer = undefined;
          if (running.size > 0) pollLater();
        });
    }, pollIntervalMs).unref();
  }
  return {
    async during(taskId, signal, work) {
      const controller = new AbortController();
      const controllers = running.get(taskId) ?? new Set();
      running.set(taskId, controllers.add(controller));
      pollLater();
      try {
        return await work(AbortSignal.any([signal, controller.signal]));
      } finally {
        controllers.delete(controller);
        if (controllers.size === 0 && running.get(taskId) === controllers) running.delete(taskId);
      }
    },
  };
}

/** Not retried, because the record of the task is final. */
function createEndError(): AppError {
  return new AppError('CONVERSION_TASK_NOT_FOUND', cancelledMessage);
}

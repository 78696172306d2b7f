import { AppError } from '../../model/errors';
import { isOpen } from '../../services/conversion/record';
import type { ConversionStore } from '../../services/conversion/store';
import { cancelledMessage } from '../../services/conversion/tasks';

/** Ends the work of tasks that were ended from outside; a workflow would notice only after its documents. */
export interface TaskCancels {
  /** Runs the work with a signal that aborts with the task or with `signal`. */
  during<T>(taskId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** One question about all tasks in work, however many documents they have; none while there is no work. */
const askEveryMs = 500;

/** Asks the records of the tasks in work whether they are open. */
export function createTaskCancels(store: Pick<ConversionStore, 'getMany'>): TaskCancels {
  const running = new Map<string, Set<AbortController>>();
  let timer: NodeJS.Timeout | undefined;

  async function ask(): Promise<void> {
    const ids = [...running.keys()];
    const open = new Set((await store.getMany(ids)).filter(isOpen).map(({ _id }) => _id));
    for (const id of ids) if (!open.has(id)) for (const controller of running.get(id) ?? []) controller.abort(ended());
  }
  function askLater(): void {
    timer ??= setTimeout(() => {
      // A database that is away is asked again.
      void ask()
        .catch(() => undefined)
        .then(() => {
          timer = undefined;
          if (running.size > 0) askLater();
        });
    }, askEveryMs).unref();
  }
  return {
    async during(taskId, signal, work) {
      const own = new AbortController();
      const controllers = running.get(taskId) ?? new Set();
      running.set(taskId, controllers.add(own));
      askLater();
      try {
        return await work(AbortSignal.any([signal, own.signal]));
      } finally {
        controllers.delete(own);
        if (controllers.size === 0 && running.get(taskId) === controllers) running.delete(taskId);
      }
    },
  };
}

/** Not tried again: the record of the task is final. */
function ended(): AppError {
  return new AppError('CONVERSION_TASK_NOT_FOUND', cancelledMessage);
}

import { Piscina } from 'piscina';

/** How a worker thread is set up. */
export interface WorkerThreadOptions {
  /** Compiled JavaScript that exports the function `run`. */
  filename: string;
  run: string;
  /** Heap limit in MB. */
  memoryMb: number;
  /** After that, the thread ends and its memory is free. Default: never. */
  idleTimeoutMs?: number;
}

/** A thread that starts with its first task and keeps what it has loaded. */
export interface WorkerThread<Task, Answer> {
  /**
   * Runs one task; the caller waits for the answer before the next. Rejects if the thread cannot start, ends, or throws, and the next task
   * starts a new one. An aborted `signal` ends the thread. `name` is another function of the file.
   */
  run(task: Task, options?: { name?: string; signal?: AbortSignal; transferList?: ArrayBuffer[] }): Promise<Answer>;
  close(): Promise<void>;
}

/** A pool of Piscina with one thread, which is replaced when the thread fails: Piscina starts no other one for a waiting task. */
export function createWorkerThread<Task, Answer>({
  filename,
  run: name,
  memoryMb,
  idleTimeoutMs = Number.POSITIVE_INFINITY,
}: WorkerThreadOptions): WorkerThread<Task, Answer> {
  let opened: Piscina<Task, Answer> | undefined;
  let isClosed = false;
  const open = () => {
    const pool = new Piscina<Task, Answer>({
      ...{ filename, name, minThreads: 0, maxThreads: 1, idleTimeout: idleTimeoutMs },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    // Without a listener, a thread that fails between tasks would end the process.
    pool.on('error', () => undefined);
    return pool;
  };
  return {
    async run(task, options) {
      options?.signal?.throwIfAborted();
      if (isClosed) throw new Error('The process is ending.');
      const pool = (opened ??= open());
      const { lost, stopWatching } = watchThread(pool);
      try {
        return await Promise.race([pool.run(task, options), lost]);
      } catch (error) {
        if (opened === pool) opened = undefined;
        // A thread is left if the function threw.
        if (pool.threads.length > 0) await pool.destroy();
        throw error;
      } finally {
        stopWatching();
      }
    },
    async close() {
      isClosed = true;
      await opened?.destroy();
    },
  };
}

/** A promise that rejects if the thread ends. The pool answers a task that waits for its thread to start only if it starts. */
function watchThread<Task, Answer>(pool: Piscina<Task, Answer>): { lost: Promise<never>; stopWatching: () => void } {
  let stopWatching = () => {};
  const lost = new Promise<never>((_resolve, reject) => {
    // The error, if there is one, is reported after the end.
    const leave = () => setImmediate(() => reject(new Error('It ended without an error.')));
    pool.once('error', reject).once('workerDestroy', leave);
    stopWatching = () => void pool.off('error', reject).off('workerDestroy', leave);
  });
  // Nobody waits for it if the pool throws.
  lost.catch(() => undefined);
  return { lost, stopWatching };
}

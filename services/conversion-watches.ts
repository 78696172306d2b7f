import { isFinalTask, type TaskDescriptor } from '../model/conversion/task';
import { positionIn } from './conversion-queues';
import { describeTask, type TaskSummary } from './conversion-record';
import type { ConversionStore } from './conversion-store';
import { pause } from './pause';

/** One task as somebody sees it for a while. */
export interface TaskView {
  /** What is known now. */
  current(): TaskDescriptor;
  /** Resolves at the next change, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Tasks that are watched. All watchers of one task share what is asked about it. */
export interface TaskWatches {
  /** With `changes` the view sees position and progress too, else the end only. Undefined when the tenant has no such task. */
  open(id: string, view: { tenant: string; changes: boolean }): Promise<TaskView | undefined>;
  /** The task with its position. */
  describe(task: TaskSummary): Promise<TaskDescriptor>;
  close(): void;
}

interface Watch {
  id: string;
  task: TaskSummary;
  descriptor: TaskDescriptor;
  listeners: Set<() => void>;
  views: number;
  /** Views that want to see position and progress. */
  curious: number;
  /** Ends the wait for the workflow. */
  stop: AbortController;
}

/** One question about all tasks whose changes are watched, and one per tenant that has waiting ones. */
const askEveryMs = 500;
/** How long after an error the workflow is asked again. */
const retryMs = 1_000;

/** `look` reads a task; `ended` waits until its workflow has ended, and gives the task as it then is. */
export function createTaskWatches(deps: {
  store: Pick<ConversionStore, 'queues' | 'getMany'>;
  look: (id: string) => Promise<TaskSummary | undefined>;
  ended: (id: string, signal: AbortSignal) => Promise<TaskSummary | undefined>;
}): TaskWatches {
  const { queues } = deps.store;
  const watches = new Map<string, Watch>();
  const opening = new Map<string, Promise<Watch | undefined>>();
  let timer: NodeJS.Timeout | undefined;

  const describe = async (task: TaskSummary) =>
    describeTask(task, task.state === 'pending' ? positionIn(await queues.waiting(task.tenant), task._id) : 1);

  function show(watch: Watch, task: TaskSummary, position: number): void {
    // Nothing follows the end, however late an answer comes.
    if (isFinalTask(watch.task.state)) return;
    const descriptor = describeTask(task, position);
    watch.task = task;
    if (JSON.stringify(descriptor) === JSON.stringify(watch.descriptor)) return;
    watch.descriptor = descriptor;
    for (const listener of [...watch.listeners]) listener();
  }
  async function ask(curious: readonly Watch[]): Promise<void> {
    const tasks = new Map((await deps.store.getMany(curious.map(({ id }) => id))).map((task) => [task._id, task]));
    const waiting = new Map<string, string[]>();
    for (const watch of curious) {
      const task = tasks.get(watch.id);
      if (!task) continue;
      if (task.state === 'pending' && !waiting.has(task.tenant))
        waiting.set(task.tenant, await queues.waiting(task.tenant));
      show(watch, task, positionIn(waiting.get(task.tenant) ?? [], task._id));
    }
  }
  function askLater(): void {
    timer ??= setTimeout(() => {
      const curious = [...watches.values()].filter((watch) => watch.curious > 0 && !isFinalTask(watch.task.state));
      void (curious.length > 0 ? ask(curious) : Promise.resolve())
        // A database that is away is asked again.
        .catch(() => undefined)
        .then(() => {
          timer = undefined;
          if (curious.length > 0) askLater();
        });
    }, askEveryMs).unref();
  }
  async function awaitEnd(watch: Watch): Promise<void> {
    while (!watch.stop.signal.aborted) {
      try {
        const task = await deps.ended(watch.id, watch.stop.signal);
        if (task) return show(watch, task, 1);
      } catch {
        // Temporal or the database is away, or nobody watches any more.
      }
      await pause(retryMs, watch.stop.signal).catch(() => undefined);
    }
  }
  async function openWatch(id: string): Promise<Watch | undefined> {
    const task = await deps.look(id);
    if (!task) return undefined;
    const watch: Watch = {
      id,
      task,
      descriptor: await describe(task),
      listeners: new Set(),
      views: 0,
      curious: 0,
      stop: new AbortController(),
    };
    watches.set(id, watch);
    if (!isFinalTask(task.state)) void awaitEnd(watch);
    return watch;
  }
  async function openOnce(id: string): Promise<Watch | undefined> {
    const there = watches.get(id) ?? opening.get(id);
    if (there) return there;
    const made = openWatch(id).finally(() => opening.delete(id));
    opening.set(id, made);
    return made;
  }
  function leave(watch: Watch, changes: boolean): void {
    watch.views -= 1;
    if (changes) watch.curious -= 1;
    if (watch.views > 0) return;
    watch.stop.abort();
    watches.delete(watch.id);
  }

  return {
    describe,
    async open(id, { tenant, changes }) {
      let watch = await openOnce(id);
      // The last view of it may have been closed meanwhile.
      while (watch && watches.get(id) !== watch) watch = await openOnce(id);
      if (!watch) return undefined;
      const opened = watch;
      opened.views += 1;
      if (changes) opened.curious += 1;
      if (opened.task.tenant !== tenant) {
        leave(opened, changes);
        return undefined;
      }
      if (changes) askLater();
      return viewOf(opened, () => leave(opened, changes));
    },
    close() {
      clearTimeout(timer);
      for (const { stop } of watches.values()) stop.abort();
      watches.clear();
    },
  };
}

function viewOf(watch: Watch, leave: () => void): TaskView {
  let seen = watch.descriptor;
  let isOpen = true;
  return {
    current: () => (seen = watch.descriptor),
    changed: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted || watch.descriptor !== seen) return resolve();
        const end = () => {
          signal.removeEventListener('abort', end);
          watch.listeners.delete(end);
          resolve();
        };
        signal.addEventListener('abort', end, { once: true });
        watch.listeners.add(end);
      }),
    close() {
      if (!isOpen) return;
      isOpen = false;
      leave();
    },
  };
}

import type { TaskDescriptor } from '../model/conversion/task';
import { isFinalTask } from '../model/conversion/task';
import { describeTask, type TaskSummary } from './conversion-record';
import type { ConversionStore } from './conversion-store';
import type { TaskEvents } from './conversion-events';
import { pause } from './pause';

/** One task as somebody sees it for a while. */
export interface TaskView {
  /** What is known now. */
  current(): TaskDescriptor;
  /** Resolves at the next change, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Tasks that are watched. All watchers of one task share what is asked of the database about it. */
export interface TaskWatches {
  /** Undefined when the task is not known. */
  open(id: string, tenant: string): Promise<TaskView | undefined>;
  /** The task with its position; a position that was told once never grows. */
  describe(task: TaskSummary): Promise<TaskDescriptor>;
  close(): void;
}

interface Watch {
  id: string;
  task: TaskSummary;
  descriptor: TaskDescriptor;
  listeners: Set<() => void>;
  views: number;
  /** A look at the database that is under way; `again` when something happened since it began. */
  looking?: Promise<void>;
  again: boolean;
  /** Ends the wait for the workflow. */
  stop: AbortController;
}

/** Positions change with every task that starts before; they are asked for all waiting tasks of a tenant together. */
const positionsEveryMs = 250;
/** How long after an error the workflow is asked again. */
const retryMs = 1_000;
const remembered = 20_000;

/** `look` reads a task; `ended` waits until its workflow has ended, and gives the task as it then is. */
export function createTaskWatches(deps: {
  store: Pick<ConversionStore, 'ahead' | 'pending'>;
  events: Pick<TaskEvents, 'subscribe'>;
  look: (id: string) => Promise<TaskSummary | undefined>;
  ended: (id: string, signal: AbortSignal) => Promise<TaskSummary | undefined>;
}): TaskWatches {
  const watches = new Map<string, Watch>();
  const opening = new Map<string, Promise<Watch | undefined>>();
  const lowest = createLowest();
  const tenants = new Map<string, NodeJS.Timeout>();
  let unsubscribe: (() => void) | undefined;

  const describeAt = (task: TaskSummary, ahead: number) =>
    describeTask(task, task.state === 'pending' ? lowest.of(task._id, ahead + 1) : lowest.forget(task._id));
  const describe = async (task: TaskSummary) =>
    describeAt(task, task.state === 'pending' ? await deps.store.ahead(task) : 0);

  function show(watch: Watch, task: TaskSummary, descriptor: TaskDescriptor): void {
    watch.task = task;
    if (JSON.stringify(descriptor) === JSON.stringify(watch.descriptor)) return;
    watch.descriptor = descriptor;
    for (const listener of [...watch.listeners]) listener();
  }
  function refresh(watch: Watch): Promise<void> {
    if (watch.looking) {
      watch.again = true;
      return watch.looking;
    }
    watch.looking = (async () => {
      do {
        watch.again = false;
        const task = await deps.look(watch.id);
        if (task) show(watch, task, await describe(task));
      } while (watch.again);
    })()
      // A database that is away: the next event or the timer looks again.
      .catch(() => undefined)
      .finally(() => (watch.looking = undefined));
    return watch.looking;
  }
  async function refreshPositions(tenant: string): Promise<void> {
    const waiting = [...watches.values()].filter(({ task }) => task.tenant === tenant && task.state === 'pending');
    if (waiting.length === 0) return;
    const order = await deps.store.pending(tenant);
    const places = new Map(order.map((seq, index) => [seq, index]));
    for (const watch of waiting) {
      const ahead = places.get(watch.task.seq);
      if (ahead !== undefined && watch.task.state === 'pending') show(watch, watch.task, describeAt(watch.task, ahead));
    }
  }
  function queueMoved(tenant: string): void {
    if (tenants.has(tenant)) return;
    const timer = setTimeout(() => {
      tenants.delete(tenant);
      refreshPositions(tenant).catch(() => undefined);
    }, positionsEveryMs);
    tenants.set(tenant, timer.unref());
  }
  function follow(): void {
    unsubscribe ??= deps.events.subscribe((event) => {
      const watch = watches.get(event.task);
      if (watch) void refresh(watch);
      if (event.kind !== 'progress') queueMoved(event.tenant);
    });
  }
  async function awaitEnd(watch: Watch): Promise<void> {
    while (!watch.stop.signal.aborted && !isFinalTask(watch.task.state)) {
      try {
        const task = await deps.ended(watch.id, watch.stop.signal);
        if (task) return show(watch, task, await describe(task));
      } catch {
        // Temporal or the database is away, or nobody watches any more.
        await pause(retryMs, watch.stop.signal).catch(() => undefined);
      }
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
      again: false,
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

  return {
    describe,
    async open(id, tenant) {
      // First listen, then look: a change in between is not missed.
      follow();
      let watch = await openOnce(id);
      // The last view of it may have been closed meanwhile.
      while (watch && watches.get(id) !== watch) watch = await openOnce(id);
      if (!watch) return undefined;
      watch.views += 1;
      const { stop } = watch;
      const view = viewOf(watch, () => {
        stop.abort();
        watches.delete(id);
        if (watches.size > 0) return;
        unsubscribe?.();
        unsubscribe = undefined;
      });
      if (watch.task.tenant !== tenant) {
        view.close();
        return undefined;
      }
      // It may have changed between being read and being listened to.
      if (!isFinalTask(watch.descriptor.task_status)) await refresh(watch);
      return view;
    },
    close() {
      unsubscribe?.();
      for (const timer of tenants.values()) clearTimeout(timer);
      for (const { stop } of watches.values()) stop.abort();
      watches.clear();
    },
  };
}

function viewOf(watch: Watch, drop: () => void): TaskView {
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
      watch.views -= 1;
      if (watch.views === 0) drop();
    },
  };
}

/** The lowest position that was told of each task: two submissions at once may be counted in another order. */
function createLowest() {
  const told = new Map<string, number>();
  return {
    of(id: string, position: number): number {
      const lower = Math.min(position, told.get(id) ?? position);
      told.set(id, lower);
      if (told.size > remembered) told.delete(told.keys().next().value ?? '');
      return lower;
    },
    forget(id: string): number {
      told.delete(id);
      return 1;
    },
  };
}

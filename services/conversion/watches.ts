import { isFinalTask, type TaskDescriptor } from '../../model/conversion/task/task';
import { shareNextResult } from '../pacing/request-batching';
import { positionIn } from './queues';
import { describeTask, type TaskSummary } from './record';
import type { ConversionStore } from './store';
import { pause } from '../pacing/pause';

/** A live view of one task. */
export interface TaskView {
  /** The latest known descriptor. */
  current(): TaskDescriptor;
  /** Resolves at the next change, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Watched tasks. All watchers of a task share the same queries. */
export interface TaskWatches {
  /**
   * With `changes`, the view starts with the current state of the task and also reports position and progress. Otherwise it
   * reports only the end. Undefined when the tenant has no such task.
   */
  open(id: string, view: { tenant: string; changes: boolean }): Promise<TaskView | undefined>;
  /** Remembers a task that was just submitted, so that a caller that waits for its end need not read it first. */
  expect(task: TaskSummary): void;
  /** Shows the end of a task that this process ended, without waiting for its workflow, which may have no worker. */
  end(task: TaskSummary): void;
  /** The descriptor of the task, including its position. */
  describe(task: TaskSummary): Promise<TaskDescriptor>;
  /** Like `describe`, but reads the task and the queue in parallel. */
  describeNow(tenant: string, look: () => Promise<TaskSummary>): Promise<TaskDescriptor>;
  close(): void;
}

interface Watch {
  id: string;
  task: TaskSummary;
  descriptor: TaskDescriptor;
  listeners: Set<() => void>;
  views: number;
  /** Number of views that show position and progress. */
  curious: number;
  /** Stops waiting for the workflow. */
  stop: AbortController;
  /** When the task was last read; undefined when it came from `expect`. */
  lookedAt?: number;
  looking?: Promise<boolean>;
  /** Runs while the watch has no views. */
  leaving?: NodeJS.Timeout;
  /** True while the end of the workflow is awaited. */
  isFollowed: boolean;
}

/** Polling interval: one query for all tasks whose changes are watched, and one per tenant with pending tasks. */
const askEveryMs = 500;
/** Pause before the workflow is queried again after an error. */
const retryMs = 1_000;
/** How long a watch outlives its last view. Polling clients come back, and Temporal is queried only once in all that time. */
const lingerMs = 20_000;
const mostLingering = 200;
/** Workflows of tasks further back in the queue are not followed yet. The query for all tasks notices when they move up. */
const nearPosition = 16;
const mostExpected = 500;

/** `look` reads a task. `ended` waits until its workflow has ended and returns the task as it then is. */
export function createTaskWatches(deps: {
  store: Pick<ConversionStore, 'queues' | 'getMany'>;
  look: (id: string) => Promise<TaskSummary | undefined>;
  ended: (id: string, signal: AbortSignal) => Promise<TaskSummary | undefined>;
  lingerMs?: number;
}): TaskWatches {
  /** Tenants that had pending tasks at the last query. */
  const queueing = new Set<string>();
  const waiting = shareNextResult(async (tenant) => {
    const ids = await deps.store.queues.waiting(tenant);
    if (ids.length > 0) queueing.add(tenant);
    else queueing.delete(tenant);
    return ids;
  });
  const watches = new Map<string, Watch>();
  const opening = new Map<string, Promise<Watch | undefined>>();
  /** Watches without views, the longest abandoned first. */
  const lingering = new Set<Watch>();
  const expected = new Map<string, TaskSummary>();
  let timer: NodeJS.Timeout | undefined;

  const describe = async (task: TaskSummary, queue?: Promise<string[]>) =>
    describeTask(task, task.state === 'pending' ? positionIn(await (queue ?? waiting(task.tenant)), task._id) : 1);
  async function describeNow<T extends TaskSummary | undefined>(tenant: string, look: () => Promise<T>) {
    const queue = queueing.has(tenant) ? waiting(tenant) : undefined;
    queue?.catch(() => undefined);
    const task = await look();
    return { task, descriptor: task && (await describe(task, queue)) };
  }

  function show(watch: Watch, task: TaskSummary, descriptor: TaskDescriptor): void {
    // Answers may arrive out of order; a watch never goes back to an earlier state.
    if (stageOf(task.state) < stageOf(watch.task.state) || isFinalTask(watch.task.state)) return;
    watch.task = task;
    const shown = neverBehind(descriptor, watch.descriptor);
    if (!isFinalTask(task.state)) follow(watch, shown);
    if (JSON.stringify(shown) === JSON.stringify(watch.descriptor)) return;
    watch.descriptor = shown;
    for (const listener of [...watch.listeners]) listener();
  }
  async function ask(curious: readonly Watch[]): Promise<void> {
    const tasks = new Map((await deps.store.getMany(curious.map(({ id }) => id))).map((task) => [task._id, task]));
    const queues = new Map<string, string[]>();
    for (const watch of curious) {
      const task = tasks.get(watch.id);
      if (!task) continue;
      if (task.state === 'pending' && !queues.has(task.tenant)) queues.set(task.tenant, await waiting(task.tenant));
      show(watch, task, describeTask(task, positionIn(queues.get(task.tenant) ?? [], task._id)));
      // Notified callers come back at once; let other requests run in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  function askLater(): void {
    timer ??= setTimeout(() => {
      const curious = [...watches.values()].filter((watch) => watch.curious > 0 && !isFinalTask(watch.task.state));
      void (curious.length > 0 ? ask(curious) : Promise.resolve())
        // Errors are ignored: the next poll tries again.
        .catch(() => undefined)
        .then(() => {
          timer = undefined;
          if (curious.length > 0) askLater();
        });
    }, askEveryMs).unref();
  }
  /** Follows the workflow as soon as a view waits only for the end, or the task is near the head of the queue. */
  function follow(watch: Watch, { task_position: position }: TaskDescriptor): void {
    const isNear = position === null || position <= nearPosition;
    if (watch.isFollowed || (watch.views === watch.curious && !isNear)) return;
    watch.isFollowed = true;
    void awaitEnd(watch);
  }
  async function awaitEnd(watch: Watch): Promise<void> {
    while (!watch.stop.signal.aborted) {
      try {
        const task = await deps.ended(watch.id, watch.stop.signal);
        if (task) {
          show(watch, task, describeTask(task, 1));
          if (watch.views === 0) forget(watch);
          return;
        }
      } catch {
        // Temporal or the database is unavailable, or the last view was closed.
      }
      await pause(retryMs, watch.stop.signal).catch(() => undefined);
    }
  }
  async function openWatch(id: string, changes: boolean): Promise<Watch | undefined> {
    const known = changes ? undefined : expected.get(id);
    expected.delete(id);
    const lookedAt = known ? undefined : performance.now();
    const task = known ?? (await deps.look(id));
    if (!task) return undefined;
    const watch: Watch = {
      id,
      task,
      descriptor: changes ? await describe(task) : describeTask(task, Infinity),
      listeners: new Set(),
      views: 0,
      curious: 0,
      stop: new AbortController(),
      isFollowed: isFinalTask(task.state),
      ...(changes ? { lookedAt } : {}),
    };
    watches.set(id, watch);
    return watch;
  }
  async function openOnce(id: string, changes: boolean): Promise<Watch | undefined> {
    const there = watches.get(id) ?? opening.get(id);
    if (there) return there;
    const made = openWatch(id, changes).finally(() => opening.delete(id));
    opening.set(id, made);
    return made;
  }
  /** Reads the task again. Returns false when it was deleted. */
  function lookAgain(watch: Watch): Promise<boolean> {
    const look = async () => {
      const lookedAt = performance.now();
      const { task, descriptor } = await describeNow(watch.task.tenant, () => deps.look(watch.id));
      if (task && descriptor) show(watch, task, descriptor);
      watch.lookedAt = lookedAt;
      return task !== undefined;
    };
    watch.looking ??= look().finally(() => (watch.looking = undefined));
    return watch.looking;
  }
  function enter(watch: Watch, changes: boolean): void {
    clearTimeout(watch.leaving);
    lingering.delete(watch);
    watch.views += 1;
    if (changes) watch.curious += 1;
    follow(watch, watch.descriptor);
  }
  function leave(watch: Watch, changes: boolean): void {
    watch.views -= 1;
    if (changes) watch.curious -= 1;
    if (watch.views > 0) return;
    if (isFinalTask(watch.task.state)) return forget(watch);
    lingering.add(watch);
    watch.leaving = setTimeout(() => forget(watch), deps.lingerMs ?? lingerMs).unref();
    const [first] = lingering;
    if (first && lingering.size > mostLingering) forget(first);
  }
  function forget(watch: Watch): void {
    clearTimeout(watch.leaving);
    lingering.delete(watch);
    if (!isFinalTask(watch.task.state)) watch.stop.abort();
    if (watches.get(watch.id) === watch) watches.delete(watch.id);
  }

  return {
    describe: (task) => describe(task),
    describeNow: async (tenant, look) => {
      const { descriptor } = await describeNow(tenant, look);
      return descriptor;
    },
    expect(task) {
      expected.set(task._id, task);
      if (expected.size > mostExpected) expected.delete(expected.keys().next().value ?? '');
    },
    end(task) {
      const watch = watches.get(task._id);
      if (!watch) return;
      show(watch, task, describeTask(task, 1));
      watch.stop.abort();
      if (watch.views === 0) forget(watch);
    },
    async open(id, { tenant, changes }) {
      const isOld = watches.has(id);
      let watch = await openOnce(id, changes);
      // The watch may have been discarded in the meantime.
      while (watch && watches.get(id) !== watch) watch = await openOnce(id, changes);
      if (!watch) return undefined;
      const opened = watch;
      enter(opened, changes);
      try {
        const isThere = opened.task.tenant === tenant && (!changes || (await isCurrent(opened, isOld)));
        if (!isThere) {
          leave(opened, changes);
          return undefined;
        }
      } catch (error) {
        leave(opened, changes);
        throw error;
      }
      if (changes) askLater();
      return viewOf(opened, () => leave(opened, changes));
    },
    close() {
      clearTimeout(timer);
      for (const watch of [...watches.values()]) forget(watch);
    },
  };

  /** Reads the task again unless it was read since this view was requested. Returns false when the task was deleted. */
  async function isCurrent(watch: Watch, isOld: boolean): Promise<boolean> {
    if (isFinalTask(watch.task.state) || (!isOld && watch.lookedAt !== undefined)) return true;
    return lookAgain(watch);
  }
}

function stageOf(state: TaskSummary['state']): number {
  if (isFinalTask(state)) return 2;
  return state === 'pending' ? 0 : 1;
}

/** The descriptor with the lower of both positions: a task never moves back in the queue. */
function neverBehind(descriptor: TaskDescriptor, shown: TaskDescriptor): TaskDescriptor {
  if (descriptor.task_position === null || shown.task_position === null) return descriptor;
  return { ...descriptor, task_position: Math.min(descriptor.task_position, shown.task_position) };
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

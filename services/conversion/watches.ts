import { isFinalTask, type TaskDescriptor } from '../../model/conversion/task/task';
import { joinNext } from '../pacing/joined-questions';
import { positionIn } from './queues';
import { describeTask, type TaskSummary } from './record';
import type { ConversionStore } from './store';
import { pause } from '../pacing/pause';

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
  /**
   * With `changes` the view sees position and progress too, and begins with the task as it is now; else it sees the end
   * only. Undefined when the tenant has no such task.
   */
  open(id: string, view: { tenant: string; changes: boolean }): Promise<TaskView | undefined>;
  /** Whoever waits for the end of this task, which was just submitted, need not ask for it first. */
  expect(task: TaskSummary): void;
  /** Shows the end of a task that this process has ended, without waiting for its workflow, which may have no worker. */
  end(task: TaskSummary): void;
  /** The task with its position. */
  describe(task: TaskSummary): Promise<TaskDescriptor>;
  /** The same for a task that is looked for meanwhile. */
  describeNow(tenant: string, look: () => Promise<TaskSummary>): Promise<TaskDescriptor>;
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
  /** Undefined when the task was taken as it was submitted. */
  lookedAt?: number;
  looking?: Promise<boolean>;
  /** Runs while nobody watches. */
  leaving?: NodeJS.Timeout;
  /** Whether the end of the workflow is waited for. */
  isFollowed: boolean;
}

/** One question about all tasks whose changes are watched, and one per tenant that has waiting ones. */
const askEveryMs = 500;
/** How long after an error the workflow is asked again. */
const retryMs = 1_000;
/** A watch outlives its last view for so long, since who polls comes back: Temporal is asked once all the while. */
const lingerMs = 20_000;
const mostLingering = 200;
/** The workflows of tasks that wait farther behind are not asked yet: the question about all tasks sees them come. */
const nearPosition = 16;
const mostExpected = 500;

/** `look` reads a task; `ended` waits until its workflow has ended, and gives the task as it then is. */
export function createTaskWatches(deps: {
  store: Pick<ConversionStore, 'queues' | 'getMany'>;
  look: (id: string) => Promise<TaskSummary | undefined>;
  ended: (id: string, signal: AbortSignal) => Promise<TaskSummary | undefined>;
  lingerMs?: number;
}): TaskWatches {
  /** Tenants of whom somebody waited when that was last asked. */
  const queueing = new Set<string>();
  const waiting = joinNext(async (tenant) => {
    const ids = await deps.store.queues.waiting(tenant);
    if (ids.length > 0) queueing.add(tenant);
    else queueing.delete(tenant);
    return ids;
  });
  const watches = new Map<string, Watch>();
  const opening = new Map<string, Promise<Watch | undefined>>();
  /** Those that nobody watches, the one that was left first in front. */
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
    // Answers may come in another order than their questions: nothing goes back.
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
      // Those who are told come back at once; others are answered in between.
      await new Promise((resolve) => setImmediate(resolve));
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
  /** Waits for the end of the workflow as soon as somebody waits for nothing else, or it is near. */
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
        // Temporal or the database is away, or nobody watches any more.
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
  /** False when the task is gone. */
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
      // It may have been forgotten meanwhile.
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

  /** Looks at a task that was not looked at since somebody came to see it as it is. False when the task is gone. */
  async function isCurrent(watch: Watch, isOld: boolean): Promise<boolean> {
    if (isFinalTask(watch.task.state) || (!isOld && watch.lookedAt !== undefined)) return true;
    return lookAgain(watch);
  }
}

function stageOf(state: TaskSummary['state']): number {
  if (isFinalTask(state)) return 2;
  return state === 'pending' ? 0 : 1;
}

/** The descriptor, with the better of both positions: a place once taken is not lost again. */
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

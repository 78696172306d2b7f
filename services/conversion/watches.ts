import { isFinalTask, type TaskDescriptor } from '../../model/conversion/task/task';
import { pause } from '../pacing/pause';
import type { TaskPositions } from './positions';
import { describeTask, type TaskSummary } from './record';
import type { ConversionStore } from './store';
import { getClientTaskId } from './task-ids';

/** A live view of one task. */
export interface TaskView {
  /** The latest known descriptor. */
  getDescriptor(): TaskDescriptor;
  /** Resolves at the next change, or when the signal aborts. */
  waitForChange(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Watched tasks. All watchers of a task share the same queries. */
export interface TaskWatches {
  /**
   * With `changes`, the view starts with the current state of the task and also reports position and progress. Otherwise it
   * reports only the end. Undefined when the tenant has no task of that id under this key.
   */
  open(key: string, view: { tenant: string; taskId: string; changes: boolean }): Promise<TaskView | undefined>;
  /** Remembers a task that was just submitted, so that a caller that waits for its end need not read it first. */
  expect(task: TaskSummary): void;
  /** Shows the end of a task that this process ended, without waiting for its workflow, which may have no worker. */
  end(task: TaskSummary): void;
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
const pollIntervalMs = 500;
/** Pause before the workflow is queried again after an error. */
const retryMs = 1_000;
/** How long a watch outlives its last view. Polling clients come back, and Temporal is queried only once in all that time. */
const lingerMs = 20_000;
const maxLingering = 200;
/** Workflows of tasks further back in the queue are not followed yet. The query for all tasks notices when they move up. */
const nearPosition = 16;
const maxExpected = 500;

interface WatchDeps {
  store: Pick<ConversionStore, 'getMany'>;
  positions: TaskPositions;
  /** Reads a task. */
  look: (id: string) => Promise<TaskSummary | undefined>;
  /** Waits until the workflow of the task has ended, and returns the task as it then is. */
  waitForEnd: (task: TaskSummary, signal: AbortSignal) => Promise<TaskSummary | undefined>;
  lingerMs?: number;
}

/** Creates watches that poll only while somebody watches. */
export function createTaskWatches(deps: WatchDeps): TaskWatches {
  return new SharedTaskWatches(deps);
}

class SharedTaskWatches implements TaskWatches {
  private readonly watches = new Map<string, Watch>();
  private readonly opening = new Map<string, Promise<Watch | undefined>>();
  /** Watches without views, the longest abandoned first. */
  private readonly lingering = new Set<Watch>();
  private readonly expected = new Map<string, TaskSummary>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly deps: WatchDeps) {}

  expect(task: TaskSummary) {
    this.expected.set(task._id, task);
    if (this.expected.size > maxExpected) this.expected.delete(this.expected.keys().next().value ?? '');
  }

  end(task: TaskSummary) {
    const watch = this.watches.get(task._id);
    if (!watch) return;
    this.show(watch, task, describeTask(task, 1));
    watch.stop.abort();
    if (watch.views === 0) this.forget(watch);
  }

  async open(id: string, { tenant, taskId, changes }: { tenant: string; taskId: string; changes: boolean }) {
    const isOld = this.watches.has(id);
    let watch = await this.openOnce(id, changes);
    // The watch may have been discarded in the meantime.
    while (watch && this.watches.get(id) !== watch) watch = await this.openOnce(id, changes);
    if (!watch) return undefined;
    const opened = watch;
    this.enter(opened, changes);
    try {
      const isOwn = opened.task.tenant === tenant && getClientTaskId(opened.task) === taskId;
      const isThere = isOwn && (!changes || (await this.isCurrent(opened, isOld)));
      if (!isThere) {
        this.leave(opened, changes);
        return undefined;
      }
    } catch (error) {
      this.leave(opened, changes);
      throw error;
    }
    if (changes) this.askLater();
    return toView(opened, () => this.leave(opened, changes));
  }

  close() {
    clearTimeout(this.timer);
    for (const watch of [...this.watches.values()]) this.forget(watch);
  }

  private show(watch: Watch, task: TaskSummary, descriptor: TaskDescriptor): void {
    // Answers may arrive out of order; a watch never goes back to an earlier state.
    if (getStage(task.state) < getStage(watch.task.state) || isFinalTask(watch.task.state)) return;
    watch.task = task;
    const newest = limitDescriptor(descriptor, watch.descriptor);
    if (!isFinalTask(task.state)) this.follow(watch, newest);
    if (JSON.stringify(newest) === JSON.stringify(watch.descriptor)) return;
    watch.descriptor = newest;
    for (const listener of [...watch.listeners]) listener();
  }

  private async ask(curious: readonly Watch[]): Promise<void> {
    const tasks = new Map((await this.deps.store.getMany(curious.map(({ id }) => id))).map((task) => [task._id, task]));
    const queues = new Map<string, Promise<string[]>>();
    for (const watch of curious) {
      const task = tasks.get(watch.id);
      if (!task) continue;
      if (task.state === 'pending' && !queues.has(task.tenant))
        queues.set(task.tenant, this.deps.positions.waiting(task.tenant));
      this.show(watch, task, await this.deps.positions.describe(task, queues.get(task.tenant)));
      // Notified callers send new requests at once; let other requests run in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private askLater(): void {
    this.timer ??= setTimeout(() => {
      const curious = [...this.watches.values()].filter((watch) => watch.curious > 0 && !isFinalTask(watch.task.state));
      void (curious.length > 0 ? this.ask(curious) : Promise.resolve())
        // Errors are ignored: the next poll tries again.
        .catch(() => undefined)
        .then(() => {
          this.timer = undefined;
          if (curious.length > 0) this.askLater();
        });
    }, pollIntervalMs).unref();
  }

  /** Follows the workflow as soon as a view waits only for the end, or the task is near the head of the queue. */
  private follow(watch: Watch, { task_position: position }: TaskDescriptor): void {
    const isNear = position === null || position <= nearPosition;
    if (watch.isFollowed || (watch.views === watch.curious && !isNear)) return;
    watch.isFollowed = true;
    void this.awaitEnd(watch);
  }

  private async awaitEnd(watch: Watch): Promise<void> {
    while (!watch.stop.signal.aborted) {
      try {
        const task = await this.deps.waitForEnd(watch.task, watch.stop.signal);
        if (task) {
          this.show(watch, task, describeTask(task, 1));
          if (watch.views === 0) this.forget(watch);
          return;
        }
      } catch {
        // Temporal or the database is unavailable, or the last view was closed.
      }
      await pause(retryMs, watch.stop.signal).catch(() => undefined);
    }
  }

  private async openWatch(id: string, changes: boolean): Promise<Watch | undefined> {
    const expectedTask = changes ? undefined : this.expected.get(id);
    this.expected.delete(id);
    const lookedAt = expectedTask ? undefined : performance.now();
    const task = expectedTask ?? (await this.deps.look(id));
    if (!task) return undefined;
    const watch: Watch = {
      id,
      task,
      descriptor: changes ? await this.deps.positions.describe(task) : describeTask(task, Infinity),
      listeners: new Set(),
      views: 0,
      curious: 0,
      stop: new AbortController(),
      isFollowed: isFinalTask(task.state),
      ...(changes ? { lookedAt } : {}),
    };
    this.watches.set(id, watch);
    return watch;
  }

  private async openOnce(id: string, changes: boolean): Promise<Watch | undefined> {
    const there = this.watches.get(id) ?? this.opening.get(id);
    if (there) return there;
    const watch = this.openWatch(id, changes).finally(() => this.opening.delete(id));
    this.opening.set(id, watch);
    return watch;
  }

  /** Reads the task again. Returns false when it was deleted. */
  private lookAgain(watch: Watch): Promise<boolean> {
    const look = async () => {
      const lookedAt = performance.now();
      const { task, descriptor } = await this.deps.positions.describeNow(watch.task.tenant, () =>
        this.deps.look(watch.id),
      );
      if (task && descriptor) this.show(watch, task, descriptor);
      watch.lookedAt = lookedAt;
      return task !== undefined;
    };
    watch.looking ??= look().finally(() => (watch.looking = undefined));
    return watch.looking;
  }

  private enter(watch: Watch, changes: boolean): void {
    clearTimeout(watch.leaving);
    this.lingering.delete(watch);
    watch.views += 1;
    if (changes) watch.curious += 1;
    this.follow(watch, watch.descriptor);
  }

  private leave(watch: Watch, changes: boolean): void {
    watch.views -= 1;
    if (changes) watch.curious -= 1;
    if (watch.views > 0) return;
    if (isFinalTask(watch.task.state)) return this.forget(watch);
    this.lingering.add(watch);
    watch.leaving = setTimeout(() => this.forget(watch), this.deps.lingerMs ?? lingerMs).unref();
    const [first] = this.lingering;
    if (first && this.lingering.size > maxLingering) this.forget(first);
  }

  private forget(watch: Watch): void {
    clearTimeout(watch.leaving);
    this.lingering.delete(watch);
    if (!isFinalTask(watch.task.state)) watch.stop.abort();
    if (this.watches.get(watch.id) === watch) this.watches.delete(watch.id);
  }

  /** Reads the task again unless it was read since this view was requested. Returns false when the task was deleted. */
  private async isCurrent(watch: Watch, isOld: boolean): Promise<boolean> {
    if (isFinalTask(watch.task.state) || (!isOld && watch.lookedAt !== undefined)) return true;
    return this.lookAgain(watch);
  }
}

function getStage(state: TaskSummary['state']): number {
  if (isFinalTask(state)) return 2;
  return state === 'pending' ? 0 : 1;
}

/** The descriptor with the lower of both positions: a task never moves back in the queue. */
function limitDescriptor(descriptor: TaskDescriptor, lastSent: TaskDescriptor): TaskDescriptor {
  if (descriptor.task_position === null || lastSent.task_position === null) return descriptor;
  return { ...descriptor, task_position: Math.min(descriptor.task_position, lastSent.task_position) };
}

function toView(watch: Watch, leave: () => void): TaskView {
  let seen = watch.descriptor;
  let isOpen = true;
  return {
    getDescriptor: () => (seen = watch.descriptor),
    waitForChange: (signal) =>
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

import { type Mongo, onceReady } from './mongo';

/** That a task changed, so that those who wait for it look again. `cancelled` ends its work, wherever it is done. */
export interface TaskEvent {
  task: string;
  tenant: string;
  kind: 'begun' | 'progress' | 'cancelled';
}

/**
 * Tells every process about changes of tasks within a second. Nobody relies on it alone: events are lost when the database
 * is away, and the end of a task is told by its workflow.
 */
export interface TaskEvents {
  /** Returns before the event is stored. */
  publish(event: TaskEvent): void;
  /** Events of all tasks from now on, those of this process among them. Gives what ends it. */
  subscribe(listener: (event: TaskEvent) => void): () => void;
  close(): void;
}

interface StoredEvent extends TaskEvent {
  _id: string;
  at: Date;
}

/** One question per process and interval, however many tasks are watched; none while nobody listens. */
const askEveryMs = 500;
/** Clocks of processes differ, and events are not stored in the order of their times. */
const overlapMs = 1_500;
const keptMs = 60_000;
/** So many events are published between two removals of old ones. */
const cleanEvery = 200;

/** Events in a collection that listening processes read while they listen. Works on every MongoDB, a single server too. */
export function createTaskEvents(mongo: Mongo): TaskEvents {
  const events = mongo.collection<StoredEvent>('conversion_events');
  const ready = onceReady(() => events.createIndex({ at: 1 }));
  const listeners = new Set<(event: TaskEvent) => void>();
  let seen = new Set<string>();
  let since = new Date();
  let timer: NodeJS.Timeout | undefined;
  let published = 0;

  async function ask(): Promise<void> {
    const found = await events
      .find({ at: { $gt: new Date(since.getTime() - overlapMs) } })
      .sort({ at: 1 })
      .toArray();
    const fresh = found.filter(({ _id }) => !seen.has(_id));
    seen = new Set(found.map(({ _id }) => _id));
    since = found.at(-1)?.at ?? since;
    for (const { task, tenant, kind } of fresh) for (const listener of [...listeners]) listener({ task, tenant, kind });
  }
  function askLater(): void {
    timer ??= setTimeout(() => {
      // A database that is away is asked again.
      void ask()
        .catch(() => undefined)
        .then(() => {
          timer = undefined;
          if (listeners.size > 0) askLater();
        });
    }, askEveryMs).unref();
  }
  async function store(event: TaskEvent): Promise<void> {
    await ready();
    const at = new Date();
    published += 1;
    await events.insertOne({ _id: `${event.task}/${event.kind}/${at.getTime()}/${published}`, at, ...event });
    if (published % cleanEvery === 0) await events.deleteMany({ at: { $lt: new Date(at.getTime() - keptMs) } });
  }
  return {
    publish: (event) => void store(event).catch(() => undefined),
    subscribe(listener) {
      if (listeners.size === 0) since = new Date();
      listeners.add(listener);
      askLater();
      return () => void listeners.delete(listener);
    },
    close() {
      listeners.clear();
      clearTimeout(timer);
    },
  };
}

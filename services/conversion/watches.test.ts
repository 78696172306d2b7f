import { setMaxListeners } from 'node:events';
import { TaskPositions } from './positions';
import { describeTask, createEmptyCounts, type TaskSummary } from './record';
import { createTaskWatches } from './watches';

const never = new AbortController().signal;
// Many wait with it.
setMaxListeners(0, never);

function pendingTask(id: string, tenant = 'default'): TaskSummary {
  return {
    _id: id,
    tenant,
    task_type: 'convert',
    state: 'pending',
    created_at: new Date(),
    started_at: null,
    ended_at: null,
    counts: createEmptyCounts(1),
    error_message: null,
    failure: null,
    target: 'inbody',
    packaging: 'inbody',
    include_converted_doc: false,
    chunking: null,
    documents: 1,
    expandable: false,
    uploads: [],
    callbacks: [],
  };
}

/** A store of these tasks that counts its calls; `end` is the outcome of the workflow of a task. */
function getStore(ids: string[], { lingerMs }: { lingerMs?: number } = {}) {
  const tasks = new Map(ids.map((id) => [id, pendingTask(id)]));
  const asked = { looks: 0, many: 0, ends: 0, stopped: 0 };
  const ends = new Map<string, () => void>();
  const listeners = new Set<() => void>();
  let held: Promise<void> | undefined;
  const watches = createTaskWatches({
    store: {
      getMany: async (wanted) => {
        asked.many += 1;
        return wanted.flatMap((id) => tasks.get(id) ?? []);
      },
    },
    positions: new TaskPositions({
      listWaiting: async () => [...tasks.values()].filter(({ state }) => state === 'pending').map(({ _id }) => _id),
    }),
    ...(lingerMs === undefined ? {} : { lingerMs }),
    look: async (id) => {
      asked.looks += 1;
      const task = tasks.get(id);
      await held;
      return task;
    },
    waitForEnd: ({ _id: id }, signal) => {
      asked.ends += 1;
      return new Promise((resolve, reject) => {
        ends.set(id, () => resolve(tasks.get(id)));
        signal.addEventListener('abort', () => {
          asked.stopped += 1;
          for (const listener of listeners) listener();
          reject(signal.reason as Error);
        });
      });
    },
  });
  const change = (id: string, state: TaskSummary['state']) =>
    tasks.set(id, { ...(tasks.get(id) as TaskSummary), state });
  /** Resolves when so many waits for workflows were given up. */
  const stopped = async (count: number) => {
    while (asked.stopped < count) await new Promise<void>((resolve) => listeners.add(resolve));
  };
  /** Reads of the task see its current state, and return when the returned function is called. */
  const holdLooks = () => {
    let letGo = () => {};
    held = new Promise((resolve) => (letGo = resolve));
    return letGo;
  };
  return { watches, asked, change, stopped, holdLooks, end: (id: string) => ends.get(id)?.() };
}

test('a thousand watchers of one task share one request, and all see its end', async () => {
  const { watches, asked, change, end } = getStore(['a']);
  const views = await Promise.all(
    Array.from({ length: 1_000 }, () => watches.open('a', { taskId: 'a', tenant: 'default', changes: true })),
  );
  const ended = views.map(async (view) => {
    await view?.waitForChange(never);
    return view?.getDescriptor().task_status;
  });
  change('a', 'success');
  end('a');
  expect(new Set(await Promise.all(ended))).toEqual(new Set(['success']));
  expect(asked).toEqual({ looks: 1, many: 0, ends: 1, stopped: 0 });
  for (const view of views) view?.close();
  watches.close();
});

test('a task that starts advances those behind it, with one request for all', async () => {
  const { watches, asked, change } = getStore(['a', 'b', 'c']);
  const open = (id: string) => watches.open(id, { taskId: id, tenant: 'default', changes: true });
  const [b, c] = await Promise.all([open('b'), open('c')]);
  expect([b?.getDescriptor().task_position, c?.getDescriptor().task_position]).toEqual([2, 3]);
  change('a', 'started');
  await Promise.all([b?.waitForChange(never), c?.waitForChange(never)]);
  expect([b?.getDescriptor().task_position, c?.getDescriptor().task_position]).toEqual([1, 2]);
  expect(asked.many).toBe(1);
  b?.close();
  c?.close();
  watches.close();
});

test('a watch outlives its last watcher for a while: a returning caller sees the current state without a request', async () => {
  const { watches, asked, change } = getStore(['a', 'b'], { lingerMs: 60_000 });
  const open = (id: string) => watches.open(id, { taskId: id, tenant: 'default', changes: true });
  const first = await open('b');
  expect(first?.getDescriptor().task_position).toBe(2);
  first?.close();
  first?.close();
  change('a', 'started');
  const second = await open('b');
  expect(second?.getDescriptor().task_position).toBe(1);
  expect(asked).toMatchObject({ looks: 2, ends: 1, stopped: 0 });
  second?.close();
  watches.close();
  expect(asked.stopped).toBe(1);
});

test('a watch that nobody returns to stops waiting for the workflow, and another tenant has no view', async () => {
  const { watches, asked, stopped } = getStore(['a'], { lingerMs: 1 });
  expect(await watches.open('a', { taskId: 'a', tenant: 'other', changes: false })).toBeUndefined();
  await stopped(1);
  const [view, two] = await Promise.all([
    watches.open('a', { taskId: 'a', tenant: 'default', changes: false }),
    watches.open('a', { taskId: 'a', tenant: 'default', changes: false }),
  ]);
  view?.close();
  view?.close();
  expect(asked.stopped).toBe(1);
  two?.close();
  await stopped(2);
  expect(await watches.open('unknown', { taskId: 'unknown', tenant: 'default', changes: false })).toBeUndefined();
  watches.close();
});

test('the end of a task that this process ends is visible at once, to current and later watchers', async () => {
  const { watches, asked, change } = getStore(['a', 'b'], { lingerMs: 60_000 });
  const open = (id: string) => watches.open(id, { taskId: id, tenant: 'default', changes: false });
  const waiting = await open('a');
  const changed = waiting?.waitForChange(never);
  const left = await open('b');
  left?.close();
  for (const id of ['a', 'b']) {
    change(id, 'failure');
    watches.end({ ...pendingTask(id), state: 'failure' });
  }
  await changed;
  expect(waiting?.getDescriptor()).toMatchObject({ task_status: 'failure', task_position: null });
  expect((await open('b'))?.getDescriptor()).toMatchObject({ task_status: 'failure' });
  expect(asked).toMatchObject({ ends: 2, stopped: 2 });
  watches.end(pendingTask('unknown'));
  waiting?.close();
  watches.close();
});

test('waiting for a task that was just submitted sends no request; viewing it does', async () => {
  const { watches, asked, change, end } = getStore(['a']);
  watches.expect(pendingTask('a'));
  const view = await watches.open('a', { taskId: 'a', tenant: 'default', changes: false });
  expect(asked.looks).toBe(0);
  const seen = await watches.open('a', { taskId: 'a', tenant: 'default', changes: true });
  expect([asked.looks, seen?.getDescriptor().task_position]).toEqual([1, 1]);
  const ended = view?.waitForChange(never);
  change('a', 'success');
  end('a');
  await ended;
  expect(view?.getDescriptor().task_status).toBe('success');
  view?.close();
  seen?.close();
  watches.close();
});

test('the workflow of a task far back in the queue is polled only when a caller waits for its end or it comes near the front', async () => {
  const ids = Array.from({ length: 40 }, (_, place) => String(place));
  const { watches, asked, change } = getStore(ids);
  const open = (id: string, changes: boolean) => watches.open(id, { taskId: id, tenant: 'default', changes });
  const [far, near] = await Promise.all([open('30', true), open('3', true)]);
  expect([far?.getDescriptor().task_position, asked.ends]).toEqual([31, 1]);
  await open('39', false);
  expect(asked.ends).toBe(2);
  for (const id of ids.slice(0, 30)) change(id, 'started');
  await Promise.all([far?.waitForChange(never), near?.waitForChange(never)]);
  expect([far?.getDescriptor().task_position, asked.ends]).toEqual([1, 3]);
  watches.close();
});

test('a late answer never moves a position or a state backwards', async () => {
  const { watches, change, holdLooks } = getStore(['a', 'b']);
  const open = () => watches.open('b', { taskId: 'b', tenant: 'default', changes: true });
  const view = await open();
  expect(view?.getDescriptor().task_position).toBe(2);
  const late = holdLooks();
  const second = open();
  change('a', 'started');
  change('b', 'started');
  await view?.waitForChange(never);
  expect(view?.getDescriptor().task_status).toBe('started');
  late();
  expect((await second)?.getDescriptor().task_status).toBe('started');
  watches.close();
});

test('pages of the documents that are being read are added up, until the task ends', () => {
  const running = {
    ...pendingTask('a'),
    state: 'started' as const,
    counts: createEmptyCounts(3),
    reading: { 0: { done: 400, total: 1_000 }, 2: { done: 1, total: 20 } },
  };
  expect(describeTask(running, 1).task_meta).toMatchObject({ num_docs: 3, num_pages: 1_020, num_pages_processed: 401 });
  for (const other of [
    { ...running, reading: {} },
    { ...running, state: 'failure' as const },
  ])
    expect(describeTask(other, 1).task_meta).toEqual(createEmptyCounts(3));
});

test('counts of a running task are the sum over the processes, those of an ended task its own', () => {
  const done = { succeeded: 2, partial: 1, failed: 1 };
  const running = {
    ...pendingTask('a'),
    state: 'started' as const,
    counts: createEmptyCounts(10),
    progress: { x: done, y: done },
  };
  expect(describeTask(running, 1).task_meta).toEqual({
    num_docs: 10,
    num_processed: 8,
    num_succeeded: 4,
    num_partially_succeeded: 2,
    num_failed: 2,
  });
  const ended = {
    ...running,
    state: 'success' as const,
    counts: { ...createEmptyCounts(10), num_processed: 10, num_succeeded: 10 },
  };
  expect(describeTask(ended, 1).task_meta).toMatchObject({ num_processed: 10, num_succeeded: 10 });
});

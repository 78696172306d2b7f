import { randomUUID } from 'node:crypto';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { ConvertActivities, DocumentCall } from '../../model/conversion/task/activities';
import type { CallbackEvent, ConvertEnd, ConvertPlan, DocumentOutcome } from '../../model/conversion/task/work';
import type { RunActivities } from '../../model/run/activities';
import type { convert } from '../../workflows/convert';
import { until } from '../support/system/system';
import { type Harness, startHarness } from '../support/workflow/harness';

/** The requirements of a test for a task, and the recorded calls. */
interface Task {
  plan: Partial<ConvertPlan>;
  listed?: ConvertPlan;
  convert: (call: DocumentCall) => Promise<Omit<DocumentOutcome, 'index'>> | Omit<DocumentOutcome, 'index'>;
  deliver: () => Promise<void>;
  converted: { index: number; isLocal: boolean }[];
  gaveUp: { index: number; message: string }[];
  told: CallbackEvent[];
  ends: ConvertEnd[];
}
const tasks = new Map<string, Task>();
const getTask = (id: string) => tasks.get(id) as Task;
let harness: Harness;

const plan = (change: Partial<ConvertPlan> = {}): ConvertPlan => {
  const documents = change.documents ?? 1;
  return {
    documents,
    light: '1'.repeat(documents),
    abortOnError: false,
    callbacks: false,
    deliver: false,
    needsOutput: false,
    ...change,
  };
};
const activities: ConvertActivities = {
  begin_conversion: async ({ taskId }) => plan(getTask(taskId).plan),
  list_conversion_sources: async ({ taskId }) => {
    const { listed } = getTask(taskId);
    if (!listed)
      throw ApplicationFailure.create({ type: 'EXTERNAL_SERVICE_ERROR', message: 'no bucket', nonRetryable: true });
    return listed;
  },
  convert_document: async (call) => {
    const task = getTask(call.taskId);
    task.converted.push({ index: call.index, isLocal: Context.current().info.isLocal });
    return { index: call.index, ...(await task.convert(call)) };
  },
  give_up_document: async ({ taskId, index, message }) => {
    getTask(taskId).gaveUp.push({ index, message });
    return { index, status: 'failure', message };
  },
  deliver_conversion: ({ taskId }) => getTask(taskId).deliver(),
  tell_callbacks: async ({ taskId, events }) => void getTask(taskId).told.push(...events),
  finish_conversion: async (end) => void getTask(end.taskId).ends.push(end),
};

beforeAll(async () => {
  // No run is made here; a worker must have an activity.
  const unused = { unused: () => Promise.reject(new Error('not used')) };
  harness = await startHarness(unused, {} as RunActivities, activities);
});
afterAll(() => harness.close());

async function start(change: Partial<Task> = {}, showsCounts = false) {
  const id = randomUUID();
  const task: Task = {
    plan: {},
    convert: () => ({ status: 'success' }),
    deliver: async () => undefined,
    converted: [],
    gaveUp: [],
    told: [],
    ends: [],
    ...change,
  };
  tasks.set(id, task);
  const handle = await harness.client.workflow.start<typeof convert>('convert', {
    workflowId: id,
    taskQueue: harness.taskQueue.replace(/-flow$/, '-convert'),
    args: [showsCounts ? { taskId: id, showsCounts } : { taskId: id }],
  });
  return { id, task, handle };
}
const failed = (message: string, category: DocumentOutcome['category'] = 'backend_failure') => ({
  status: 'failure' as const,
  message,
  category,
});

test('a small document is converted inside the first workflow task', async () => {
  const { id, task, handle } = await start();
  await handle.result();
  expect(task.converted).toEqual([{ index: 0, isLocal: true }]);
  expect(task.ends).toEqual([
    {
      taskId: id,
      state: 'success',
      counts: { num_docs: 1, num_processed: 1, num_succeeded: 1, num_partially_succeeded: 0, num_failed: 0 },
    },
  ]);
  const { events } = await handle.fetchHistory();
  expect(events?.filter((event) => event.workflowTaskCompletedEventAttributes)).toHaveLength(1);
  await harness.record('convert-small', id);
});

test('large documents are activities, small ones local, and callbacks are reported in order', async () => {
  const { id, task, handle } = await start({
    plan: { documents: 3, light: '101', callbacks: true },
    convert: ({ index }) => (index === 2 ? failed('c.docx: no zip') : { status: 'success' }),
  });
  await handle.result();
  expect(task.converted.toSorted((a, b) => a.index - b.index).map(({ isLocal }) => isLocal)).toEqual([
    true,
    false,
    true,
  ]);
  expect(task.told[0]).toEqual({ kind: 'set_num_docs', total: 3 });
  expect(task.told.slice(-2).map(({ kind }) => kind)).toEqual(['update_processed', 'task_completed']);
  const reports = task.told.flatMap((event) => (event.kind === 'document_completed' ? [event] : []));
  expect(reports.flatMap(({ indexes }) => indexes).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
  expect(reports.map(({ before }) => before)).toEqual(
    reports.map((_, place) => reports.slice(0, place).flatMap(({ indexes }) => indexes).length),
  );
  expect(task.ends).toMatchObject([{ state: 'success', counts: { num_succeeded: 2, num_failed: 1 } }]);
  await harness.record('convert-mixed', id);
});

test('more than 500 documents are cut into child workflows, and each is done once', async () => {
  const { id, task, handle } = await start({ plan: { documents: 601 } });
  await handle.result();
  const indexes = task.converted.map(({ index }) => index).toSorted((a, b) => a - b);
  expect(indexes).toEqual(Array.from({ length: 601 }, (_, index) => index));
  expect(task.ends).toMatchObject([{ state: 'success', counts: { num_docs: 601, num_succeeded: 601 } }]);
  const { events } = await handle.fetchHistory();
  expect(events?.filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)).toHaveLength(4);
  await harness.record('convert-parts', id);
});

test('abort_on_error ends the task with the reason of the document', async () => {
  const { task, handle } = await start({
    plan: { documents: 200, abortOnError: true },
    convert: ({ index }) => (index === 3 ? failed('bad.docx: no zip') : { status: 'success' }),
  });
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'CONVERSION_FAILED' } });
  expect(task.converted.length).toBeLessThan(200);
  expect(task.ends).toMatchObject([
    { state: 'failure', message: 'abort_on_error: bad.docx: no zip', failure: { category: 'backend_failure' } },
  ]);
});

test('a document that ends its worker in every attempt fails alone', async () => {
  const { task, handle } = await start({
    plan: { documents: 2 },
    convert: ({ index }) => {
      if (index === 0) throw ApplicationFailure.create({ type: 'INTERNAL_ERROR', message: 'gone', nonRetryable: true });
      return { status: 'success' };
    },
  });
  await handle.result();
  expect(task.gaveUp).toEqual([{ index: 0, message: 'gone' }]);
  expect(task.ends).toMatchObject([{ state: 'success', counts: { num_succeeded: 1, num_failed: 1 } }]);
});

test.each([
  [
    'nothing of an archive was converted',
    { needsOutput: true },
    { convert: () => failed('a.docx: no zip') },
    /^No document could be converted: a\.docx: no zip$/,
    'backend_failure',
  ],
  ['nothing can be written', { impossible: 'None of the formats yaml can be written.' }, {}, /yaml/, 'policy'],
  [
    'the target refuses',
    { deliver: true },
    {
      deliver: () =>
        Promise.reject(
          ApplicationFailure.create({ type: 'CONVERSION_TARGET_FAILED', message: 'refused', nonRetryable: true }),
        ),
    },
    /^refused$/,
    'target_unavailable',
  ],
  ['the bucket cannot be listed', { listing: true as const }, {}, /^no bucket$/, 'source_unavailable'],
])('the task fails with its reason when %s', async (_name, change, more, message, category) => {
  const { task, handle } = await start({ plan: change, ...more });
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'CONVERSION_FAILED' } });
  expect(task.ends).toMatchObject([
    { state: 'failure', message: expect.stringMatching(message), failure: { category } },
  ]);
});

test('the documents of a bucket are those that its listing has', async () => {
  const { id, task, handle } = await start({
    plan: { listing: true, documents: 0 },
    listed: plan({ documents: 2, light: '00' }),
  });
  await handle.result();
  expect(task.converted).toHaveLength(2);
  await harness.record('convert-listed', id);
});

test('a task that has ended already does nothing', async () => {
  const { task, handle } = await start({ plan: { over: true } });
  await handle.result();
  expect([task.converted, task.ends]).toEqual([[], []]);
});

test('a cancelled task ends its documents, records it, and reports the end to its callbacks', async () => {
  let begun = () => {};
  const running = new Promise<void>((resolve) => (begun = resolve));
  const { id, task, handle } = await start({
    plan: { documents: 1, light: '0', callbacks: true },
    convert: async () => {
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), 100);
      begun();
      try {
        await context.cancelled;
      } catch (error) {
        throw error instanceof CancelledFailure ? error : new Error('not cancelled');
      } finally {
        clearInterval(beat);
      }
      return { status: 'success' };
    },
  });
  await running;
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(task.ends).toMatchObject([{ state: 'failure', message: 'The task was cancelled by request.' }]);
  expect(task.told.at(-1)).toEqual({ kind: 'task_completed' });
  await harness.record('convert-cancelled', id);
});

describe('in the list of the Temporal UI', () => {
  const shown = async (handle: { describe(): Promise<{ searchAttributes: Record<string, unknown> }> }) =>
    (await handle.describe()).searchAttributes;

  test('a conversion has outcome and counts, and its result names failures', async () => {
    const { id, handle } = await start(
      {
        plan: { documents: 3, light: '101' },
        convert: ({ index }) => (index === 1 ? failed('b.pdf: no pages') : { status: 'success' }),
      },
      true,
    );
    expect(await handle.result()).toEqual({
      counts: { num_docs: 3, num_processed: 3, num_succeeded: 2, num_partially_succeeded: 0, num_failed: 1 },
      failures: [{ index: 1, status: 'failure', message: 'b.pdf: no pages', category: 'backend_failure' }],
    });
    expect(await shown(handle)).toMatchObject({
      Outcome: ['COMPLETED_WITH_ERRORS'],
      Documents: [3],
      FailedDocuments: [1],
    });
    await harness.record('convert-shown', id);
  });

  test('a conversion without any result has failed, even if its only document ended with the plan', async () => {
    const counts = { num_docs: 1, num_processed: 1, num_succeeded: 0, num_partially_succeeded: 0, num_failed: 1 };
    const failures = [{ index: 0, ...failed('a.docx: no zip') }];
    const { id, handle } = await start({ plan: { over: true, counts, failures } }, true);
    expect(await handle.result()).toEqual({ counts, failures });
    expect(await shown(handle)).toMatchObject({ Outcome: ['FAILED'], Documents: [1], FailedDocuments: [1] });
    await harness.record('convert-shown-single', id);
    const impossible = await start({ plan: { impossible: 'None of the formats can be written.' } }, true);
    await expect(impossible.handle.result()).rejects.toMatchObject({ cause: { type: 'CONVERSION_FAILED' } });
    expect(await shown(impossible.handle)).toMatchObject({ Outcome: ['FAILED'] });
  });

  test('WaitingFor has the server that a document waits for, until the document is done', async () => {
    let free: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (free = resolve));
    const { id, handle } = await start(
      { plan: { documents: 2, light: '00' }, convert: () => held.then(() => ({ status: 'success' as const })) },
      true,
    );
    const waiting = { code: 'STORAGE_ERROR', since: new Date().toISOString() };
    await handle.signal('wait', { operator: 'convert_document', part: '1', waiting });
    await until('it waits', async () => 'WaitingFor' in (await shown(handle)));
    expect(await shown(handle)).toMatchObject({ WaitingFor: ['STORAGE_ERROR'] });
    free();
    await handle.result();
    expect(await shown(handle)).not.toHaveProperty('WaitingFor');
    await harness.record('convert-shown-waiting', id);
  });

  test('a part that is cancelled while it waits is no longer in the list of waiting ones', async () => {
    let begun = () => {};
    const running = new Promise<void>((resolve) => (begun = resolve));
    const { id, handle } = await start(
      {
        plan: { documents: 601, light: '0'.repeat(601) },
        convert: async () => {
          const context = Context.current();
          const beat = setInterval(() => context.heartbeat(), 100);
          begun();
          return context.cancelled.finally(() => clearInterval(beat));
        },
      },
      true,
    );
    await running;
    const part = harness.client.workflow.getHandle(`${id}/part-01`);
    const waiting = { code: 'STORAGE_ERROR', since: new Date().toISOString() };
    await part.signal('wait', { operator: 'convert_document', part: '1', waiting });
    await until('it waits', async () => 'WaitingFor' in (await shown(part)));
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect((await part.describe()).status.name).toBe('CANCELLED');
    expect(await shown(part)).not.toHaveProperty('WaitingFor');
  });

  test('the parts of a large conversion have names, counts and outcomes', async () => {
    const { id, handle } = await start({ plan: { documents: 601 } }, true);
    await handle.result();
    const part = harness.client.workflow.getHandle(`${id}/part-04`);
    expect(await shown(part)).toMatchObject({ Outcome: ['COMPLETED'], Documents: [1], FailedDocuments: [0] });
  });
});

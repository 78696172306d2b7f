import { once } from 'node:events';
import { listIndexes } from '../../../services/conversion/documents';
import { computeTaskKey } from '../../../services/conversion/task-ids';
import { cancelledMessage } from '../../../services/conversion/tasks';
import { type ConversionSystem, createConversionSystem, manyFiles } from '../../support/system/conversion-fixture';
import { until } from '../../support/system/system';

let conversion: ConversionSystem;
const never = new AbortController().signal;

beforeAll(() => {
  conversion = createConversionSystem();
});
afterAll(() => conversion.stop());

const getDocuments = (id: string) => conversion.records.listDocuments(computeTaskKey(id), listIndexes(2_000));
const get = (id: string) => conversion.tasks.get('default', id);

describe('while no worker runs', () => {
  test('tasks wait in order; a cancelled one ends at once, and those behind it move up', async () => {
    const ids: string[] = [];
    for (const name of ['a.md', 'b.md', 'c.md']) {
      const task = await conversion.submit({ [name]: '# Text' }, { tenant: 'queue' });
      expect(task).toMatchObject({ task_status: 'pending', task_position: ids.length + 1, task_type: 'convert' });
      ids.push(task.task_id);
    }
    const [first = '', , last = ''] = ids;
    const positions = conversion.tasks.watch('queue', last, never)[Symbol.asyncIterator]();
    expect((await positions.next()).value).toMatchObject({ task_position: 3 });
    const cancelled = await conversion.tasks.cancel('queue', first);
    expect(cancelled).toMatchObject({ task_status: 'failure', task_position: null, error_message: cancelledMessage });
    expect((await positions.next()).value).toMatchObject({ task_position: 2 });
    await positions.return?.();
    const page = await conversion.tasks.list('queue', { state: 'pending', limit: 1, offset: 0 });
    expect(page).toMatchObject({ total: 2, items: [{ task_id: last }] });
    for (const id of ids) await conversion.tasks.cancel('queue', id);
  });

  test('positions never grow, however many tasks are submitted at once', async () => {
    const submitted = Array.from({ length: 60 }, () => conversion.submit({ 'a.md': '# Text' }, { tenant: 'burst' }));
    const before = await Promise.all(submitted);
    const positions = before.map(({ task_position }) => task_position ?? 0);
    const after = await Promise.all(before.map(({ task_id }) => conversion.tasks.get('burst', task_id)));
    for (const [index, { task_position }] of after.entries())
      expect(task_position).toBeLessThanOrEqual(positions[index] ?? 0);
    for (const { task_id } of before) await conversion.tasks.cancel('burst', task_id);
  });

  test('a wait ends after its time, with the current task', async () => {
    const { task_id } = await conversion.submit({ 'a.md': '# Text' });
    const started = Date.now();
    expect(await conversion.tasks.wait('default', task_id, 300)).toMatchObject({ task_status: 'pending' });
    expect(Date.now() - started).toBeLessThan(5_000);
    await conversion.tasks.cancel('default', task_id);
    const cancelled = Date.now();
    expect(await conversion.tasks.wait('default', task_id, 60_000)).toMatchObject({ task_status: 'failure' });
    expect(Date.now() - cancelled).toBeLessThan(5_000);
  });
});

test('a task submitted without a worker, and one whose worker is killed, are finished by the next worker', async () => {
  const waiting = await conversion.submit({ 'waiting.md': '# Waiting' });
  const first = await conversion.system.startWorker();
  expect((await conversion.tasks.wait('default', waiting.task_id, 60_000)).task_status).toBe('success');

  const { task_id } = await conversion.submit(manyFiles(480));
  await until('some documents are done', async () => (await getDocuments(task_id)).length > 40);
  const killed = once(first, 'exit');
  first.kill('SIGKILL');
  await killed;
  const done = await getDocuments(task_id);
  expect(done.length).toBeLessThan(480);
  expect((await get(task_id)).task_status).toBe('started');

  await conversion.system.startWorker();
  const task = await conversion.tasks.wait('default', task_id, 90_000);
  expect(task).toMatchObject({ task_status: 'success', task_meta: { num_docs: 480, num_succeeded: 480 } });
  const result = await conversion.tasks.readResult('default', task_id);
  expect(result.documents.map(({ index }) => index)).toEqual(Array.from({ length: 480 }, (_, index) => index));
  // Work finished before the kill was not repeated.
  const kept = done.filter(({ index, timings }) => {
    const now = result.documents[index]?.timings['pipeline_total']?.start_timestamps[0];
    return now === timings['pipeline_total']?.start_timestamps[0];
  });
  expect(kept.length).toBe(done.length);
});

test('a cancelled running task fails at once, and its work ends within seconds', async () => {
  const { task_id } = await conversion.submit(manyFiles(2_000));
  await until('it has begun', async () => (await getDocuments(task_id)).length > 0);
  expect(await conversion.tasks.cancel('default', task_id)).toMatchObject({
    task_status: 'failure',
    error_message: cancelledMessage,
  });
  let count = -1;
  await until(
    'no document is converted any more',
    async () => {
      const { length } = await getDocuments(task_id);
      const isStill = length === count;
      count = length;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return isStill;
    },
    15_000,
  );
  expect(count).toBeLessThan(2_000);
  expect(await get(task_id)).toMatchObject({ task_status: 'failure', error_message: cancelledMessage });
});

test('a document over document_timeout is ended, with that reason', async () => {
  const rows = Array.from({ length: 1_500_000 }, (_, row) => `${row},b,c,d,e,f`).join('\n');
  const started = Date.now();
  const task = await conversion.convert(
    { 'large.csv': rows, 'small.md': '# Small' },
    { options: { document_timeout: 1 } },
  );
  expect(Date.now() - started).toBeLessThan(20_000);
  const { documents } = await conversion.tasks.readResult('default', task.task_id);
  expect(documents).toMatchObject([{ status: 'failure', errors: [{ category: 'timeout' }] }, { status: 'success' }]);
});

test('a task whose workflow is terminated from outside is a failure with that reason', async () => {
  const { task_id } = await conversion.submit(manyFiles(1_500));
  const waiting = conversion.tasks.wait('default', task_id, 60_000);
  const { Client, Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  await new Client({ connection }).workflow
    .getHandle(`convert/file-0.md/${computeTaskKey(task_id)}`)
    .terminate('by the test');
  await connection.close();
  expect(await waiting).toMatchObject({
    task_status: 'failure',
    error_message: 'The workflow of the task ended before its documents did.',
    failure: { phase: 'orchestration' },
  });
});

test('without Temporal nothing is submitted, and nothing is left behind', async () => {
  const other = createConversionSystem({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  try {
    await expect(other.submit({ 'a.md': '# A' })).rejects.toMatchObject({ code: 'WORKFLOW_ENGINE_UNAVAILABLE' });
    expect(await other.tasks.list('default', { limit: 10, offset: 0 })).toEqual({ items: [], total: 0 });
  } finally {
    await other.close();
  }
});

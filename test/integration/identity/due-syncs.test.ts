import { randomUUID } from 'node:crypto';
import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client';
import { createDueSyncs } from '../../../services/identity/rights-sync';

const where = {
  address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233',
  namespace: 'default',
  taskQueue: `test-${randomUUID()}`,
};
const workflowId = `rights-${where.taskQueue}`;
let connection: Connection;
let client: Client;
beforeAll(async () => {
  connection = await Connection.connect({ address: where.address });
  client = new Client({ connection });
});
afterAll(() => connection.close());

test('several workers start the due syncs once, and again after a minute unless they still run', async () => {
  let now = Date.now();
  const workers = [createDueSyncs(where, () => now), createDueSyncs(where, () => now)];
  const startAll = () => Promise.all(workers.map((worker) => worker.start()));
  const getRunId = async () => (await client.workflow.getHandle(workflowId).describe()).runId;
  await startAll();
  const first = await getRunId();
  now += 120_000;
  await startAll();
  expect(await getRunId()).toBe(first);
  await client.workflow.getHandle(workflowId).terminate();
  now = Date.now();
  await startAll();
  expect(await getRunId()).toBe(first);
  now += 60_000;
  await startAll();
  expect(await getRunId()).not.toBe(first);
  // The clock was set back by an hour.
  await client.workflow.getHandle(workflowId).terminate();
  now = Date.now() - 3_600_000;
  const second = await getRunId();
  await startAll();
  expect(await getRunId()).not.toBe(second);
  await client.workflow.getHandle(workflowId).terminate();
  await Promise.all(workers.map((worker) => worker.close()));
});

test('the schedule of earlier versions is removed, and none is needed', async () => {
  const syncs = createDueSyncs(where);
  await client.schedule.create({
    scheduleId: workflowId,
    spec: { intervals: [{ every: '1h' }] },
    action: { type: 'startWorkflow', workflowType: 'syncRights', taskQueue: `${where.taskQueue}-flow` },
  });
  await syncs.removeSchedule();
  await expect(client.schedule.getHandle(workflowId).describe()).rejects.toThrow(ScheduleNotFoundError);
  await syncs.removeSchedule();
  await syncs.close();
});

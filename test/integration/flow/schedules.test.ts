import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { createSchedules, type FlowSchedule } from '../../../services/flow/schedules';
import { ensureSweep, buildSweepScheduleId } from '../../../services/temporal/sweep-schedule';
import { openDatabase } from '../../support/system/database';
import { until } from '../../support/system/system';

const where = {
  address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233',
  namespace: 'default',
  taskQueue: `test-${randomUUID()}`,
};
const mongo = openDatabase();
const schedules = createSchedules({ mongo, ...where });
let connection: Connection;
let client: Client;
beforeAll(async () => {
  connection = await Connection.connect({ address: where.address });
  client = new Client({ connection });
});
afterAll(async () => {
  await mongo.collection('flow_schedules').drop();
  await schedules.close();
  await mongo.close();
  await connection.close();
});

const flowId = randomUUID();
const flow = { flow_name: 'Invoices of 2026' };
const schedule = (change: Partial<FlowSchedule> = {}): FlowSchedule => ({
  schedule_id: randomUUID(),
  flow_id: flowId,
  owner: 'alice',
  cron: '30 6 * * 1-5',
  timezone: 'Europe/Berlin',
  configuration: { 'a.b': 1 },
  note: '',
  created_at: new Date().toISOString(),
  ...change,
});

test('a schedule lists its next times in its time zone, none while it is paused, and disappears when removed', async () => {
  const state = await schedules.create(schedule(), flow);
  expect(state).toMatchObject({ state: 'active', configuration: { 'a.b': 1 }, recent_runs: [], skipped_runs: 0 });
  expect(state.next_runs.length).toBeGreaterThan(4);
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    hour: '2-digit',
    minute: '2-digit',
    weekday: 'short',
  });
  for (const time of state.next_runs) expect(clock.format(new Date(time))).toMatch(/^(Mon|Tue|Wed|Thu|Fri),? 06:30$/);

  await schedules.setPaused(state.schedule_id, true, 'for a test');
  expect(await schedules.get(flowId, state.schedule_id)).toMatchObject({ state: 'paused', next_runs: [] });
  await schedules.setPaused(state.schedule_id, false, 'for a test');
  expect(await schedules.list(flowId, { limit: 1, offset: 0 })).toMatchObject({
    total: 1,
    items: [{ state: 'active' }],
  });
  expect(await schedules.get(randomUUID(), state.schedule_id)).toBeUndefined();

  await schedules.remove(state.schedule_id);
  await schedules.remove(state.schedule_id);
  expect(await schedules.get(flowId, state.schedule_id)).toBeUndefined();
});

test('a schedule is changed, and keeps its state if the change is rejected; it runs at once on request', async () => {
  const state = await schedules.create(schedule(), flow);
  const get = () => schedules.get(flowId, state.schedule_id);
  await schedules.change(state, { cron: '15 7 * * *', timezone: 'UTC', note: 'later' });
  const later = await get();
  expect(later).toMatchObject({ cron: '15 7 * * *', timezone: 'UTC', note: 'later', state: 'active' });
  expect(later?.next_runs[0]).toMatch(/T07:15:00/);
  for (const cron of ['0 6 31 2 *', '99 6 * * *'])
    await expect(schedules.change(later ?? state, { cron })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await get()).toMatchObject({ cron: '15 7 * * *', next_runs: later?.next_runs });
  await schedules.trigger(state.schedule_id);
  await until('the run was started', async () => ((await get())?.recent_runs.length ?? 0) > 0);
  await schedules.remove(state.schedule_id);
});

test('a schedule that Temporal rejects, or that is never due, is VALIDATION_ERROR and leaves no record', async () => {
  await expect(schedules.create(schedule({ cron: '99 6 * * *' }), flow)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  await expect(schedules.create(schedule({ cron: '0 6 31 2 *' }), flow)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('never due'),
  });
  expect((await schedules.list(flowId, { limit: 10, offset: 0 })).total).toBe(0);
});

test('a schedule that Temporal lost is reported as missing and can be removed; a removed flow removes all of its schedules', async () => {
  const lost = await schedules.create(schedule(), flow);
  const other = await schedules.create(schedule({ flow_id: randomUUID() }), flow);
  await client.schedule.getHandle(`schedule/Invoices-of-2026/${lost.schedule_id}`).delete();
  expect(await schedules.get(flowId, lost.schedule_id)).toMatchObject({ state: 'missing', next_runs: [] });
  await schedules.removeAll(flowId);
  expect((await schedules.list(flowId, { limit: 10, offset: 0 })).total).toBe(0);
  expect(await schedules.get(other.flow_id, other.schedule_id)).toMatchObject({ state: 'active' });
  await schedules.removeAll(other.flow_id);
});

test('the schedule of the sweep is created once, however many workers start', async () => {
  await Promise.all([ensureSweep(where), ensureSweep(where)]);
  await ensureSweep(where);
  const handle = client.schedule.getHandle(buildSweepScheduleId(where.taskQueue));
  const { action, policies } = await handle.describe();
  await handle.delete();
  expect(action).toMatchObject({ workflowType: 'sweep', taskQueue: `${where.taskQueue}-flow` });
  expect(policies.overlap).toBe('SKIP');
});

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { documentsIn, indexing, loggedIn, reading } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';
import { startTemporalOnPostgres, type TemporalOnPostgres } from './temporal-postgres';

/** A run whose Temporal server, and then its PostgreSQL, are killed and started again. */
let temporal: TemporalOnPostgres;
let system: System;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-postgres-'));
  temporal = await startTemporalOnPostgres(folder);
  system = createSystem({ TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: 'default' });
}, 1_200_000);
afterAll(async () => {
  await system.stop();
  await temporal.stop();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

test('a run continues after its Temporal server and its PostgreSQL were killed', async () => {
  const [api] = await Promise.all([system.startApi(), system.startWorker()]);
  const { client } = await loggedIn(api, 'alice');
  const count = 200;
  const documents = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${index}.md`, `# Bridge ${index}\n\nThe bridge of town ${index}.`]),
  );
  const source = documentsIn(system, 'bridges', documents, { allowed_users: ['alice'] });
  const { flow_id } = await client.flows.create({
    flow_name: 'bridges',
    flow: [...reading(source), ...indexing(system, 'bridges')],
    global_config: { micro_batch_size: 10, max_concurrent_batches: 1 },
  });
  const { job_run_id } = await client.jobRuns.create({ flow_id });
  const completed = async () => (await client.jobRuns.get(job_run_id)).totals.completed;
  await until('some documents are completed', async () => (await completed()) > 0, 120_000);
  process.kill(temporal.server.pid, 'SIGKILL');
  await temporal.server.exited;
  await temporal.startServer();
  const before = await completed();
  await until('the run goes on', async () => (await completed()) > before, 120_000);
  expect((await client.jobRuns.get(job_run_id)).ended_at).toBeNull();
  process.kill(temporal.database.pid, 'SIGKILL');
  await temporal.database.exited;
  await temporal.startDatabase();
  const run = await client.jobRuns.waitFor(job_run_id);
  expect(run).toMatchObject({ status: 'COMPLETED', totals: { completed: count, failed: 0 } });
  expect((await client.documents.search({ query: 'bridge', limit: 1 })).total).toBe(count);
}, 400_000);

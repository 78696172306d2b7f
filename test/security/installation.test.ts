import { type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../model/config';
import { createUnlimitedRights } from '../../model/run/rights';
import { operators } from '../../operators';
import { createFlowsStore } from '../../services/flow/flows-store';
import { createSchedules } from '../../services/flow/schedules';
import { createInstallationPlaces } from '../../services/installation/places';
import { verifyInstallation } from '../../services/installation/proof';
import { createInstallationRecords } from '../../services/installation/record';
import { createRuns } from '../../services/run/runs';
import { createRunsStore } from '../../services/run/runs-store';
import { startRun } from '../../services/run/start-run';
import { createRunStats } from '../../services/run/stats';
import { connectMongo } from '../../services/storage/mongo';
import { createObjectStore } from '../../services/storage/object-store';
import { openTemporal } from '../../services/temporal/client';
import { workflowOfRun } from '../support/system/evidence';
import { documentsIn, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { runRecord } from '../support/system/run-record';
import { createSystem, type System, until } from '../support/system/system';

const systems: System[] = [];
const folders: string[] = [];
const system = (change: Record<string, string> = {}): System => {
  const made = createSystem(change);
  systems.push(made);
  return made;
};
const emptyFolder = () => {
  const made = mkdtempSync('/tmp/docloom-moved-');
  folders.push(made);
  return made;
};
afterAll(async () => {
  await Promise.all(systems.map((system) => system.stop()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const getRows = (system: System) =>
  documentsIn(system, 'docs', { 'plover.md': '# Plover' }, { allowed_users: ['alice'] });
const namesOfRuns = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;
const ended = async ({ child, result }: { child: ChildProcess; result: Promise<{ stderr: string }> }) => {
  const { stderr } = await result;
  return { code: child.exitCode, stderr };
};

test('two installations on one Temporal, with the same prefix of queues, do not take tasks of each other', async () => {
  const queue = `shared-${randomUUID().slice(0, 8)}`;
  const [one, other] = [system({ DOCLOOM_TASK_QUEUE: queue }), system({ DOCLOOM_TASK_QUEUE: queue })];
  const folder = getRows(one);
  const [address] = await Promise.all([one.startApi(), one.startWorker(), other.startWorker()]);
  expect(await one.queuePrefix()).not.toBe(await other.queuePrefix());
  const { client } = await loggedIn(address, 'alice');
  const { flow_id } = await client.flows.create({ flow_name: namesOfRuns('apart'), flow: reading(folder) });
  const runs = await Promise.all(Array.from({ length: 4 }, () => runToEnd(client, flow_id)));
  expect(runs.map(({ status }) => status)).toEqual(Array(4).fill('COMPLETED'));
  const temporal = openTemporal({ address: one.env['TEMPORAL_ADDRESS'] ?? '', namespace: 'default' });
  const { workflow } = temporal.client;
  const { taskQueue } = await workflow.getHandle(await workflowOfRun(workflow, runs[0]?.job_run_id ?? '')).describe();
  await temporal.connection.close();
  expect(taskQueue).toBe(`${await one.queuePrefix()}-flow`);

  const copy = emptyFolder();
  cpSync(other.env['DOCLOOM_DATA'] ?? '', copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
  // Another data folder, another installation's data folder, another database, and the index of another.
  const changes: Record<string, string>[] = [
    { DOCLOOM_DATA: emptyFolder() },
    { DOCLOOM_DATA: other.env['DOCLOOM_DATA'] ?? '' },
    { MONGODB_URL: other.env['MONGODB_URL'] ?? '' },
    { MONGODB_URL: `${one.env['MONGODB_URL']}_new` },
    { SEARCH_DEFAULT_INDEX: other.env['SEARCH_DEFAULT_INDEX'] ?? '' },
    // Database and store of another with the index of this one, a store of another kind, and a copy of another's data folder.
    { MONGODB_URL: other.env['MONGODB_URL'] ?? '', DOCLOOM_DATA: other.env['DOCLOOM_DATA'] ?? '' },
    { DOCLOOM_STORAGE: 's3', DOCLOOM_S3_PREFIX: randomUUID() },
    { DOCLOOM_DATA: copy },
  ];
  const attempts = await Promise.all(
    changes.flatMap((change, index) =>
      (index % 2 === 0 ? ['worker', 'api'] : ['worker']).map((command) =>
        ended(createSystem({ ...one.env, ...change }).spawn([command])),
      ),
    ),
  );
  for (const { code, stderr } of attempts) {
    expect([code, stderr]).toEqual([2, expect.stringMatching(/belongs to the installation .*INSTALLATION_MISMATCH/)]);
    expect(stderr).toContain('docloom installation accept');
  }
  // Rejected requests changed nothing.
  expect((await runToEnd(client, flow_id)).status).toBe('COMPLETED');
});

test('a store that was moved is accepted by a command', async () => {
  const candidate = system();
  const stopped = await candidate.startWorker();
  stopped.kill('SIGTERM');
  await until('the worker has ended', () => stopped.exitCode !== null);
  const moved = system({ ...candidate.env, DOCLOOM_DATA: emptyFolder() });
  const shown = await moved.spawn(['installation', '--json']).result;
  expect([shown.code, JSON.parse(shown.stdout)]).toEqual([1, expect.objectContaining({ store: null, belongs_together: false })]); // prettier-ignore
  await expect(moved.startWorker()).rejects.toThrow('INSTALLATION_MISMATCH');
  expect((await moved.spawn(['installation', 'accept', 'database']).result).code).toBe(2);
  expect((await moved.spawn(['installation', 'accept', 'store']).result).code).toBe(0);
  expect((await moved.spawn(['installation']).result).stdout).toContain('They belong together.');
  expect((await moved.startWorker()).exitCode).toBeNull();
});

test('an installation of an earlier version keeps its runs, schedules and files, and its old queues are polled', async () => {
  const old = system();
  const folder = getRows(old);
  const config = readConfig(old.env);
  const mongo = connectMongo(config.MONGODB_URL);
  const temporal = { address: config.TEMPORAL_ADDRESS, namespace: 'default', taskQueue: config.DOCLOOM_TASK_QUEUE };
  const runsStore = createRunsStore(mongo, createRunStats(config, mongo));
  const runs = createRuns(temporal);
  const schedules = createSchedules({ mongo, ...temporal });
  const flow = await createFlowsStore(mongo).create({
    ...flowRecord('before'),
    flow: reading(folder),
  });
  const { run } = await startRun(
    { operators, runsStore, runs },
    { flow, owner: 'alice', acting: createUnlimitedRights('alice'), jobId: randomUUID() },
  );
  const { schedule_id, temporal_id = schedule_id } = await schedules.create(
    {
      schedule_id: randomUUID(),
      flow_id: flow.flow_id,
      owner: 'alice',
      cron: '0 0 1 1 *',
      timezone: 'UTC',
      configuration: {},
      note: 'yearly',
      created_at: new Date().toISOString(),
    },
    flow,
  );
  await runsStore.create({ ...runRecord(), status: 'COMPLETED', ended_at: new Date().toISOString() });
  // Its files are elsewhere: a wrong data folder is not adopted.
  await expect(old.startWorker()).rejects.toThrow('whose files are not in');
  mkdirSync(path.join(config.DOCLOOM_DATA, 'store', 'run'), { recursive: true });
  writeFileSync(path.join(config.DOCLOOM_DATA, 'store', 'run', 'kept.parquet'), 'rows');

  await old.startWorker();
  await until('the run has ended', async () => (await runsStore.get(run.job_run_id))?.status === 'COMPLETED');
  const { client, connection } = openTemporal(temporal);
  const handle = client.schedule.getHandle(temporal_id);
  const queue = async () => (await handle.describe()).action as { taskQueue?: string };
  await until('the schedule uses the new queue', async () => (await queue()).taskQueue === `${await old.queuePrefix()}-flow`); // prettier-ignore
  expect((await handle.describe()).state.note).toBe('yearly');
  await schedules.remove(schedule_id);
  expect(await createInstallationRecords(mongo).find()).toMatchObject({ had_work: true, store_marked: true });
  expect(readFileSync(path.join(config.DOCLOOM_DATA, 'store', 'run', 'kept.parquet'), 'utf8')).toBe('rows');
  await Promise.all([connection.close(), runs.close(), schedules.close(), mongo.close()]);
});

test.each(['folder', 's3'])('processes that start at the same moment agree, with a %s as store', async (kind) => {
  const candidate = system({ DOCLOOM_STORAGE: kind, DOCLOOM_S3_PREFIX: randomUUID() });
  const config = readConfig(candidate.env);
  const started = Array.from({ length: 8 }, () => {
    const mongo = connectMongo(config.MONGODB_URL);
    const store = createObjectStore(config);
    return { mongo, store, places: createInstallationPlaces(config, mongo, store) };
  });
  const records = await Promise.all(started.map(({ places }) => verifyInstallation(places, () => undefined)));
  expect(new Set(records.map(({ identity }) => identity)).size).toBe(1);
  expect(records[0]?.identity).toMatch(/^[a-z0-9]{12}$/);
  for (const { places, mongo, store } of started) {
    expect(await places.store.read()).toBe(records[0]?.identity);
    await Promise.all([places.close(), mongo.close()]);
    store.close();
  }
});

function flowRecord(name: string) {
  const now = new Date().toISOString();
  return {
    flow_id: randomUUID(),
    flow_name: `${name}-${randomUUID()}`,
    owner: 'alice',
    readers: [],
    flow_source: 'api',
    flow_version: '2.0',
    created_on: now,
    modified_on: now,
    created_by: 'alice',
    modified_by: 'alice',
    flow: [],
  } as unknown as Parameters<ReturnType<typeof createFlowsStore>['create']>[0];
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '../../../client';
import { findRunningStack, type StackInfo } from '../../../embedded/stack-file';
import { readConfig } from '../../../model/config';
import { createConnectionsStore } from '../../../services/connection/store';
import { connectMongo } from '../../../services/storage/mongo';
import { createConfiguredSealer } from '../../../services/storage/sealing/sealer-keys';
import { runToEnd } from '../../support/system/over-http';
import { getClient, createOwnStacks, getPid, getToken } from '../../support/system/own-stack';
import { until } from '../../support/system/system';

// A separate installation is backed up in the middle of a run, and restored next to it with its own servers.
const stacks = createOwnStacks('backup');
const { folder } = stacks;
const file = path.join(folder, 'one.backup');
const key = path.join(folder, 'key');
const documents = 90;
const secret = 'sk-restored-0123456789';

const getOperators = (name: string) => [
  { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: [path.join(folder, name)] } } },
  { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
  { type: 'vectordb', name: 'index', depends_on: ['extract'], config: { provider: 'opensearch', index_name: name } },
  { type: 'document_set', name: 'keep', depends_on: ['extract'], config: { document_set_name: name } },
];

function writeDocuments(name: string, word: string, count: number): void {
  mkdirSync(path.join(folder, name));
  for (let index = 0; index < count; index += 1)
    writeFileSync(path.join(folder, name, `${index}.md`), `# ${word} ${index}\n\n${word} number ${index}`);
}

/** Everything that users see of an installation, but the run that was in progress and the ports. */
async function dump(client: Client, liveRun: string) {
  const runs = (await client.jobRuns.list({ limit: 100 })).list.filter(({ job_run_id }) => job_run_id !== liveRun);
  const flows = (await client.flows.list({ limit: 100 })).flows;
  const sets = (await client.documentSets.list({ limit: 100 })).items.filter(({ name }) => name === 'done');
  const searches = ['gnu', 'gnus'].map((query) => client.documents.search({ query, limit: 50 }));
  const seen = {
    flows: await Promise.all(flows.map(({ flow_id }) => client.flows.get(flow_id))),
    runs: await Promise.all(runs.map(({ job_run_id }) => client.jobRuns.get(job_run_id))),
    reports: await Promise.all(runs.map(({ job_run_id }) => client.jobRuns.report(job_run_id))),
    results: await Promise.all(runs.map(({ job_run_id }) => client.jobRuns.documents(job_run_id, { limit: 100 }))),
    schedules: await Promise.all(flows.map(({ flow_id }) => client.schedules.list(flow_id))),
    searches: (await Promise.all(searches)).map(({ total, documents: found }) => ({ total, found })),
    connections: await client.connections.list(),
    sets,
    me: await client.me(),
  };
  return JSON.parse(JSON.stringify(seen).replaceAll(/127\.0\.0\.1:\d+/g, 'HERE')) as typeof seen;
}

async function untilEnded(client: Client, runId: string) {
  const ended = async () => Boolean((await client.jobRuns.get(runId).catch(() => undefined))?.ended_at);
  await until('the run has ended', ended, 240_000);
  return client.jobRuns.get(runId);
}

async function secretsIn({ dataDir, env }: StackInfo): Promise<unknown> {
  const config = readConfig({ ...env, DOCLOOM_DATA: dataDir });
  const mongo = connectMongo(config.MONGODB_URL, createConfiguredSealer(config));
  try {
    return await createConnectionsStore(mongo).open(['models'], [{ username: 'alice', groups: [] }]);
  } finally {
    await mongo.close();
  }
}

let info: StackInfo;
let client: Client;
let liveRun: string;
let loggedOut: string;
let finished: string;
beforeAll(async () => {
  writeDocuments('done', 'gnu', 30);
  writeDocuments('live', 'okapi', documents);
  writeFileSync(key, 'correct horse battery staple\n');
  info = await stacks.up('one');
  client = getClient(info);
  loggedOut = getToken(info);
  await getClient(info, loggedOut).logout();
  await client.connections.create({ name: 'models', type: 'model', hosts: ['127.0.0.1'], secret });
  const done = await client.flows.create({ flow_name: 'done', flow: getOperators('done') });
  finished = (await runToEnd(client, done.flow_id)).status;
  await client.schedules.create(done.flow_id, { cron: '0 3 1 1 *', timezone: 'UTC' });
  const live = await client.flows.create({
    flow_name: 'live',
    flow: getOperators('live'),
    global_config: { micro_batch_size: 5, max_concurrent_batches: 1 },
  });
  liveRun = (await client.jobRuns.create({ flow_id: live.flow_id })).job_run_id;
  await until('a part of the documents is done', async () => {
    const { totals } = await client.jobRuns.get(liveRun);
    return (totals?.completed ?? 0) > 0;
  });
}, 400_000);
afterAll(() => stacks.stop(), 120_000);

test('a backup that is killed leaves the installation running', async () => {
  const freeze = path.join(__dirname, '..', '..', '..', 'dist', 'embedded', 'backup', 'freeze.js');
  const names = ['api', 'worker', 'temporal', 'mongo', 'search'];
  const script = `require(${JSON.stringify(freeze)}).runWhileFrozen(${JSON.stringify(info.dataDir)}, ${JSON.stringify(names)}, () => process.kill(process.pid, 'SIGKILL'))`;
  const [, signal] = (await once(spawn(process.execPath, ['-e', script]), 'close')) as [unknown, string];
  expect(signal).toBe('SIGKILL');
  await until('every server answers', () => fetch(`${info.apiAddress}/ready`).then((response) => response.ok));
  const stopped = names.filter((name) => /\) T /.test(readFileSync(`/proc/${getPid(info, name)}/stat`, 'utf8')));
  expect(stopped).toEqual([]);
});

test('a restore elsewhere has the same data, and the run in progress ends in both places, each document once', async () => {
  expect(finished).toBe('COMPLETED');
  const made = await stacks.docloom('one', 'backup', file, '--key-file', key, '--json');
  expect(made).toMatchObject({ code: 0 });
  const record = JSON.parse(made.stdout) as { frozen_ms: number };
  expect(record).toMatchObject({ encrypted: true, running: true });
  expect(record.frozen_ms).toBeLessThan(10_000);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // The run was in progress at that moment.
  expect((await client.jobRuns.get(liveRun)).status).toBe('RUNNING');

  expect(await stacks.docloom('one', 'restore', file, '--key-file', key)).toMatchObject({ code: 1 });
  expect(await stacks.docloom('two', 'restore', file, '--key-file', key, '--json')).toMatchObject({ code: 0 });
  const two = await stacks.up('two');
  expect(two.servers.map(({ pid }) => pid)).not.toEqual(info.servers.map(({ pid }) => pid));
  expect(two.apiAddress).not.toBe(info.apiAddress);
  // A token of the original counts, and one that was logged out there does not.
  const restored = getClient(two, getToken(info));
  await expect(getClient(two, loggedOut).me()).rejects.toMatchObject({ status: 401 });
  expect(await dump(restored, liveRun)).toEqual(await dump(client, liveRun));
  expect(await secretsIn(two)).toMatchObject([{ name: 'models', secret }]);
  await until('all of the copy is ready', async () => (await stacks.docloom('two', 'status')).code === 0);

  for (const [stack, here] of [
    [info, client],
    [two, restored],
  ] as const) {
    const run = await untilEnded(here, liveRun);
    expect(run).toMatchObject({ status: 'COMPLETED', totals: { documents, completed: documents, failed: 0 } });
    const { total, documents: found } = await here.documents.search({ query: 'okapi', limit: 100 });
    expect({ total, ids: new Set(found.map(({ id }) => id)).size }).toEqual({
      total: documents,
      ids: documents,
    });
    const { items: sets } = await here.documentSets.list({ limit: 10 });
    expect(sets.find(({ name }) => name === 'live')).toMatchObject({
      total_documents: documents,
      total_rows: documents,
    });
    expect(findRunningStack(stack.dataDir)?.restarts).toEqual({});
  }
}, 900_000);

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, type Client } from '../../client';
import { runningStack, type StackInfo } from '../../embedded/stack-file';
import { createTokens } from '../../services/login/tokens';
import { until } from '../support/system/system';

// Two stacks with servers of their own, started at the same moment: none of the servers of the other tests is used.
const bin = path.join(__dirname, '..', '..', 'bin', 'docloom');
const given = /^(TEMPORAL|MONGODB|SEARCH|LDAP|DOCLOOM_(S3|PORT|METRICS|DATA|TASK|STORAGE)|JWT)_?/;
const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !given.test(name)));
const folder = mkdtempSync(path.join(tmpdir(), 'docloom-supervision-'));
const stacks: ChildProcess[] = [];

async function up(name: string): Promise<StackInfo> {
  const dataDir = path.join(folder, name);
  const child = spawn(process.execPath, [bin, 'up'], {
    ...{ env: { ...plain, DOCLOOM_DATA: dataDir, DOCLOOM_DRAIN_SECONDS: '1' }, cwd: folder },
    stdio: 'ignore',
  });
  stacks.push(child);
  await until(`${name} is up`, () => child.exitCode !== null || runningStack(dataDir) !== undefined, 300_000);
  return runningStack(dataDir) as StackInfo;
}

function clientOf({ dataDir, apiAddress }: StackInfo): Client {
  const secret = readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8');
  const user = { username: 'alice', email: '', full_name: '', groups: [] };
  return createClient({ baseUrl: apiAddress, token: createTokens({ secret, expireMinutes: 60 }).issue(user) });
}

/** The process that has the place of the name now. */
function pidOf({ dataDir }: StackInfo, name: string): number {
  const now = runningStack(dataDir);
  const server = now?.servers.find((one) => one.name === name)?.pid;
  return server ?? (now?.processes.find((one) => one.name === name)?.mark.pid as number);
}

let one: StackInfo;
let other: StackInfo;
beforeAll(async () => {
  mkdirSync(path.join(folder, 'docs'));
  for (let index = 0; index < 300; index += 1)
    writeFileSync(path.join(folder, 'docs', `${index}.md`), `# Note ${index}\n\nokapi number ${index}`);
  [one, other] = await Promise.all([up('one'), up('other')]);
}, 400_000);
afterAll(async () => {
  await Promise.all(
    stacks.map(async (child) => {
      child.kill('SIGTERM');
      await until('the stack has ended', () => child.exitCode !== null || child.signalCode !== null);
    }),
  );
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

test('two stacks of one second share no server', () => {
  const addresses = (stack: StackInfo) => [stack.apiAddress, ...stack.servers.map(({ address }) => address)];
  expect(addresses(one).filter((address) => addresses(other).includes(address))).toEqual([]);
  const pids = [one, other].flatMap((stack) => stack.servers.map(({ pid }) => pid));
  expect(new Set(pids).size).toBe(6);
});

test('a run finishes though worker, api, Temporal, database and OpenSearch are killed in turn', async () => {
  const client = clientOf(one);
  const operators = [
    { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: [path.join(folder, 'docs')] } } },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    {
      type: 'vectordb',
      name: 'index',
      depends_on: ['extract'],
      config: { provider: 'opensearch', index_name: 'kept' },
    },
  ];
  const flow = await client.flows.create({
    flow_name: 'supervised',
    flow: operators,
    global_config: { micro_batch_size: 5, max_concurrent_batches: 1 },
  });
  const { job_run_id: runId } = await client.jobRuns.create({ flow_id: flow.flow_id });
  for (const name of ['worker', 'api', 'temporal', 'mongo', 'search']) {
    const before = pidOf(one, name);
    process.kill(before, 'SIGKILL');
    await until(`${name} runs again`, () => pidOf(one, name) !== before, 180_000);
  }
  let state = '';
  await until(
    'the run has ended',
    async () => {
      const run = await client.jobRuns.get(runId).catch(() => undefined);
      state = run ? `${run.status} ${run.message} ${JSON.stringify(run.totals)}` : state;
      return run?.ended_at !== undefined && run.ended_at !== null;
    },
    240_000,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${state}`);
  });
  const run = await client.jobRuns.get(runId);
  expect(run).toMatchObject({ status: 'COMPLETED', totals: { documents: 300, completed: 300, failed: 0 } });
  const { total } = await client.documents.search({ query: 'okapi', limit: 1 });
  expect(total).toBe(300);
  expect(Object.keys(runningStack(one.dataDir)?.restarts ?? {}).toSorted()).toEqual(
    ['api', 'mongo', 'search', 'temporal', 'worker'].toSorted(),
  );
}, 900_000);

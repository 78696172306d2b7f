import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findRunningStack, type StackInfo } from '../../../embedded/stack-file';
import { getClient, createOwnStacks, getPid } from '../../support/system/own-stack';
import { until } from '../../support/system/system';

// Two stacks with their own servers, started at the same moment, independent of the servers of the other tests.
const stacks = createOwnStacks('supervision');
const { folder } = stacks;

let info: StackInfo;
let other: StackInfo;
beforeAll(async () => {
  mkdirSync(path.join(folder, 'docs'));
  for (let index = 0; index < 300; index += 1)
    writeFileSync(path.join(folder, 'docs', `${index}.md`), `# Note ${index}\n\nokapi number ${index}`);
  [info, other] = await Promise.all([stacks.up('one'), stacks.up('other')]);
}, 400_000);
afterAll(() => stacks.stop(), 120_000);

test('two stacks started in the same second share no server', () => {
  const addresses = (stack: StackInfo) => [stack.apiAddress, ...stack.servers.map(({ address }) => address)];
  expect(addresses(info).filter((address) => addresses(other).includes(address))).toEqual([]);
  const pids = [info, other].flatMap((stack) => stack.servers.map(({ pid }) => pid));
  expect(new Set(pids).size).toBe(6);
});

test('a run finishes though worker, api, Temporal, database and OpenSearch are killed in turn', async () => {
  const client = getClient(info);
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
    const before = getPid(info, name);
    process.kill(before, 'SIGKILL');
    await until(`${name} runs again`, () => getPid(info, name) !== before, 180_000);
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
  expect(Object.keys(findRunningStack(info.dataDir)?.restarts ?? {}).toSorted()).toEqual(
    ['api', 'mongo', 'search', 'temporal', 'worker'].toSorted(),
  );
}, 900_000);

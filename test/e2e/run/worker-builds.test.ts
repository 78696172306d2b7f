import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Connection } from '@temporalio/client';
import type { Client } from '../../../client';
import { documentsIn, loggedIn, reading } from '../../support/system/over-http';
import { createSystem, until } from '../../support/system/system';

// An upgrade with DOCLOOM_WORKER_BUILD: workers of two builds side by side.
const system = createSystem();
const documents = 12;
let client: Client;
let temporal: Connection;
let deploymentName: string;
let second: ChildProcess;

beforeAll(async () => {
  temporal = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  const address = await system.startApi();
  await system.startWorker({ DOCLOOM_WORKER_BUILD: 'one' });
  deploymentName = await system.queuePrefix();
  await makeCurrent('one');
  client = (await loggedIn(address, 'alice')).client;
}, 400_000);
afterAll(async () => {
  await temporal?.close();
  await system.stop();
});

/** What `temporal worker deployment set-current-version` does. */
async function makeCurrent(buildId: string): Promise<void> {
  const call = { namespace: 'default', deploymentName, buildId };
  const taken = () =>
    temporal.workflowService.setWorkerDeploymentCurrentVersion(call).then(
      () => true,
      () => false,
    );
  await until(`Temporal knows the build ${buildId}`, taken, 120_000);
}

/** The builds of the workers that the workflows of a run were pinned to. */
async function findBuilds(runId: string): Promise<string[]> {
  const builds = async (): Promise<string[]> => {
    const query = `JobRunId = '${runId}'`;
    const { executions } = await temporal.workflowService.listWorkflowExecutions({ namespace: 'default', query });
    return Promise.all(
      (executions ?? []).map(async ({ execution }) => {
        const { workflowExecutionInfo: info } = await temporal.workflowService.describeWorkflowExecution({
          namespace: 'default',
          execution,
        });
        return `${info?.type?.name} ${info?.versioningInfo?.deploymentVersion?.buildId}`;
      }),
    );
  };
  await until('the run and its batches are listed', async () => (await builds()).length === documents + 1);
  return [...new Set(await builds())].toSorted();
}

async function startFlow(name: string): Promise<string> {
  const names = Array.from({ length: documents }, (_none, index) => [`${index}.md`, `# Note ${index} of ${name}`]);
  const folder = documentsIn(system, name, Object.fromEntries(names), { allowed_users: ['*'] });
  const { flow_id } = await client.flows.create({
    flow_name: name,
    flow: reading(folder),
    global_config: { micro_batch_size: 1, max_concurrent_batches: 1, force_ingest: true },
  });
  return flow_id;
}

/** Starts a run and pauses it after its first documents, with no batch running. */
async function startAndPause(flow_id: string): Promise<string> {
  const { job_run_id: runId } = await client.jobRuns.create({ flow_id });
  const hasDocuments = async () => (await client.jobRuns.get(runId)).totals.completed > 0;
  await until('the run has documents', hasDocuments, 120_000);
  await client.jobRuns.pause(runId);
  const query = `JobRunId = '${runId}' AND ExecutionStatus = 'Running'`;
  const open = () => temporal.workflowService.listWorkflowExecutions({ namespace: 'default', query });
  await until('no batch is running', async () => (await open()).executions?.length === 1);
  return runId;
}

async function end(runId: string) {
  await until('the run has ended', async () => Boolean((await client.jobRuns.get(runId)).ended_at), 180_000);
  return (await client.jobRuns.get(runId)).totals;
}

test('a run that one build began ends with it while new runs go to the next', async () => {
  const flow_id = await startFlow('side-by-side');
  const first = await startAndPause(flow_id);
  second = await system.startWorker({ DOCLOOM_WORKER_BUILD: 'two' });
  await makeCurrent('two');
  await client.jobRuns.resume(first);
  expect(await end(first)).toMatchObject({ documents, completed: documents, failed: 0 });
  const { job_run_id: next } = await client.jobRuns.create({ flow_id });
  expect(await end(next)).toMatchObject({ documents, completed: documents, failed: 0 });
  expect(await findBuilds(first)).toEqual(['runBatch one', 'runFlow one']);
  expect(await findBuilds(next)).toEqual(['runBatch two', 'runFlow two']);
}, 600_000);

test('a run whose build is gone is moved to the next one, which continues it from its history', async () => {
  const runId = await startAndPause(await startFlow('moved'));
  const done = (await client.jobRuns.get(runId)).totals.completed;
  await system.startWorker({ DOCLOOM_WORKER_BUILD: 'three' });
  await makeCurrent('three');
  const gone = once(second, 'exit');
  second.kill('SIGTERM');
  await gone;
  // What `temporal workflow update-options --versioning-override-behavior auto_upgrade` does.
  const { executions } = await temporal.workflowService.listWorkflowExecutions({
    namespace: 'default',
    query: `JobRunId = '${runId}' AND WorkflowType = 'runFlow'`,
  });
  await temporal.workflowService.updateWorkflowExecutionOptions({
    namespace: 'default',
    workflowExecution: executions?.[0]?.execution,
    workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
    updateMask: { paths: ['versioning_override'] },
  });
  await client.jobRuns.resume(runId);
  expect(await end(runId)).toMatchObject({ documents, completed: documents, failed: 0 });
  expect(done).toBeLessThan(documents);
  expect(await findBuilds(runId)).toContain('runBatch three');
}, 600_000);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { buildChunkFlow } from '../support/chunk-flow';
import { readResidentMb } from '../support/measure';
import { benchFolder, docloom } from '../support/stack';
import type { Target } from '../support/targets';
import { createUserClient, type ScaleBench, writeSmallFiles } from './scale-bench';

/** The first tenant has this many times as many documents as each of the others. */
const firstHas = 10;

interface TenantRun {
  documents: number;
  seconds: number;
}

/** Whether tenants with few documents wait for one with many, with many workers as processes. */
export async function measureTenants(bench: ScaleBench): Promise<Target[]> {
  const { say } = bench;
  const [workers, tenants, documents] = [bench.size('workers'), bench.size('tenants'), bench.size('documents')];
  const stopWorkers = await startWorkers(bench, workers - 1);
  try {
    const begun = performance.now();
    // Its tasks are in the queues before the others come.
    const large = await startRun(bench, 'scale-large', firstHas * documents);
    const small = Array.from({ length: tenants }, async (_, index) =>
      (await startRun(bench, `scale-tenant-${index}`, documents)).untilEnd(),
    );
    const [heavy, ...runs] = await Promise.all([large.untilEnd(), ...small]);
    const total = (performance.now() - begun) / 1_000;
    const rate = (tenants * documents + heavy.documents) / total;
    // All tenants who are there at the same time have the same share of the machine.
    const share = ((tenants + 1) * documents) / rate;
    const slowest = Math.max(...runs.map(({ seconds }) => seconds));
    say('');
    say(
      `tenants: ${workers} workers, ${rate.toFixed(1)} documents a second; ${tenants} tenants with ${documents} documents ended after ${Math.min(...runs.map(({ seconds }) => seconds)).toFixed(1)} to ${slowest.toFixed(1)} s (share ${share.toFixed(1)} s), the one with ${heavy.documents} after ${heavy.seconds.toFixed(1)} s`,
    );
    return [
      { name: 'longest time of a tenant relative to its share', value: slowest / share, atMost: 2, unit: ' times' },
    ];
  } finally {
    await stopWorkers();
  }
}

async function startRun(bench: ScaleBench, tenant: string, documents: number) {
  const folder = await writeSmallFiles(bench, tenant, documents);
  const client = createUserClient(bench, tenant);
  const flow = await client.flows.create(buildChunkFlow(`${tenant}-${Date.now()}`, folder));
  const from = performance.now();
  const { job_run_id } = await client.jobRuns.create({ flow_id: flow.flow_id });
  const untilEnd = async (): Promise<TenantRun> => {
    const { totals, status } = await client.jobRuns.waitFor(job_run_id);
    if (totals.completed !== documents)
      throw new Error(`The run of ${tenant} ended as ${status} with ${totals.completed} of ${documents} documents.`);
    return { documents, seconds: (performance.now() - from) / 1_000 };
  };
  // The run may still be starting.
  while ((await client.jobRuns.get(job_run_id)).status === 'STARTING') await delay(50);
  return { untilEnd };
}

/** Further workers of the installation, each with one conversion thread. The result stops them. */
async function startWorkers({ stack, dataDir, say }: ScaleBench, count: number): Promise<() => Promise<void>> {
  const env = {
    ...process.env,
    ...stack.info.env,
    DOCLOOM_SOURCE_ROOTS: benchFolder(dataDir),
    DOCLOOM_CONVERSION_THREADS: '1',
    DOCLOOM_METRICS_PORT: '0',
    DS_LOG_LEVEL: 'ERROR',
  };
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, [docloom, 'worker'], { env, stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  const exits = children.map((child) => once(child, 'exit'));
  // A worker loads for seconds of processor time before it polls.
  await delay(3_000 + 1_000 * count);
  const ended = children.find(({ exitCode }) => exitCode !== null);
  if (ended) throw new Error(`A worker ended with exit code ${ended.exitCode}; its output above says why.`);
  const memory = children.reduce((sum, { pid }) => sum + readResidentMb(pid ?? 0), 0);
  say(`tenants: ${count} further workers, ${(memory / Math.max(1, count)).toFixed(0)} MB each when idle`);
  return async () => {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(exits);
  };
}

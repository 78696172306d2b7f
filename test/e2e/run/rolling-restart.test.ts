import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createCaller } from '../../../bench/support/http-load';
import { type Client, createClient, type JobRunReply } from '../../../client';
import { freePort } from '../../support/servers/free-port';
import { type Balancer, startBalancer } from '../../support/system/balancer';
import { createSystem, until } from '../../support/system/system';

// Two apis behind a load balancer and two workers are restarted one after the other, while clients call and runs follow each other.
const system = createSystem({ DOCLOOM_DRAIN_SECONDS: '30', JWT_SECRET_KEY: randomUUID() + randomUUID() });
const documents = 80;
let balancer: Balancer;
const apis: { port: number; child: ChildProcess }[] = [];
const workers: ChildProcess[] = [];
let load: ReturnType<typeof startLoad>;

beforeAll(async () => {
  const ports = [await freePort(), await freePort()];
  balancer = await startBalancer(ports);
  for (const port of ports) apis.push({ port, child: await startApi(port) });
  for (const _port of ports) workers.push(await system.startWorker());
}, 400_000);
afterAll(async () => {
  await load?.stop();
  balancer.close();
  await Promise.all(apis.map(({ child }) => stop(child)));
  await system.stop();
});

async function startApi(port: number): Promise<ChildProcess> {
  const { child, result } = system.spawn(['api'], { DOCLOOM_PORT: String(port) });
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`the api ended: ${(await result).stderr}`);
    return (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.ok ?? false;
  };
  await until('the api answers', answers, 180_000);
  return child;
}

async function stop(child: ChildProcess): Promise<number | null> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = (await ended) as [number | null];
  return code;
}

/** Calls continuously on keep-alive connections, without repeating failed calls. `stop` returns the number of calls. */
function startLoad(token: string, flowId: string, runId: string) {
  const caller = createCaller(balancer.address, { token, connections: 8 });
  const failures: unknown[] = [];
  const load = { calls: 0, isOver: false };
  const flow = [{ type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: [system.folder] } } }];
  const works = [
    () => caller.call('GET', `/api/v1/flows/${flowId}`),
    () => caller.call('GET', `/api/v1/job_runs/${runId}`),
    () => caller.call('POST', '/api/v1/flows', { flow_name: `made-${randomUUID()}`, flow }),
    () =>
      caller.call('POST', '/v1/convert/source', {
        sources: [{ kind: 'file', filename: 'a.md', base64_string: Buffer.from('# Title').toString('base64') }],
      }),
  ];
  const lane = async (work: () => Promise<number>) => {
    while (!load.isOver) {
      load.calls += 1;
      await work().catch((error: unknown) => failures.push(error));
      // Without a pause, the calls take the processors that the runs need.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const lanes = Promise.all(works.map(lane));
  return {
    failures,
    calls: () => load.calls,
    async stop() {
      load.isOver = true;
      await lanes;
      caller.close();
    },
  };
}

/** Starts a run as soon as the one before has ended. `stop` waits for the last one and returns all. */
function startRuns(client: Client, flowId: string, first: string) {
  const state = { isOver: false };
  const ended = (async () => {
    const runs: JobRunReply[] = [];
    for (let id = first; ; id = (await client.jobRuns.create({ flow_id: flowId })).job_run_id) {
      await until('the run has ended', async () => Boolean((await client.jobRuns.get(id)).ended_at), 180_000);
      runs.push(await client.jobRuns.get(id));
      if (state.isOver) return runs;
    }
  })();
  ended.catch(() => undefined); // `stop` reports it.
  return {
    stop() {
      state.isOver = true;
      return ended;
    },
  };
}

test('a rolling restart of apis and workers under load fails no request and no run', async () => {
  const folder = path.join(system.folder, 'docs');
  mkdirSync(folder);
  for (let index = 0; index < documents; index += 1)
    writeFileSync(path.join(folder, `${index}.md`), `# Note ${index}\n\nText of note ${index}.`);
  const { access_token: token } = await createClient({ baseUrl: balancer.address }).login('alice', 'alice-secret');
  const client = createClient({ baseUrl: balancer.address, token });
  const flow = await client.flows.create({
    flow_name: 'rolled',
    flow: [
      { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: [folder] } } },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
      { type: 'chunker', name: 'chunk', depends_on: ['extract'] },
    ],
    global_config: { micro_batch_size: 1, max_concurrent_batches: 2 },
  });
  const { job_run_id: runId } = await client.jobRuns.create({ flow_id: flow.flow_id });
  load = startLoad(token, flow.flow_id, runId);
  const runs = startRuns(client, flow.flow_id, runId);
  const moreCalls = async () => {
    const before = load.calls();
    await until('the clients have called again', () => load.calls() >= before + 40);
  };
  const restarted: string[] = [];
  for (const index of [0, 1]) {
    await moreCalls();
    const api = apis[index] as (typeof apis)[number];
    expect(await stop(api.child)).toBe(0);
    api.child = await startApi(api.port);
    restarted.push(`api ${index}`);
    expect(await stop(workers[index] as ChildProcess)).toBe(0);
    workers[index] = await system.startWorker();
    restarted.push(`worker ${index}`);
  }
  await moreCalls();
  const ended = await runs.stop();
  await load.stop();
  expect(load.failures.map(String)).toEqual([]);
  expect(restarted).toEqual(['api 0', 'worker 0', 'api 1', 'worker 1']);
  // A later run skips what an earlier one has ingested.
  for (const [index, run] of ended.entries()) {
    const [completed, skipped] = index === 0 ? [documents, 0] : [0, documents];
    expect(run).toMatchObject({ status: 'COMPLETED', totals: { documents, completed, skipped, failed: 0 } });
  }
}, 600_000);

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Balancer, startBalancer } from '../support/system/balancer';
import { documentsIn, indexing, loggedIn, reading } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';
import { askNode, type SearchNode, startSearchCluster } from './opensearch-cluster';

/** A run into a cluster of OpenSearch behind a load balancer, of which the node with the primary shard is killed. */
let nodes: SearchNode[] = [];
let balancer: Balancer;
let system: System;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-cluster-'));
  nodes = await startSearchCluster(folder, 3);
  balancer = await startBalancer(nodes.map(({ port }) => port));
  const { hostname, port } = new URL(balancer.address);
  system = createSystem({ SEARCH_HOST: hostname, SEARCH_PORT: port });
}, 300_000);
afterAll(async () => {
  await system.stop();
  balancer.close();
  await Promise.all(nodes.map((node) => node.process.stop()));
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

interface Shard {
  prirep: 'p' | 'r';
  state: string;
  node: string;
}

async function getShards(port: number, index: string): Promise<Shard[]> {
  return (await askNode<Shard[]>(port, `/_cat/shards/${index}?format=json`)) ?? [];
}

test('nothing is lost or doubled when the node with the primary shard dies in the middle of a run', async () => {
  const [api] = await Promise.all([system.startApi(), system.startWorker()]);
  const { client } = await loggedIn(api, 'alice');
  const { client: other } = await loggedIn(api, 'bob');
  const count = 300;
  const documents = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${index}.md`, `# Harbour ${index}\n\nThe harbour of town ${index}.`]),
  );
  const source = documentsIn(system, 'harbours', documents, { allowed_users: ['alice'] });
  const [index] = indexing(system, 'harbours').flatMap(({ config }) => (config?.['index_name'] as string) ?? []);
  const { flow_id } = await client.flows.create({
    flow_name: 'harbours',
    flow: [...reading(source), ...indexing(system, 'harbours')],
    global_config: { micro_batch_size: 10, max_concurrent_batches: 1 },
  });
  const { job_run_id } = await client.jobRuns.create({ flow_id });
  const [first] = nodes;
  await until(
    'some documents are indexed, and the shard has a copy',
    async () => {
      const shards = await getShards(first?.port ?? 0, `${index}*`);
      const { totals } = await client.jobRuns.get(job_run_id);
      return totals.completed > 0 && shards.filter(({ state }) => state === 'STARTED').length === 2;
    },
    120_000,
  );
  const shards = await getShards(first?.port ?? 0, `${index}*`);
  const primary = nodes.find(({ name }) => name === shards.find(({ prirep }) => prirep === 'p')?.node);
  expect((await client.jobRuns.get(job_run_id)).ended_at).toBeNull();
  process.kill(primary?.process.pid ?? 0, 'SIGKILL');
  const run = await client.jobRuns.waitFor(job_run_id);
  expect(run).toMatchObject({ status: 'COMPLETED', totals: { completed: count, failed: 0 } });
  const found = await client.documents.search({ query: 'harbour', limit: 1 });
  expect(found.total).toBe(count);
  expect((await other.documents.search({ query: 'harbour', limit: 1 })).total).toBe(0);
  const left = nodes.filter((node) => node !== primary);
  expect(await askNode(left[0]?.port ?? 0, '/_cluster/health')).toMatchObject({ number_of_nodes: 2 });
}, 300_000);

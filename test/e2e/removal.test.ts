import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Client as Temporal, Connection } from '@temporalio/client';
import type { Client } from '../../client';
import type { FlowOperator } from '../../model/flow/flow';
import { createDuckdb } from '../../services/table/duckdb';
import { buildSweepScheduleId } from '../../services/temporal/sweep-schedule';
import { documentsIn, indexing, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';

let system: System;
let alice: Client;
let bob: Client;
const duckdb = createDuckdb();
const canary = 'quetzalcoatlus';

beforeAll(async () => {
  system = createSystem();
  const [address] = await Promise.all([system.startApi(), system.startWorker()]);
  [alice, bob] = (await Promise.all(['alice', 'bob'].map(async (user) => (await loggedIn(address, user)).client))) as [Client, Client]; // prettier-ignore
});
afterAll(async () => {
  duckdb.close();
  await system.stop();
});

/** A flow over two documents, one of which contains the canary; both are in the same part of every table and set. */
async function flowOver(name: string, ...more: FlowOperator[]) {
  const texts = { 'secret.md': `# Notes\n\nThe ${canary} sleeps.`, 'heron.md': '# Heron\n\nA heron stands.' };
  const folder = documentsIn(system, name, texts, { allowed_users: ['alice', 'bob'] });
  const set: FlowOperator = {
    type: 'document_set',
    name: 'set',
    depends_on: ['chunk'],
    config: { document_set_name: `set-${name}` },
  };
  const flow = [...reading(folder), ...indexing(system, name), set, ...more];
  const { flow_id } = await alice.flows.create({ flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`, flow });
  expect(await runToEnd(alice, flow_id)).toMatchObject({ status: 'COMPLETED' });
  return flow_id;
}
const found = async (client: Client, index: string) =>
  (await client.documents.search({ query: canary, index: `${system.env['SEARCH_DEFAULT_INDEX']}-${index}` })).documents;

/** Files below the data folder that contain the canary, in tables or otherwise. */
async function filesWithCanary(): Promise<string[]> {
  const data = system.env['DOCLOOM_DATA'] ?? '';
  const files = (await readdir(path.join(data, 'store'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const holding = await Promise.all(
    files.map(async (file) => {
      if (!file.endsWith('.parquet')) return readFileSync(file, 'utf8').includes(canary);
      return duckdb.use(async (connection) => {
        const rows = await connection.runAndReadAll(`SELECT * FROM read_parquet('${file}')`);
        return JSON.stringify(rows.getRowsJson()).includes(canary);
      });
    }),
  );
  return files.filter((_, index) => holding[index]);
}

test('a removed document is nowhere, its neighbours stay, and runs skip it until it is restored', async () => {
  const flowId = await flowOver('birds');
  const [hit] = await found(alice, 'birds');
  const id = String(hit?.metadata['document_id']);
  await expect(bob.documents.remove(id)).rejects.toMatchObject({ status: 403 });
  expect((await filesWithCanary()).length).toBeGreaterThan(3);

  const receipt = await alice.documents.remove(id);
  // At once: the receipt says that it is gone.
  expect(await found(bob, 'birds')).toEqual([]);
  expect(receipt).toMatchObject({ state: 'DONE', document_ids: [id] });
  const removed = Object.fromEntries(receipt.places.map((place) => [place.place, place.removed]));
  expect(removed).toMatchObject({ indexes: 1, document_sets: 1, kept_files: 3, ledger: 1 });
  expect(removed['tables']).toBeGreaterThan(3);
  expect(JSON.stringify(receipt)).not.toContain(canary);
  expect(await filesWithCanary()).toEqual([]);
  await expect(bob.documents.get(id)).rejects.toMatchObject({ status: 404 });
  const [set] = (await alice.documentSets.list({ name: 'set-birds' })).items;
  expect(set?.total_rows).toBe(1);

  await alice.jobRuns
    .create({ flow_id: flowId, configuration: { force_ingest: true } })
    .then(async ({ job_run_id }) => {
      await until('the run ended', async () => (await alice.jobRuns.get(job_run_id)).status.startsWith('COMPLETED'));
    });
  expect(await found(alice, 'birds')).toEqual([]);
  expect(await filesWithCanary()).toEqual([]);
  await alice.removals.restore(receipt.removal_id);
  await runToEnd(alice, flowId);
  expect(await found(alice, 'birds')).toHaveLength(1);
});

test('a worker removes it from the stores that only workers open, and a flow is removed with all its records', async () => {
  const lance = { provider: 'lancedb', index_name: `lance_${system.env['DOCLOOM_TASK_QUEUE']}`.replaceAll('-', '_') };
  const flowId = await flowOver('fish', { type: 'vectordb', name: 'lance', depends_on: ['embed'], config: lance });
  const [hit] = await found(alice, 'fish');
  const { removal_id, state } = await alice.documents.remove(String(hit?.metadata['document_id']));
  expect(state).toBe('WORKING');
  await sweepNow();
  await until('the worker is done', async () => (await alice.removals.get(removal_id)).state === 'DONE');
  expect((await alice.removals.get(removal_id)).places).toContainEqual(
    expect.objectContaining({ place: 'vector_stores', removed: 1, state: 'done' }),
  );

  const receipt = await alice.flows.remove(flowId, { with_records: true });
  await sweepNow();
  await until('the flow is gone', async () => (await alice.removals.get(receipt?.removal_id ?? '')).state === 'DONE');
  expect((await alice.jobRuns.list({ flow_id: flowId })).list).toEqual([]);
});

test('an owner describes and drops an index; its documents are ingested again', async () => {
  const flowId = await flowOver('bats');
  const name = `${system.env['SEARCH_DEFAULT_INDEX']}-bats`;
  expect(await alice.indexes.patch(name, { description: 'Bats.' })).toMatchObject({ description: 'Bats.', records: 2 });
  await expect(bob.indexes.remove(name)).rejects.toMatchObject({ status: 404 });
  await expect(alice.indexes.remove(system.env['SEARCH_DEFAULT_INDEX'] ?? '')).rejects.toMatchObject({ status: 404 });
  await alice.indexes.remove(name);
  expect((await alice.indexes.list()).items.map((index) => index.name)).not.toContain(name);
  await runToEnd(alice, flowId);
  expect(await found(alice, 'bats')).toHaveLength(1);
});

async function sweepNow(): Promise<void> {
  const connection = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  await new Temporal({ connection }).schedule.getHandle(buildSweepScheduleId(await system.queuePrefix())).trigger();
  await connection.close();
}

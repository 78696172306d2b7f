import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '../../../client';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { createSystem, startAsAlice, type System, until } from '../../support/system/system';

let system: System;
let alice: Client;
let mongo: Mongo;
beforeAll(async () => {
  system = createSystem();
  alice = await startAsAlice(system);
  mongo = connectMongo(system.env['MONGODB_URL'] ?? '');
});
afterAll(async () => {
  await mongo.close();
  await system.stop();
});

async function storeFlow(name: string, global_config: object = {}) {
  const documents = path.join(system.folder, name);
  mkdirSync(documents);
  for (let index = 0; index < 9; index += 1)
    writeFileSync(
      path.join(documents, `d${index}.md`),
      `# Otter ${index}\n\nAn otter swims, and it is number ${index}.`,
    );
  writeFileSync(path.join(documents, 'd1.docx'), 'this is not a zip archive');
  const { flow_id } = await alice.flows.create({
    flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`,
    global_config,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'filesystem', connection_params: { paths: [documents] } },
      },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
      { type: 'chunker', name: 'chunk', depends_on: ['extract'] },
      { type: 'document_set', name: 'set', depends_on: ['chunk'], config: { document_set_name: name } },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['set'],
        config: { index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-${name}`, provider: 'opensearch' },
      },
    ],
  });
  return flow_id;
}

async function waitForEnd(runId: string) {
  await until('the run has ended', async () => (await alice.jobRuns.get(runId)).ended_at !== null);
  return alice.jobRuns.get(runId);
}

async function download(runId: string, operator: string, format: 'csv' | 'jsonl' | 'parquet') {
  const chunks: Uint8Array[] = [];
  for await (const chunk of alice.jobRuns.exportRows(runId, operator, { format })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('a sample run shows the rows of each step, and leaves index, set, ledger, failures and the next run unchanged', async () => {
  const flowId = await storeFlow('sample');
  const { job_run_id: runId } = await alice.jobRuns.create({ flow_id: flowId, sample: { documents: 4 } });
  const run = await waitForEnd(runId);
  expect(run).toMatchObject({ status: 'COMPLETED_WITH_ERRORS', sample: { documents: 4 }, totals: { documents: 4 } });
  expect(run.operators.map(({ name }) => name)).toEqual(['ingest', 'extract', 'chunk']);
  expect((await alice.jobRuns.list({ is_sample: true })).list).toMatchObject([{ job_run_id: runId }]);
  expect((await alice.jobRuns.list({ is_sample: false })).total).toBe(0);

  const { rows, columns, has_more } = await alice.jobRuns.rows(runId, 'chunk', { limit: 2 });
  expect([rows.length, has_more]).toEqual([2, true]);
  expect(columns).toEqual(expect.arrayContaining(['name', 'content', 'chunk_index']));
  expect(JSON.stringify(rows)).not.toContain(system.folder);
  const lines = (await download(runId, 'chunk', 'jsonl')).toString().trim().split('\n');
  expect(lines).toHaveLength(3);
  expect((await download(runId, 'chunk', 'csv')).toString().trim().split('\r\n')).toHaveLength(4);
  expect((await download(runId, 'chunk', 'parquet')).subarray(0, 4).toString()).toBe('PAR1');
  await expect(alice.jobRuns.rows(runId, 'index')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });

  expect((await alice.documents.search({ query: 'otter' })).total).toBe(0);
  expect((await alice.documentSets.list()).total).toBe(0);
  expect((await alice.failedDocuments.list()).total).toBe(0);
  expect(await mongo.collection('ledger').countDocuments({ job_id: flowId })).toBe(0);
  expect(await mongo.collection('job_locks').countDocuments({ run_id: runId })).toBe(0);
  await expect(alice.jobRuns.rerun(runId)).rejects.toMatchObject({ code: 'JOB_RUN_INVALID_STATE' });

  const real = await waitForEnd((await alice.jobRuns.create({ flow_id: flowId })).job_run_id);
  expect(real).toMatchObject({ totals: { documents: 10, completed: 9, failed: 1 } });
  expect(real.sample).toBeUndefined();
  const kept = await mongo.collection<{ _id: string }>('ledger').find({ job_id: flowId }).toArray();
  const before = (await alice.documents.search({ query: 'otter' })).total;

  // Unchanged documents are included, and the ledger keeps the entries of the real run.
  const again = await waitForEnd(
    (await alice.jobRuns.create({ flow_id: flowId, sample: { documents: 2 } })).job_run_id,
  );
  expect(again).toMatchObject({ totals: { documents: 2, deleted: 0 } });
  expect(await mongo.collection<{ _id: string }>('ledger').find({ job_id: flowId }).toArray()).toEqual(kept);
  expect((await alice.documents.search({ query: 'otter' })).total).toBe(before);
  const next = await waitForEnd((await alice.jobRuns.create({ flow_id: flowId })).job_run_id);
  expect(next).toMatchObject({ totals: { documents: 10, completed: 0, failed: 1, skipped: 9, deleted: 0 } });
  const { flows } = await alice.projects.flows((await addToProject(flowId)).project_id);
  expect(flows[0]).toMatchObject({ job_run_summary: { total_runs: 2 } });
});

async function addToProject(flowId: string) {
  const project = await alice.projects.create({ name: 'samples' });
  await alice.flows.patch(flowId, { project_id: project.project_id });
  return project;
}

test('a run is paused, resumed and given more concurrency over the API, and Temporal shows readable ids', async () => {
  const flowId = await storeFlow('control', { micro_batch_size: 1, max_concurrent_batches: 1 });
  const { job_run_id: runId } = await alice.jobRuns.create({ flow_id: flowId });
  await until('the run is paused', async () =>
    alice.jobRuns.pause(runId).then(
      ({ is_paused }) => is_paused,
      () => false,
    ),
  );
  await expect(alice.jobRuns.pause(runId)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await alice.jobRuns.controls(runId)).toEqual({
    job_run_id: runId,
    is_paused: true,
    max_concurrent_batches: 1,
  });
  expect((await alice.jobRuns.setConcurrency(runId, 8)).max_concurrent_batches).toBe(8);
  expect((await alice.jobRuns.resume(runId)).is_paused).toBe(false);
  const { status, totals, temporal_ui } = await waitForEnd(runId);
  expect({ status, totals }).toMatchObject({ status: 'COMPLETED_WITH_ERRORS', totals: { documents: 10 } });
  expect(decodeURIComponent(temporal_ui)).toMatch(
    new RegExp(`/workflows/control-.*/\\d{4}-\\d\\d-\\d\\dT.*/${runId}$`),
  );
  await expect(alice.jobRuns.pause(runId)).rejects.toMatchObject({ code: 'JOB_RUN_INVALID_STATE' });
  const { job_run_id: retried } = await alice.jobRuns.retryFailed(runId);
  expect(await waitForEnd(retried)).toMatchObject({ rerun_of: runId, totals: { documents: 1, failed: 1 } });
});

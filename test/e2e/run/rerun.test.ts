import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import type { Client } from '../../../client';
import { writeDocx } from '../../../samples/write-docx';
import { connectMongo } from '../../../services/storage/mongo';
import { buildSweepScheduleId } from '../../../services/temporal/sweep-schedule';
import { createSystem, startAsAlice, type System, until } from '../../support/system/system';

let system: System;
let alice: Client;
let temporal: TemporalClient;
let connection: Connection;
beforeAll(async () => {
  system = createSystem();
  alice = await startAsAlice(system);
  connection = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  temporal = new TemporalClient({ connection });
});
afterAll(async () => {
  await connection.close();
  await system.stop();
});

/** Follows the events of the run until it ends. */
async function ended(runId: string) {
  const seen: string[] = [];
  for await (const { status } of alice.jobRuns.events(runId)) seen.push(status);
  return { seen, run: await alice.jobRuns.get(runId, undefined, { include_logs: true, include_batches: true }) };
}

async function storeFlow(): Promise<{ flowId: string; documents: string }> {
  const documents = path.join(system.folder, 'docs');
  mkdirSync(documents);
  writeFileSync(path.join(documents, 'good.md'), '# Otter\n\nAn otter swims.');
  writeFileSync(path.join(documents, 'late.docx'), 'this is not a zip archive');
  const { flow_id: flowId } = await alice.flows.create({
    flow_name: `again-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'filesystem', connection_params: { paths: [documents] } },
      },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
      { type: 'chunker', name: 'chunk', depends_on: ['extract'] },
      { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: { type: 'hashing' } },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['embed'],
        config: { index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-again`, provider: 'opensearch' },
      },
    ],
  });
  return { flowId, documents };
}

const names = async () =>
  (await alice.documents.search({ query: 'otter' })).documents
    .map(({ metadata }) => String(metadata['name']))
    .toSorted();

test('a run is reported, repeated in part, scheduled, and its tables are removed after their time', async () => {
  const { flowId, documents } = await storeFlow();
  const { job_run_id: firstId } = await alice.jobRuns.create({ flow_id: flowId }, { idempotencyKey: 'first' });
  expect((await alice.jobRuns.create({ flow_id: flowId }, { idempotencyKey: 'first' })).job_run_id).toBe(firstId);
  const first = await ended(firstId);
  expect(first.seen.at(-1)).toBe('COMPLETED_WITH_ERRORS');
  expect(first.run).toMatchObject({ totals: { documents: 2, completed: 1, failed: 1 }, progress: { percent: 100 } });
  expect(first.run.logs?.['extract']).toContain('late.docx');
  expect(first.run.batches?.map(({ operator }) => operator)).toContain('chunk');
  const lines = (await alice.jobRuns.report(firstId)).trim().split('\r\n').slice(1).toSorted();
  expect(lines.map((line) => line.split(',').slice(1, 3))).toEqual(
    expect.arrayContaining([
      ['good.md', 'Completed'],
      ['late.docx', 'Failed'],
    ]),
  );

  // The failed document is repaired; a new document is not part of the request.
  writeFileSync(path.join(documents, 'late.docx'), await writeDocx('Otter', [{ text: 'An otter sleeps.' }]));
  writeFileSync(path.join(documents, 'new.md'), 'An otter that nobody asked for.');
  const failed = await ended((await alice.jobRuns.rerun(firstId, { mode: 'failed' })).job_run_id);
  expect(failed.run).toMatchObject({
    status: 'COMPLETED',
    rerun_of: firstId,
    totals: { documents: 1, completed: 1, failed: 0, deleted: 0 },
  });
  expect(await names()).toEqual(['good.md', 'late.docx']);

  // From the chunker on: the documents that reached it, from the tables of the first run.
  const partial = await ended((await alice.jobRuns.rerun(firstId, { from_operator: 'chunk' })).job_run_id);
  expect(partial.run).toMatchObject({ status: 'COMPLETED', totals: { documents: 1, completed: 1, deleted: 0 } });
  expect(partial.run.operators.map(({ name }) => name)).toEqual(['ingest', 'chunk', 'embed', 'index']);
  expect(await names()).toEqual(['good.md', 'late.docx']);

  const { schedule_id: scheduleId } = await alice.schedules.create(flowId, { cron: '0 0 1 1 *' });
  await temporal.schedule.getHandle(`schedule/again-${system.env['DOCLOOM_TASK_QUEUE']}/${scheduleId}`).trigger();
  const scheduled = async () =>
    (await alice.jobRuns.list({ flow_id: flowId })).list.find(
      ({ job_run_id }) => ![firstId, failed.run.job_run_id, partial.run.job_run_id].includes(job_run_id),
    );
  await until('the scheduled run has ended', async () => ((await scheduled())?.status ?? '').startsWith('COMPLETED'));
  expect((await alice.jobRuns.get((await scheduled())?.job_run_id ?? '')).metadata).toEqual({
    schedule_id: scheduleId,
  });
  await until('the index holds the new document', async () => (await names()).includes('new.md'));
  await alice.schedules.remove(flowId, scheduleId);

  const mongo = connectMongo(system.env['MONGODB_URL'] ?? '');
  const records = mongo.collection<{ _id: string; ended_at: string; tables_removed_at?: string }>('job_runs');
  await records.updateOne({ _id: firstId }, { $set: { ended_at: '2020-01-01T00:00:00.000Z' } });
  await temporal.schedule.getHandle(buildSweepScheduleId(await system.queuePrefix())).trigger();
  await until('the sweep has noted what it removed', async () =>
    Boolean((await records.findOne({ _id: firstId }))?.tables_removed_at),
  );
  await mongo.close();
  await expect(alice.jobRuns.rerun(firstId, { mode: 'failed' })).rejects.toMatchObject({
    status: 410,
    code: 'TABLE_NOT_FOUND',
  });
  expect((await alice.jobRuns.get(firstId)).status).toBe('COMPLETED_WITH_ERRORS');
});

import { randomUUID } from 'node:crypto';
import type { RunRecord } from '../../services/ports';
import { createRuns } from '../../services/runs';

const record = (change: Partial<RunRecord> = {}): RunRecord => ({
  job_run_id: randomUUID(),
  job_id: 'job',
  flow_id: 'flow',
  flow_name: 'flow',
  project_id: null,
  owner: 'alice',
  status: 'QUEUED',
  message: '',
  warnings: [],
  created_at: new Date().toISOString(),
  started_at: null,
  ended_at: null,
  totals: { documents: 0, completed: 0, failed: 0, skipped: 0, deleted: 0, pages: 0 },
  metadata: {},
  snapshot: {
    flow: { flow_name: 'flow', flow: [] },
    plan: { sources: [], stages: [], batchSize: 1, maxConcurrentBatches: 1, failFast: false },
    plan_hash: 'h',
  },
  ...change,
});
const options = { namespace: 'default', taskQueue: `test-${randomUUID()}` };

test('a run that is started runs in Temporal under its own id, and can be cancelled', async () => {
  const runs = createRuns({ ...options, address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  try {
    const run = record();
    await runs.start(run);
    expect(await runs.status(run.job_run_id)).toBe('RUNNING');
    await runs.cancel(run.job_run_id);
    expect(await runs.status(randomUUID())).toBeUndefined();
    await runs.cancel(randomUUID());
  } finally {
    await runs.close();
  }
});

test('an absent Temporal is WORKFLOW_ENGINE_UNAVAILABLE, and says where it was looked for', async () => {
  const runs = createRuns({ ...options, address: '127.0.0.1:9' });
  try {
    const expected = { code: 'WORKFLOW_ENGINE_UNAVAILABLE', message: expect.stringContaining('127.0.0.1:9') };
    await expect(runs.start(record())).rejects.toMatchObject(expected);
    await expect(runs.ping()).rejects.toMatchObject(expected);
  } finally {
    await runs.close();
  }
});

import { randomUUID } from 'node:crypto';
import { runRecord } from '../run-record';
import { createRuns } from '../../services/runs';

const options = { namespace: 'default', taskQueue: `test-${randomUUID()}` };

test('a run that is started runs in Temporal under its own id, and can be cancelled', async () => {
  const runs = createRuns({ ...options, address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  try {
    const run = runRecord();
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
    await expect(runs.start(runRecord())).rejects.toMatchObject(expected);
    await expect(runs.ping()).rejects.toMatchObject(expected);
  } finally {
    await runs.close();
  }
});

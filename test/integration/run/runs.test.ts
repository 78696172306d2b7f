import { randomBytes, randomUUID } from 'node:crypto';
import { createRuns } from '../../../services/run/runs';
import { openTemporal } from '../../../services/temporal/client';
import { createPayloadCodec } from '../../../services/temporal/payload-codec';
import { runRecord } from '../../support/system/run-record';

const options = { namespace: 'default', taskQueue: `test-${randomUUID()}` };

test('a run that is started runs in Temporal under its own id, and can be cancelled', async () => {
  const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
  const runs = createRuns({ ...options, address });
  const { connection, client } = openTemporal({ ...options, address });
  const isCancelRequested = async (id: string) => {
    const { events } = await client.workflow.getHandle(id).fetchHistory();
    return events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes) ?? false;
  };
  try {
    const run = runRecord();
    await runs.start(run);
    expect(await runs.readStatus(run.job_run_id)).toBe('RUNNING');
    expect(await isCancelRequested(run.job_run_id)).toBe(false);
    await runs.cancel(run.job_run_id);
    expect(await isCancelRequested(run.job_run_id)).toBe(true);
    expect(await runs.readStatus(randomUUID())).toBeUndefined();
    await runs.cancel(randomUUID());
  } finally {
    await runs.close();
    await connection.close();
  }
});

test('with a key, Temporal data of a run reveal neither its job nor its flow', async () => {
  const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
  const dataConverter = { payloadCodecs: [createPayloadCodec([randomBytes(32).toString('base64')])] };
  const runs = createRuns({ ...options, address, dataConverter });
  const { connection, client } = openTemporal({ ...options, address });
  try {
    const run = runRecord();
    await runs.start(run);
    const { events } = await client.workflow.getHandle(run.job_run_id).fetchHistory();
    const started = events?.[0]?.workflowExecutionStartedEventAttributes;
    const [payload] = started?.input?.payloads ?? [];
    expect(Buffer.from(payload?.metadata?.['encoding'] ?? []).toString()).toBe('binary/encrypted');
    expect(Buffer.from(payload?.data ?? []).toString('latin1')).not.toContain(run.job_id);
    await runs.cancel(run.job_run_id);
  } finally {
    await runs.close();
    await connection.close();
  }
});

test('an unavailable Temporal is WORKFLOW_ENGINE_UNAVAILABLE with its address', async () => {
  const runs = createRuns({ ...options, address: '127.0.0.1:9' });
  try {
    const expected = { code: 'WORKFLOW_ENGINE_UNAVAILABLE', message: expect.stringContaining('127.0.0.1:9') };
    await expect(runs.start(runRecord())).rejects.toMatchObject(expected);
    await expect(runs.ping()).rejects.toMatchObject(expected);
  } finally {
    await runs.close();
  }
});

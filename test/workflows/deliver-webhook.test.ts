import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { DeliverWebhookInput } from '../../model/webhook/activities';
import type { deliverWebhook } from '../../workflows/deliver-webhook';
import { type Harness, partReport, startHarness } from '../support/workflow/harness';

let harness: Harness;
let native: NativeConnection;
let worker: Worker;
let running: Promise<void>;
let delivered: DeliverWebhookInput[];

beforeAll(async () => {
  delivered = [];
  // Workers of the other queues need an activity each.
  harness = await startHarness({ noop: async () => partReport(0) }, { open_run: async () => undefined } as never);
  native = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  worker = await Worker.create({
    connection: native,
    taskQueue: harness.taskQueue.replace(/-flow$/, '-webhook'),
    activities: {
      deliver_webhook: async (input: DeliverWebhookInput) => {
        delivered.push(input);
        if (delivered.length === 1) throw new Error('The receiver answered 503.');
      },
    },
  });
  running = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await running;
  await native.close();
  await harness.close();
});

test('a message that was not accepted is sent again until it is', async () => {
  const workflowId = `webhook-${randomUUID()}`;
  await harness.client.workflow.execute<typeof deliverWebhook>('deliverWebhook', {
    workflowId,
    taskQueue: harness.taskQueue,
    args: [{ deliveryId: 'd1' }],
  });
  await harness.record('deliver-webhook', workflowId);
  expect(delivered).toEqual([{ deliveryId: 'd1' }, { deliveryId: 'd1' }]);
});

import type { Workflows } from '../../model/run/workflows';
import type { DeliverWebhookInput } from '../../model/webhook/activities';
import { getQueueName, type TemporalOptions } from '../temporal/client';
import { openKnownWorkflows } from '../temporal/known-workflows';

/** Starts the workflows that deliver messages to webhooks. */
export interface WebhookEngine {
  /** Starts the delivery of a message once. WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
  deliver(deliveryId: string): Promise<void>;
  close(): Promise<void>;
}

/** Delivers by Temporal. Connects with the first use. */
export function createWebhookEngine(options: TemporalOptions): WebhookEngine {
  const { connection, client, startOnce } = openKnownWorkflows(options);
  return {
    deliver: (deliveryId) =>
      startOnce(async () => {
        const input: DeliverWebhookInput = { deliveryId };
        return client.workflow.start<Workflows['deliverWebhook']>('deliverWebhook', {
          workflowId: `webhook-${deliveryId}`,
          taskQueue: await getQueueName(options, 'flow'),
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          priority: { fairnessKey: 'webhooks' },
        });
      }),
    close: () => connection.close(),
  };
}

import { proxyActivities } from '@temporalio/workflow';
import { type DeliverWebhookInput, maxAttempts, type WebhookActivities } from '../model/webhook/activities';
import { getTaskQueue } from './task-queue';

/**
 * Delivers one message to a webhook, with attempts at growing intervals for about four hours. The activity records every attempt, and that the
 * last one failed, so the workflow always completes.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<void> {
  const { deliver_webhook } = proxyActivities<WebhookActivities>({
    taskQueue: getTaskQueue('webhook'),
    startToCloseTimeout: '1h',
    heartbeatTimeout: '10s',
    retry: {
      initialInterval: '2s',
      backoffCoefficient: 3,
      maximumInterval: '1h',
      maximumAttempts: maxAttempts,
    },
  });
  await deliver_webhook(input);
}

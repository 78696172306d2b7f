import { Context } from '@temporalio/activity';
import { AppError } from '../../model/errors';
import { maxAttempts, type WebhookActivities } from '../../model/webhook/activities';
import type { SendOutcome, WebhookSender } from '../../services/webhook/sender';
import type { Webhooks } from '../../services/webhook/store';
import { runActivityWork } from '../conduct';

/** Dependencies of the activity of webhooks. */
export interface WebhookDeps {
  store: Pick<Webhooks, 'findDelivery' | 'findTarget' | 'recordAttempt'>;
  sender: Pick<WebhookSender, 'send'>;
}

/** Statuses below 500 that are worth another attempt. */
const temporaryStatuses = new Set([408, 425, 429]);

/** The activity that sends a message to a webhook. */
export function createWebhookActivities({ store, sender }: WebhookDeps): WebhookActivities {
  return {
    deliver_webhook: ({ deliveryId }) =>
      runActivityWork(async (signal) => {
        const delivery = await store.findDelivery(deliveryId);
        const target = delivery && (await store.findTarget(delivery.webhook_id));
        if (!delivery || !target || delivery.status !== 'pending') return;
        const message = { id: deliveryId, event: delivery.event, body: delivery.payload };
        const outcome = await sender.send(target, message, signal);
        const isLast = Context.current().info.attempt >= maxAttempts;
        const status = chooseStatus(outcome, isLast);
        await store.recordAttempt(deliveryId, status, { at: new Date().toISOString(), ...outcome });
        if (status === 'pending')
          throw new AppError('WEBHOOK_NOT_DELIVERED', 'The receiver did not accept the message.');
      }),
  };
}

function chooseStatus({ status_code }: SendOutcome, isLast: boolean): 'pending' | 'delivered' | 'failed' {
  if (status_code !== undefined && status_code >= 200 && status_code < 300) return 'delivered';
  // A redirect is not followed, and another attempt would be redirected again.
  const isRefused =
    status_code !== undefined && status_code >= 300 && status_code < 500 && !temporaryStatuses.has(status_code);
  return isRefused || isLast ? 'failed' : 'pending';
}

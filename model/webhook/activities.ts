/** Argument of the workflow and the activity that deliver one message. Everything else is stored in its record. */
export interface DeliverWebhookInput {
  deliveryId: string;
}

/** Maximum attempts per message. */
export const maxAttempts = 12;

/** The activity of webhooks. */
export interface WebhookActivities {
  /** Sends the message once and records the attempt. Fails, so that it is retried, when the receiver did not accept it. */
  deliver_webhook: (input: DeliverWebhookInput) => Promise<void>;
}

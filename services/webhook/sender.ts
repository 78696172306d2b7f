import { Agent, request } from 'undici';
import { createTimeLimit } from '../../model/time/time-limit';
import { signatureHeader, computeSignature, timestampHeader } from '../conversion/callback-sender';
import type { AddressGuard } from '../net/address-guard';
import { createGuardedConnector } from '../net/guarded-connections';

/** The result of one attempt. */
export interface SendOutcome {
  status_code?: number;
  error?: string;
}

/** Sends messages to webhooks. */
export interface WebhookSender {
  /** Sends once. Resolves with any outcome; rejects only when the signal aborts. */
  send(
    target: { url: string; secret: string },
    message: { id: string; event: string; body: string },
    signal: AbortSignal,
  ): Promise<SendOutcome>;
  close(): void;
}

const timeoutMs = 10_000;

/** Sends over connections that the address guard checks when they open. Redirects are not followed. */
export function createWebhookSender(guard: AddressGuard): WebhookSender {
  const agent = new Agent({
    connect: createGuardedConnector(guard),
    headersTimeout: timeoutMs,
    maxResponseSize: 65_536,
  });
  return {
    async send({ url, secret }, { id, event, body }, signal) {
      const timestamp = String(Math.floor(Date.now() / 1_000));
      try {
        const { statusCode, body: answer } = await request(url, {
          method: 'POST',
          dispatcher: agent,
          signal: AbortSignal.any([signal, createTimeLimit(timeoutMs)]),
          headers: {
            'content-type': 'application/json',
            'x-docloom-event': event,
            'x-docloom-delivery': id,
            [timestampHeader]: timestamp,
            [signatureHeader]: computeSignature(secret, timestamp, body),
          },
          body,
        });
        await answer.dump().catch(() => undefined);
        return { status_code: statusCode };
      } catch {
        signal.throwIfAborted();
        // One text for all reasons, so that it cannot reveal what listens on forbidden addresses.
        return { error: 'The receiver did not answer, or its address is not allowed.' };
      }
    },
    close: () => void agent.destroy().catch(() => undefined),
  };
}

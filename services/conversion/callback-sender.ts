import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Callback } from '../../model/conversion/request/sources';
import { createTimeLimit } from '../../model/time/time-limit';
import type { AddressGuard } from '../net/address-guard';
import { createGuardedConnector } from '../net/guarded-connections';
import { pause } from '../pacing/pause';

/** Sends notifications about tasks to callback URLs over HTTP. */
export interface CallbackSender {
  /**
   * Posts the body as JSON. Returns true when the receiver accepted it (any 2xx) or permanently rejected it (any 4xx except 408,
   * 425 and 429); a rejection says nothing about the next message. Returns false when the receiver could not be reached after a
   * few attempts. Rejects only when the signal aborts, with its reason.
   */
  send(callback: Callback, body: unknown, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

const maxAttempts = 3;
const timeoutMs = 30_000;
const pauseMs = 1_000;

/** Header with `sha256=` followed by the hexadecimal HMAC of `<timestamp>.<body>`. */
export const signatureHeader = 'x-docloom-signature';
/** Header with the time of the message in seconds since 1970, so that receivers can reject old messages. */
export const timestampHeader = 'x-docloom-timestamp';

/** The value of the signature header. Receivers compute the same value to verify a message. */
export function computeSignature(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

const temporaryStatuses = new Set([408, 425, 429]);

function isSettled(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && !temporaryStatuses.has(status));
}

/**
 * Sends callbacks over connections checked by the address guard. Redirects count as rejections. Without a secret, messages are
 * unsigned.
 */
export function createCallbackSender(options: {
  guard: AddressGuard;
  secret?: string;
  pauseMs?: number;
}): CallbackSender {
  const { guard, secret } = options;
  const createAgent = (ca?: string) =>
    new Agent({ connect: createGuardedConnector(guard, ca ? { ca } : {}), headersTimeout: timeoutMs });
  const agent = createAgent();

  async function post({ url, headers }: Callback, text: string, dispatcher: Agent, signal: AbortSignal) {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signed = secret
      ? { [signatureHeader]: computeSignature(secret, timestamp, text), [timestampHeader]: timestamp }
      : {};
    const answer = await request(url, {
      method: 'POST',
      dispatcher,
      signal: AbortSignal.any([signal, createTimeLimit(timeoutMs)]),
      headers: { ...headers, 'content-type': 'application/json', ...signed },
      body: text,
    });
    await answer.body.dump();
    return isSettled(answer.statusCode);
  }
  return {
    async send(callback, body, signal) {
      const text = JSON.stringify(body);
      const ownAgent = callback.ca_cert ? createAgent(callback.ca_cert) : undefined;
      try {
        for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
          signal.throwIfAborted();
          // A broken, unreachable or slow receiver is treated the same way.
          const isDone = await post(callback, text, ownAgent ?? agent, signal).catch(() => false);
          signal.throwIfAborted();
          if (isDone) return true;
          if (attempt < maxAttempts) await pause((options.pauseMs ?? pauseMs) * attempt, signal);
        }
        return false;
      } finally {
        void ownAgent?.close().catch(() => undefined);
      }
    },
    close: () => void agent.destroy().catch(() => undefined),
  };
}

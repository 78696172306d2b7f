import type {
  WebhookCreate,
  WebhookCreated,
  WebhookDeliveryPage,
  WebhookPage,
  WebhookPatch,
  WebhookReply,
} from '../model/webhook/wire';
import type { Call } from './http';

/** Webhooks: signed messages about runs that end, documents that fail and rights that change. */
export interface WebhookMethods {
  webhooks: {
    /** The reply contains the secret, which is never shown again. */
    create(webhook: WebhookCreate): Promise<WebhookCreated>;
    get(webhookId: string): Promise<WebhookReply>;
    list(query?: { limit?: number; offset?: number }): Promise<WebhookPage>;
    patch(webhookId: string, change: WebhookPatch): Promise<WebhookReply>;
    remove(webhookId: string): Promise<void>;
    deliveries(webhookId: string, query?: { limit?: number; offset?: number }): Promise<WebhookDeliveryPage>;
    /** Sends a message with the event `ping`. */
    test(webhookId: string): Promise<{ delivery_id: string }>;
  };
}

/** Implements these methods over `send`. */
export function createWebhookMethods(send: <T>(call: Call) => Promise<T>): WebhookMethods {
  const all = '/api/v1/webhooks';
  const buildPath = (id: string, rest = '') => `${all}/${encodeURIComponent(id)}${rest}`;
  return {
    webhooks: {
      create: (body) => send({ method: 'POST', path: all, body }),
      get: (id) => send({ method: 'GET', path: buildPath(id) }),
      list: (query) => send({ method: 'GET', path: all, query: { ...query } }),
      patch: (id, body) => send({ method: 'PATCH', path: buildPath(id), body }),
      remove: (id) => send({ method: 'DELETE', path: buildPath(id) }),
      deliveries: (id, query) => send({ method: 'GET', path: buildPath(id, '/deliveries'), query: { ...query } }),
      test: (id) => send({ method: 'POST', path: buildPath(id, '/test') }),
    },
  };
}

import type { ApiServices } from '../../../api/services';
import type { Announcement } from '../../../services/webhook/announcer';
import type { DeliveryRecord, WebhookRecord } from '../../../services/webhook/store';

/** Webhooks in memory; nothing is sent. `announced` records the notifications of their owners. */
export function memoryWebhooks(announced: Announcement[] = []): Pick<ApiServices, 'webhooks' | 'announcer'> {
  const webhooks = new Map<string, WebhookRecord>();
  const deliveries: DeliveryRecord[] = [];
  return {
    webhooks: {
      create: async (webhook) => {
        webhooks.set(webhook.webhook_id, webhook);
        return 'whsec_of-a-test';
      },
      get: async (id) => webhooks.get(id),
      list: async (owner, { limit, offset }) => {
        const found = [...webhooks.values()].filter((one) => owner === undefined || one.owner === owner);
        return { items: found.slice(offset, offset + limit), total: found.length };
      },
      change: async (id, change) => {
        const before = webhooks.get(id);
        if (before) webhooks.set(id, { ...before, ...change });
        return webhooks.get(id);
      },
      remove: async (id) => void webhooks.delete(id),
      removeOf: async (owner) => {
        for (const [id, one] of webhooks) if (one.owner === owner) webhooks.delete(id);
      },
      deliveries: async (id, { limit, offset }) => {
        const found = deliveries.filter(({ webhook_id }) => webhook_id === id);
        return { items: found.slice(offset, offset + limit), total: found.length };
      },
    },
    announcer: {
      announce: async (announcement) => void announced.push(announcement),
      ping: async ({ webhook_id }, key) => {
        const created_at = new Date().toISOString();
        const fresh = { event: 'ping', status: 'pending' as const, attempts: [], created_at, payload: '{}' };
        deliveries.unshift({ delivery_id: key, webhook_id, ...fresh });
        return key;
      },
    },
  };
}

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
        const matchingWebhooks = [...webhooks.values()].filter(
          (webhook) => owner === undefined || webhook.owner === owner,
        );
        return { items: matchingWebhooks.slice(offset, offset + limit), total: matchingWebhooks.length };
      },
      change: async (id, change) => {
        const before = webhooks.get(id);
        if (before) webhooks.set(id, { ...before, ...change });
        return webhooks.get(id);
      },
      remove: async (id) => void webhooks.delete(id),
      removeByOwner: async (owner) => {
        for (const [id, item] of webhooks) if (item.owner === owner) webhooks.delete(id);
      },
      listDeliveries: async (id, { limit, offset }) => {
        const matchingDeliveries = deliveries.filter(({ webhook_id }) => webhook_id === id);
        return { items: matchingDeliveries.slice(offset, offset + limit), total: matchingDeliveries.length };
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

import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { AppError } from '../../model/errors';
import {
  WebhookCreate,
  WebhookCreated,
  WebhookDeliveryPage,
  WebhookPage,
  WebhookPatch,
  WebhookReply,
} from '../../model/webhook/wire';
import type { WebhookRecord } from '../../services/webhook/store';
import { findAddressRefusal } from '../conversion/reachable';
import { buildPage, paging } from '../http/page';
import { type RequestContext, read, webhookPolicy } from '../http/policies';
import { reply, route } from '../http/route';

const params = Type.Object({ webhook_id: Type.String({ format: 'uuid' }) });
const maxWebhooks = 20;

export const createWebhook = route({
  method: 'POST',
  path: '/api/v1/webhooks',
  summary:
    'Creates a webhook: an address that receives your events as signed POST requests. Only this reply contains the secret.',
  description:
    'Messages are JSON with `event`, `delivery_id`, `created_at` and `data`. A delivery without a status of 2xx is retried, up to twelve times in about four hours; a 4xx status other than 408, 425 and 429 ends it. Receivers should check signature and timestamp, and ignore a `delivery_id` that they have seen.',
  body: WebhookCreate,
  replies: { 201: WebhookCreated },
  errors: ['ADDRESS_INVALID', 'CONFLICT'],
  handler: async ({ body: { url, events, description = '' }, user, services, options }) => {
    const refusal = await findAddressRefusal(services.conversion.guard, url, options.logger);
    if (refusal !== undefined)
      throw new AppError('ADDRESS_INVALID', refusal, { target: { type: 'field', name: 'url' } });
    const { total } = await services.webhooks.list(user.username, { limit: 1, offset: 0 });
    if (total >= maxWebhooks)
      throw new AppError(
        'CONFLICT',
        `You have ${total} webhooks; at most ${maxWebhooks} are allowed. Remove one first.`,
      );
    const created_at = services.clock().toISOString();
    const webhook_id = services.newId();
    const webhook = { webhook_id, url, events, description, active: true, owner: user.username, created_at };
    const secret = await services.webhooks.create(webhook);
    return reply(201, { ...webhook, secret }, { 'Cache-Control': 'no-store' });
  },
});

export const listWebhooks = route({
  method: 'GET',
  path: '/api/v1/webhooks',
  summary: 'Your webhooks, newest first. Administrators get the webhooks of all users.',
  query: Type.Object(paging),
  replies: { 200: WebhookPage },
  handler: async ({ query: { limit = 100, offset = 0 }, url, ...context }) => {
    const { user, services, options } = context;
    const whose = isAdmin(user, options.adminGroups) ? undefined : user.username;
    const { items, total } = await services.webhooks.list(whose, { limit, offset });
    const replies = items.map((item) => toReply(item, context));
    return buildPage(url, replies, { limit, offset, total });
  },
});

export const getWebhook = route({
  method: 'GET',
  path: '/api/v1/webhooks/{webhook_id}',
  summary: 'One webhook, without its secret.',
  params,
  replies: { 200: WebhookReply },
  errors: ['WEBHOOK_NOT_FOUND'],
  handler: async ({ params: { webhook_id }, ...context }) =>
    toReply(await read(webhookPolicy, webhook_id, context), context),
});

export const patchWebhook = route({
  method: 'PATCH',
  path: '/api/v1/webhooks/{webhook_id}',
  summary: 'Changes events, description, or whether the webhook is active.',
  params,
  body: WebhookPatch,
  replies: { 200: WebhookReply },
  errors: ['WEBHOOK_NOT_FOUND'],
  handler: async ({ params: { webhook_id }, body, ...context }) => {
    await read(webhookPolicy, webhook_id, context);
    const changed = await context.services.webhooks.change(webhook_id, body);
    if (!changed) throw webhookPolicy.notFound(webhook_id);
    return toReply(changed, context);
  },
});

export const deleteWebhook = route({
  method: 'DELETE',
  path: '/api/v1/webhooks/{webhook_id}',
  summary: 'Removes a webhook and its messages.',
  params,
  replies: { 204: Type.Null() },
  errors: ['WEBHOOK_NOT_FOUND'],
  handler: async ({ params: { webhook_id }, ...context }) => {
    await read(webhookPolicy, webhook_id, context);
    await context.services.webhooks.remove(webhook_id);
    return null;
  },
});

export const listWebhookDeliveries = route({
  method: 'GET',
  path: '/api/v1/webhooks/{webhook_id}/deliveries',
  summary: 'The messages of the last seven days with the outcome of every attempt, newest first.',
  params,
  query: Type.Object(paging),
  replies: { 200: WebhookDeliveryPage },
  errors: ['WEBHOOK_NOT_FOUND'],
  handler: async ({ params: { webhook_id }, query: { limit = 100, offset = 0 }, url, ...context }) => {
    await read(webhookPolicy, webhook_id, context);
    const { items, total } = await context.services.webhooks.listDeliveries(webhook_id, { limit, offset });
    return buildPage(
      url,
      items.map(({ payload: _payload, webhook_id: _id, ...delivery }) => delivery),
      { limit, offset, total },
    );
  },
});

export const testWebhook = route({
  method: 'POST',
  path: '/api/v1/webhooks/{webhook_id}/test',
  operationId: 'testWebhook',
  summary: 'Sends a test message with the event `ping` to the webhook.',
  params,
  replies: { 202: Type.Object({ delivery_id: Type.String() }, { $id: 'WebhookTest' }) },
  errors: ['WEBHOOK_NOT_FOUND'],
  handler: async ({ params: { webhook_id }, ...context }) => {
    const webhook = await read(webhookPolicy, webhook_id, context);
    const delivery_id = await context.services.announcer.ping(webhook, context.services.newId());
    return reply(202, { delivery_id });
  },
});

/** Addresses may hold secrets of their receiver, so only the owner sees them whole. */
function toReply(webhook: WebhookRecord, { user }: Pick<RequestContext, 'user'>): WebhookReply {
  return webhook.owner === user.username ? webhook : { ...webhook, url: new URL(webhook.url).origin };
}

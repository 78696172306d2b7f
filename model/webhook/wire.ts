import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { pageSchema } from '../wire-parts';

/** Events of webhooks. `ping` is sent on request only. */
export const webhookEvents = ['run.ended', 'document.failed', 'rights.changed'] as const;
export type WebhookEvent = (typeof webhookEvents)[number] | 'ping';

const time = Type.String({ format: 'date-time' });
const events = Type.Array(literals(webhookEvents), {
  minItems: 1,
  maxItems: webhookEvents.length,
  uniqueItems: true,
  description:
    '`run.ended`: a run of yours reached its final state. `document.failed`: documents of a batch failed, with names and codes. `rights.changed`: somebody changed owner, readers, members or users of something that is yours.',
});
const url = Type.String({
  format: 'uri',
  pattern: '^https?://[^@/?#]+([/?#].*)?$',
  maxLength: 2_000,
  description:
    'An http or https address without user name and password, which receives POST requests. Cannot be changed, because the secret is bound to it.',
});
const description = Type.String({ maxLength: 1_000 });

/** A new webhook. */
export const WebhookCreate = closedObject('WebhookCreate', { url, events, description: Type.Optional(description) });
export type WebhookCreate = Static<typeof WebhookCreate>;

/** Only the members that are sent are changed. */
export const WebhookPatch = Type.Object(
  {
    events: Type.Optional(events),
    description: Type.Optional(description),
    active: Type.Optional(Type.Boolean({ description: 'An inactive webhook receives nothing.' })),
  },
  { $id: 'WebhookPatch', additionalProperties: false, minProperties: 1 },
);
export type WebhookPatch = Static<typeof WebhookPatch>;

const facts = {
  webhook_id: Type.String(),
  url: Type.String({ description: 'For administrators only the origin of the address.' }),
  events,
  description,
  active: Type.Boolean(),
  owner: Type.String(),
  created_at: time,
};

/** A webhook, without its secret. */
export const WebhookReply = Type.Object(facts, { $id: 'Webhook', additionalProperties: false });
export type WebhookReply = Static<typeof WebhookReply>;

/** A new webhook, with its secret. */
export const WebhookCreated = closedObject('WebhookCreated', {
  ...facts,
  secret: Type.String({
    description:
      'Shown only here. Messages carry `x-docloom-signature: sha256=` with the HMAC-SHA-256 of `TIMESTAMP.BODY` in hexadecimal; the timestamp is in `x-docloom-timestamp`.',
  }),
});
export type WebhookCreated = Static<typeof WebhookCreated>;

/** One page of webhooks. */
export const WebhookPage = pageSchema(WebhookReply, 'WebhookPage');
export type WebhookPage = Static<typeof WebhookPage>;

/** One message to a webhook, and how its attempts ended. */
export const WebhookDelivery = closedObject('WebhookDelivery', {
  delivery_id: Type.String({ description: 'Also in the header `x-docloom-delivery` of every attempt.' }),
  event: Type.String(),
  status: Type.Union([Type.Literal('pending'), Type.Literal('delivered'), Type.Literal('failed')]),
  created_at: time,
  attempts: Type.Array(
    Type.Object({
      at: time,
      status_code: Type.Optional(Type.Integer({ description: 'HTTP status of the answer.' })),
      error: Type.Optional(Type.String({ description: 'When there was no answer.' })),
    }),
  ),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** One page of deliveries. */
export const WebhookDeliveryPage = pageSchema(WebhookDelivery, 'WebhookDeliveryPage');
export type WebhookDeliveryPage = Static<typeof WebhookDeliveryPage>;

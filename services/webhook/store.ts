import { randomBytes } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { WebhookDelivery, WebhookEvent, WebhookReply } from '../../model/webhook/wire';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';
import type { SealedCollection } from '../storage/sealing/rotation';

/** A webhook as it is stored, without its secret. */
export type WebhookRecord = WebhookReply;

/** A message to a webhook. `payload` is the body as it is sent. */
export interface DeliveryRecord extends WebhookDelivery {
  webhook_id: string;
  payload: string;
}

interface Page {
  limit: number;
  offset: number;
}

/** Webhooks and the messages to them. */
export interface Webhooks {
  /** Stores the webhook and returns its secret, which is never shown again. */
  create(webhook: WebhookRecord): Promise<string>;
  get(webhookId: string): Promise<WebhookRecord | undefined>;
  /** Newest first; without `owner` those of all users. */
  list(owner: string | undefined, page: Page): Promise<{ items: WebhookRecord[]; total: number }>;
  change(
    webhookId: string,
    change: Partial<Pick<WebhookRecord, 'events' | 'description' | 'active'>>,
  ): Promise<WebhookRecord | undefined>;
  /** Also removes the messages. */
  remove(webhookId: string): Promise<void>;
  removeByOwner(owner: string): Promise<void>;
  /** The active webhooks of the owner that subscribe to the event. */
  listSubscribed(owner: string, event: WebhookEvent): Promise<WebhookRecord[]>;
  /** Stores a message, unless one with that id exists. */
  addDelivery(delivery: DeliveryRecord): Promise<void>;
  /** Newest first. */
  listDeliveries(webhookId: string, page: Page): Promise<{ items: DeliveryRecord[]; total: number }>;
  findDelivery(deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** Address and secret of a webhook. */
  findTarget(webhookId: string): Promise<{ url: string; secret: string } | undefined>;
  recordAttempt(
    deliveryId: string,
    status: WebhookDelivery['status'],
    attempt: WebhookDelivery['attempts'][number],
  ): Promise<void>;
  /** Messages that are not done and were made before `before`. */
  listPending(before: string, limit: number): Promise<string[]>;
  /** Removes messages that were made before `before`. */
  removeBefore(before: string): Promise<void>;
}

interface StoredWebhook extends Omit<WebhookRecord, 'webhook_id'> {
  _id: string;
  /** Sealed. */
  secret: string;
}
type StoredDelivery = Omit<DeliveryRecord, 'delivery_id'> & { _id: string };

/** Webhooks in MongoDB. A secret is encrypted together with its address, and cannot be decrypted for another one. */
export function createWebhooks(mongo: Mongo): Webhooks {
  const webhooks = mongo.collection<StoredWebhook>('webhooks');
  const whenReady = createWhenReady(() => webhooks.createIndex({ owner: 1, created_at: -1 }));
  return {
    create: ({ webhook_id: _id, ...webhook }) =>
      whenReady(async () => {
        const secret = `whsec_${randomBytes(32).toString('base64url')}`;
        const sealed = mongo.sealer.seal({ secret }, formatPlace({ _id, url: webhook.url }));
        await webhooks.insertOne({ _id, ...webhook, ...sealed });
        return secret;
      }),
    get: (webhookId) =>
      guard(async () => {
        const stored = await webhooks.findOne({ _id: webhookId });
        return stored ? readStored(stored) : undefined;
      }),
    list: (owner, page) =>
      guard(async () => {
        const filter: Filter<StoredWebhook> = owner === undefined ? {} : { owner };
        const total = await webhooks.countDocuments(filter);
        const sorted = webhooks.find(filter).sort({ created_at: -1, _id: 1 });
        const records = await sorted.skip(page.offset).limit(page.limit).toArray();
        return { items: records.map(readStored), total };
      }),
    change: (webhookId, change) =>
      guard(async () => {
        const changed = await webhooks.findOneAndUpdate(
          { _id: webhookId },
          { $set: change },
          { returnDocument: 'after' },
        );
        return changed ? readStored(changed) : undefined;
      }),
    listSubscribed: (owner, event) =>
      guard(async () =>
        (await webhooks.find({ owner, active: true, events: event as never }).toArray()).map(readStored),
      ),
    findTarget: (webhookId) =>
      guard(async () => {
        const stored = await webhooks.findOne({ _id: webhookId });
        if (!stored) return undefined;
        const { secret } = mongo.sealer.open({ secret: stored.secret }, formatPlace(stored));
        return { url: stored.url, secret };
      }),
    ...createDeliveries(mongo, webhooks),
  };
}

type Removal = Pick<Webhooks, 'remove' | 'removeByOwner'>;
type Deliveries = Pick<
  Webhooks,
  'addDelivery' | 'listDeliveries' | 'findDelivery' | 'recordAttempt' | 'listPending' | 'removeBefore'
>;

function createDeliveries(
  mongo: Mongo,
  webhooks: ReturnType<typeof mongo.collection<StoredWebhook>>,
): Removal & Deliveries {
  const messages = mongo.collection<StoredDelivery>('webhook_deliveries');
  const whenReady = createWhenReady(async () => {
    await messages.createIndex({ webhook_id: 1, created_at: -1 });
    await messages.createIndex({ status: 1, created_at: 1 });
  });
  const remove = async (_id: string) => {
    await webhooks.deleteOne({ _id });
    await messages.deleteMany({ webhook_id: _id });
  };
  return {
    remove: (webhookId) => guard(() => remove(webhookId)),
    removeByOwner: (owner) =>
      guard(async () => {
        for await (const { _id } of webhooks.find({ owner })) await remove(_id);
      }),
    addDelivery: ({ delivery_id: _id, ...delivery }) =>
      whenReady(async () => {
        await messages.insertOne({ _id, ...delivery }).catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
        });
      }),
    listDeliveries: (webhook_id, { limit, offset }) =>
      guard(() =>
        readPage(messages, { webhook_id }, { sort: { created_at: -1, _id: 1 }, limit, offset }, buildDelivery),
      ),
    findDelivery: (deliveryId) =>
      guard(async () => {
        const stored = await messages.findOne({ _id: deliveryId });
        return stored ? buildDelivery(stored) : undefined;
      }),
    recordAttempt: (deliveryId, status, attempt) =>
      guard(
        async () =>
          void (await messages.updateOne({ _id: deliveryId }, { $set: { status }, $push: { attempts: attempt } })),
      ),
    listPending: (before, limit) =>
      guard(async () => {
        const filter: Filter<StoredDelivery> = { status: 'pending', created_at: { $lt: before } };
        return (await messages.find(filter).sort({ created_at: 1 }).limit(limit).toArray()).map(({ _id }) => _id);
      }),
    removeBefore: (before) => guard(async () => void (await messages.deleteMany({ created_at: { $lt: before } }))),
  };
}

/** The encrypted members of webhooks. */
export const sealedWebhooks: SealedCollection = {
  collection: 'webhooks',
  fields: { secret: 'value' },
  formatPlace: (record) => formatPlace(record as unknown as StoredWebhook),
};

function formatPlace({ _id, url }: Pick<StoredWebhook, '_id' | 'url'>): string {
  return `webhooks/${_id}/${url}`;
}

function readStored({ _id, secret: _secret, ...webhook }: StoredWebhook): WebhookRecord {
  return { webhook_id: _id, ...webhook };
}

function buildDelivery({ _id, ...delivery }: StoredDelivery): DeliveryRecord {
  return { delivery_id: _id, ...delivery };
}

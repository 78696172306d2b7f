import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKeyReply } from '../../model/login/wire-keys';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';

/** A key as it is stored: its hash instead of the key. */
export type ApiKeyRecord = ApiKeyReply;

/** API keys. A key is shown once, when it is made. */
export interface ApiKeys {
  /** Stores the key and returns its text. */
  create(record: ApiKeyRecord): Promise<string>;
  /** The record of a key by its text, expired or not; undefined for anything that is not one of our keys. */
  find(key: string): Promise<ApiKeyRecord | undefined>;
  get(keyId: string): Promise<ApiKeyRecord | undefined>;
  /** Newest first; the keys of everybody without `owner`. */
  list(
    owner: string | undefined,
    page: { limit: number; offset: number },
  ): Promise<{ items: ApiKeyRecord[]; total: number }>;
  /** Records the use of a key. */
  noteUse(keyId: string, at: string): Promise<void>;
  remove(keyId: string): Promise<void>;
  removeOf(owner: string): Promise<void>;
}

interface Stored extends Omit<ApiKeyRecord, 'key_id'> {
  _id: string;
  /** SHA-256 of the key in hexadecimal. The key is 256 random bits, so a slow hash would add nothing. */
  hash: string;
}

/** Prefix of API keys, which distinguishes them from tokens, and lets source code scanners find them. */
export const keyPrefix = 'docloom_key_';
const pattern = new RegExp(`^${keyPrefix}([0-9a-f-]{36})_([A-Za-z0-9_-]{43})$`);

/** A new key, and its stored form. */
export function makeKey(keyId: string): { key: string; hash: string } {
  const key = `${keyPrefix}${keyId}_${randomBytes(32).toString('base64url')}`;
  return { key, hash: computeHash(key) };
}

/** The id in the text of a key; undefined for other texts. */
export function readKeyId(key: string): string | undefined {
  return pattern.exec(key)?.[1];
}

/** True when the hash is that of the key. Takes the same time wherever they differ. */
export function isKeyOf(key: string, hash: string): boolean {
  const keyHash = Buffer.from(computeHash(key));
  const stored = Buffer.from(hash);
  return keyHash.length === stored.length && timingSafeEqual(keyHash, stored);
}

/** API keys in MongoDB. Every use reads the record, so a key that was revoked stops at once, everywhere. */
export function createApiKeys(mongo: Mongo): ApiKeys {
  const keys = mongo.collection<Stored>('api_keys');
  const whenReady = createWhenReady(() => keys.createIndex({ owner: 1, created_at: -1 }));
  return {
    create: ({ key_id: _id, ...record }) =>
      whenReady(async () => {
        const { key, hash } = makeKey(_id);
        await keys.insertOne({ _id, ...record, hash });
        return key;
      }),
    find: (key) =>
      guard(async () => {
        const _id = readKeyId(key);
        const stored = _id === undefined ? null : await keys.findOne({ _id });
        return stored && isKeyOf(key, stored.hash) ? readStored(stored) : undefined;
      }),
    get: (keyId) =>
      guard(async () => {
        const stored = await keys.findOne({ _id: keyId });
        return stored ? readStored(stored) : undefined;
      }),
    list: (owner, { limit, offset }) =>
      guard(() => {
        const filter = owner === undefined ? {} : { owner };
        return readPage(keys, filter, { sort: { created_at: -1, _id: 1 }, limit, offset }, readStored);
      }),
    noteUse: (keyId, at) =>
      guard(async () => void (await keys.updateOne({ _id: keyId }, { $set: { last_used_at: at } }))),
    remove: (keyId) => guard(async () => void (await keys.deleteOne({ _id: keyId }))),
    removeOf: (owner) => guard(async () => void (await keys.deleteMany({ owner }))),
  };
}

function computeHash(key: string): string {
  return hash('sha256', key);
}

function readStored({ _id, hash: _hash, ...key }: Stored): ApiKeyRecord {
  return { key_id: _id, ...key };
}

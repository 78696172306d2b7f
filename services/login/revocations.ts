import { guard, type Mongo, createWhenReady } from '../storage/mongo';

/** Tokens that were revoked before they expired, shared by all processes. */
export interface Revocations {
  /** Revokes the token: at once in this process, within five seconds in others. Idempotent. */
  revoke(tokenId: string, expiresAt: Date): Promise<void>;
  /** Throws DATABASE_UNAVAILABLE when the list cannot be read: a token that may be revoked must not pass. */
  isRevoked(tokenId: string): Promise<boolean>;
}

interface Revoked {
  _id: string;
  expires_at: Date;
  /**
   * Time of the database server. Absent in entries of older releases; the first read, which loads all entries, includes those.
   */
  revoked_at?: Date;
}

/** Maximum age of the list. Older lists are reloaded before an answer. */
const freshMs = 5_000;
/** From this age, the list is reloaded in the background while answers still come from the old one. */
const renewMs = 2_500;
/**
 * How far each read reaches back before the newest entry, to cover clock differences between database servers and late writes.
 */
const overlapMs = 60_000;

/**
 * The list in MongoDB, which deletes a token when it has expired. Each process holds the whole list in memory and reads only new
 * entries, so requests need no database call.
 */
export function createRevocations(mongo: Mongo, clock: () => Date): Revocations {
  const list = mongo.collection<Revoked>('revoked_tokens');
  const whenReady = createWhenReady(() =>
    Promise.all([list.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }), list.createIndex({ revoked_at: 1 })]),
  );
  const expiries = new Map<string, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  let newest: Date | undefined;
  let reading: Promise<void> | undefined;

  const read = () =>
    guard(async () => {
      const started = clock().getTime();
      const later = newest ? { revoked_at: { $gte: new Date(newest.getTime() - overlapMs) } } : {};
      for await (const { _id, expires_at, revoked_at } of list.find(later)) {
        expiries.set(_id, expires_at.getTime());
        if (revoked_at && (!newest || revoked_at > newest)) newest = revoked_at;
      }
      for (const [tokenId, expiry] of expiries) if (expiry <= started) expiries.delete(tokenId);
      readAt = started;
    });
  const renew = () => {
    reading ??= read().finally(() => (reading = undefined));
    return reading;
  };

  return {
    revoke: (tokenId, expires_at) =>
      whenReady(async () => {
        await list.updateOne(
          { _id: tokenId },
          { $set: { expires_at }, $currentDate: { revoked_at: true } },
          { upsert: true },
        );
        expiries.set(tokenId, expires_at.getTime());
      }),
    isRevoked: async (tokenId) => {
      const age = clock().getTime() - readAt;
      if (age >= freshMs) await renew();
      // Safe to ignore: a caller with a stale list waits for a refresh and gets that error.
      else if (age >= renewMs) void renew().catch(() => undefined);
      return expiries.has(tokenId);
    },
  };
}

import { guard, type Mongo, onceReady } from '../storage/mongo';

/** Tokens that were given up before their time, shared by all processes. */
export interface Revocations {
  /** The token is refused from now on, in other processes within five seconds. Repeatable. */
  revoke(tokenId: string, expiresAt: Date): Promise<void>;
  /** DATABASE_UNAVAILABLE when nobody knows: a token that may be revoked is not let through. */
  isRevoked(tokenId: string): Promise<boolean>;
}

interface Revoked {
  _id: string;
  expires_at: Date;
  /** By the clock of the database. Those of an older release have none; the first reading, which takes all, finds them. */
  revoked_at?: Date;
}

/** What was read is good for so long. */
const freshMs = 5_000;
/** From this age on it is read anew, while answers are still given from what is known. */
const renewMs = 2_500;
/** What a later reading reads again, for clocks of database servers that differ and writes that were seen late. */
const overlapMs = 60_000;

/**
 * The list in MongoDB, which drops a token when it has expired anyway. Each process holds all tokens of the list and reads
 * what joined it, so that a request asks no database.
 */
export function createRevocations(mongo: Mongo, clock: () => Date): Revocations {
  const list = mongo.collection<Revoked>('revoked_tokens');
  const ready = onceReady(() =>
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
      guard(async () => {
        await ready();
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
      // Fails without harm: who comes when what is known is too old waits for a reading, and gets its error.
      else if (age >= renewMs) void renew().catch(() => undefined);
      return expiries.has(tokenId);
    },
  };
}

import { guard, type Mongo, onceReady } from './mongo';

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
}

const cacheMs = 5_000;
/** Beyond it the oldest answers are forgotten. */
const maxEntries = 10_000;

/** The list in MongoDB, which drops a token when it has expired anyway. */
export function createRevocations(mongo: Mongo, clock: () => Date): Revocations {
  const revoked = mongo.collection<Revoked>('revoked_tokens');
  const ready = onceReady(() => revoked.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }));
  const answers = new Map<string, { isRevoked: boolean; until: number }>();

  const remember = (tokenId: string, isRevoked: boolean) => {
    answers.delete(tokenId);
    answers.set(tokenId, { isRevoked, until: clock().getTime() + cacheMs });
    const [oldest] = answers.keys();
    if (answers.size > maxEntries && oldest !== undefined) answers.delete(oldest);
  };

  return {
    revoke: (tokenId, expires_at) =>
      guard(async () => {
        await ready();
        await revoked.updateOne({ _id: tokenId }, { $set: { expires_at } }, { upsert: true });
        remember(tokenId, true);
      }),
    isRevoked: async (tokenId) => {
      const known = answers.get(tokenId);
      if (known && known.until > clock().getTime()) return known.isRevoked;
      const found = await guard(() => revoked.findOne({ _id: tokenId }, { projection: { _id: 1 } }));
      // A logout of this process while the database was asked is newer than its answer.
      const isRevoked = found !== null || answers.get(tokenId)?.isRevoked === true;
      remember(tokenId, isRevoked);
      return isRevoked;
    },
  };
}

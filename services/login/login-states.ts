import { createHash, randomBytes } from 'node:crypto';
import type { User } from '../../model/access';
import { guard, type Mongo, onceReady } from '../storage/mongo';

/** What is kept between two steps of a login, by the kind of the step. */
export interface Pending {
  /** The browser is at the provider. */
  state: {
    provider: string;
    nonce: string;
    codeVerifier: string;
    redirectAfter?: string;
    /** Digest of the cookie that the browser must come back with. */
    cookieDigest: string;
  };
  /** The browser carries a code back to the application that began the login. */
  code: { user: User };
}

/** Single-use secrets of logins under way, shared by all processes. */
export interface LoginStates {
  /** Keeps `value` for `seconds`; gives the secret of 256 random bits that takes it. */
  put<Kind extends keyof Pending>(kind: Kind, value: Pending[Kind], seconds: number): Promise<string>;
  /** The value, once; undefined when the secret was never given, is used up, or is too old. */
  take<Kind extends keyof Pending>(kind: Kind, secret: string): Promise<Pending[Kind] | undefined>;
}

interface StoredState {
  /** `<kind>/<digest>`: who reads the database finds no secret that could be used. */
  _id: string;
  value: Pending[keyof Pending];
  expires_at: Date;
}

/** A secret that nobody can guess, of characters that an address may hold. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored in place of a secret. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Logins under way in MongoDB. Taking is one atomic operation; the database removes what nobody takes. */
export function createLoginStates(mongo: Mongo, clock: () => Date): LoginStates {
  const states = mongo.collection<StoredState>('login_states');
  const ready = onceReady(() => states.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }));
  return {
    put: (kind, value, seconds) =>
      guard(async () => {
        await ready();
        const secret = randomSecret();
        const expires_at = new Date(clock().getTime() + seconds * 1000);
        await states.insertOne({ _id: `${kind}/${digestOf(secret)}`, value, expires_at }, { ignoreUndefined: true });
        return secret;
      }),
    take: <Kind extends keyof Pending>(kind: Kind, secret: string) =>
      guard(async () => {
        const stored = await states.findOneAndDelete({ _id: `${kind}/${digestOf(secret)}` });
        if (!stored || stored.expires_at <= clock()) return undefined;
        return stored.value as Pending[Kind];
      }),
  };
}

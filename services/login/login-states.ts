import { hash, randomBytes } from 'node:crypto';
import type { User } from '../../model/access';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';

/** Data stored between two steps of a login, by kind of step. */
export interface Pending {
  /** The browser is at the provider. */
  state: {
    provider: string;
    nonce: string;
    codeVerifier: string;
    redirectAfter?: string;
    /** Digest of the cookie that the browser must present when it returns. */
    cookieDigest: string;
  };
  /** The browser carries a code back to the application that started the login. */
  code: {
    user: User;
    /** Digest of the cookie that the browser must present; absent if another origin or the command line carries the code. */
    cookieDigest?: string;
  };
}

/** Single-use secrets of pending logins, shared by all processes. */
export interface LoginStates {
  /** Stores `value` for `seconds` and returns the secret (256 random bits) that retrieves it. */
  put<Kind extends keyof Pending>(kind: Kind, value: Pending[Kind], seconds: number): Promise<string>;
  /** Returns the value once. Undefined when the secret is unknown, used or expired. */
  take<Kind extends keyof Pending>(kind: Kind, secret: string): Promise<Pending[Kind] | undefined>;
}

interface StoredState {
  /** `<kind>/<digest>`: someone who reads the database finds no usable secret. */
  _id: string;
  value: Pending[keyof Pending];
  expires_at: Date;
}

/** A random, URL-safe secret of 256 bits. */
export function createRandomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The SHA-256 digest that is stored instead of a secret. */
export function computeDigest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Stores pending logins in MongoDB. `take` is one atomic operation. The database deletes expired entries. */
export function createLoginStates(mongo: Mongo, clock: () => Date): LoginStates {
  const states = mongo.collection<StoredState>('login_states');
  const whenReady = createWhenReady(() => states.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }));
  return {
    put: (kind, value, seconds) =>
      whenReady(async () => {
        const secret = createRandomSecret();
        const expires_at = new Date(clock().getTime() + seconds * 1000);
        await states.insertOne(
          { _id: `${kind}/${computeDigest(secret)}`, value, expires_at },
          { ignoreUndefined: true },
        );
        return secret;
      }),
    take: <Kind extends keyof Pending>(kind: Kind, secret: string) =>
      guard(async () => {
        const stored = await states.findOneAndDelete({ _id: `${kind}/${computeDigest(secret)}` });
        if (!stored || stored.expires_at <= clock()) return undefined;
        return stored.value as Pending[Kind];
      }),
  };
}

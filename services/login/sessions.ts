import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';

/** A token and its latest recorded use. Times are ISO 8601. */
export interface SessionRecord {
  session_id: string;
  username: string;
  issued_at: string;
  expires_at: string;
  last_used_at: string;
  client_address: string;
  user_agent: string;
}

/** The tokens that were used and are still valid. */
export interface Sessions {
  /** Records a use within a second. Of the uses within a minute only the first is stored. Errors are ignored. */
  noteUse(session: SessionRecord): void;
  get(sessionId: string): Promise<SessionRecord | undefined>;
  /** The latest used first; the sessions of everybody without `username`. */
  list(
    username: string | undefined,
    page: { limit: number; offset: number },
  ): Promise<{ items: SessionRecord[]; total: number }>;
  /** Removes it from the list permanently, even if a process that does not know this yet accepts the token once more. */
  end(sessionId: string): Promise<void>;
}

interface Stored extends Omit<SessionRecord, 'session_id' | 'expires_at'> {
  _id: string;
  expires_at: Date;
  /** Kept until the token expires, so that a late use does not bring the session back. */
  is_ended?: boolean;
}

/** Of the uses of a session in this time, only the first is stored. */
const useIntervalMs = 60_000;
/** Uses are stored together, because requests of many users share the database. */
const storeIntervalMs = 1_000;
/** Number of sessions whose latest use a process remembers. */
const maxRemembered = 10_000;

/** Sessions in MongoDB, which deletes them when their tokens have expired. */
export function createSessions(mongo: Mongo, clock: () => Date): Sessions {
  const sessions = mongo.collection<Stored>('sessions');
  const whenReady = createWhenReady(() =>
    Promise.all([
      sessions.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
      sessions.createIndex({ username: 1, last_used_at: -1 }),
    ]),
  );
  const recorded = new Map<string, number>();
  const pending = new Map<string, AnyBulkWriteOperation<Stored>>();
  let timer: NodeJS.Timeout | undefined;
  const store = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const uses = [...pending.values()];
    pending.clear();
    if (uses.length === 0) return;
    await whenReady();
    await sessions.bulkWrite(uses, { ordered: false });
  };
  const createOpenFilter = (): Filter<Stored> => ({ is_ended: { $exists: false }, expires_at: { $gt: clock() } });
  return {
    noteUse: ({ session_id: _id, username, issued_at, expires_at, ...use }) => {
      const now = clock().getTime();
      if (now - (recorded.get(_id) ?? Number.NEGATIVE_INFINITY) < useIntervalMs) return;
      if (recorded.size >= maxRemembered) recorded.clear();
      recorded.set(_id, now);
      const facts = { username, issued_at, expires_at: new Date(expires_at) };
      pending.set(_id, {
        updateOne: { filter: { _id }, update: { $set: use, $setOnInsert: facts }, upsert: true },
      });
      timer ??= setTimeout(() => void store().catch(() => undefined), storeIntervalMs).unref();
    },
    get: (sessionId) =>
      guard(async () => {
        await store();
        const session = await sessions.findOne({ ...createOpenFilter(), _id: sessionId });
        return session ? readStored(session) : undefined;
      }),
    list: (username, { limit, offset }) =>
      guard(async () => {
        await store();
        const filter = { ...createOpenFilter(), ...(username === undefined ? {} : { username }) };
        return await readPage(sessions, filter, { sort: { last_used_at: -1, _id: 1 }, limit, offset }, readStored);
      }),
    end: (sessionId) =>
      guard(async () => {
        await store();
        await sessions.updateOne({ _id: sessionId }, { $set: { is_ended: true } });
      }),
  };
}

function readStored({ _id, expires_at, is_ended: _ended, ...session }: Stored): SessionRecord {
  return { session_id: _id, ...session, expires_at: expires_at.toISOString() };
}

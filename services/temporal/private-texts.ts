import { createHmac, randomBytes } from 'node:crypto';
import { guard, type Mongo } from '../storage/mongo';

/**
 * Keeps texts that may quote documents out of Temporal. Histories and logs contain references instead, which only the
 * installation's own database can resolve.
 */
export interface PrivateTexts {
  /**
   * Stores the text and returns `shown` with a reference to it. Returns `text` if that may be shown. Throws
   * DATABASE_UNAVAILABLE like every store, even if the text itself reports an outage: it is stored nowhere else, and
   * callers can wait.
   */
  hide(text: string, shown: string): Promise<string>;
  /** Replaces every reference in the value's texts with the stored text. */
  reveal<T>(value: T): Promise<T>;
  /** Deletes texts that were last hidden before this time. */
  forget(before: Date): Promise<void>;
}

interface StoredText {
  _id: string;
  text: string;
  at: string;
}

/** As in `[The query failed private:0123456789abcdef0123456789abcdef]`. */
const reference = /\[[^[\]]*private:([0-9a-f]{32})\]/g;

/**
 * Stores private texts in MongoDB. Equal texts of one process get the same reference, so that repeated warnings can be merged.
 */
export function createPrivateTexts(mongo: Pick<Mongo, 'collection'>): PrivateTexts {
  const texts = mongo.collection<StoredText>('private_texts');
  const key = randomBytes(32);
  return {
    async hide(text, shown) {
      if (text === '' || text === shown) return text;
      const _id = createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
      await guard(() => texts.updateOne({ _id }, { $set: { text, at: new Date().toISOString() } }, { upsert: true }));
      return `[${shown} private:${_id}]`;
    },
    async reveal(value) {
      const references = findTexts(value).flatMap((text) => [...text.matchAll(reference)]);
      const ids = [...new Set(references.map(([, id = '']) => id))];
      if (ids.length === 0) return value;
      const records = await guard(() => texts.find({ _id: { $in: ids } }).toArray());
      const byId = new Map(records.map(({ _id, text }) => [_id, text]));
      return replaceTexts(value, (text) =>
        text.replace(reference, (whole, id: string) => byId.get(id) ?? whole),
      ) as typeof value;
    },
    forget: (before) => guard(async () => void (await texts.deleteMany({ at: { $lt: before.toISOString() } }))),
  };
}

function findTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.includes('private:') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(findTexts);
}

function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((member: unknown) => replaceTexts(member, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceTexts(member, replace)]));
}

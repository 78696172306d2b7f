import { createHmac, randomBytes } from 'node:crypto';
import { guard, type Mongo } from '../storage/mongo';

/**
 * Texts that may quote documents, kept outside of Temporal: histories and logs hold a reference in their place, which only
 * the installation's own database resolves.
 */
export interface PrivateTexts {
  /** A reference that shows `shown`; `shown` alone when the text cannot be kept. */
  hide(text: string, shown: string): Promise<string>;
  /** The value with every reference inside its texts replaced by the text that it stands for. */
  reveal<T>(value: T): Promise<T>;
  /** Forgets texts that were last hidden before this time. */
  forget(before: Date): Promise<void>;
}

interface StoredText {
  _id: string;
  text: string;
  at: string;
}

const reference = /\[[^[\]]*private:([0-9a-f]{32})\]/g;

/** Private texts in MongoDB. Equal texts of one process have one reference, so that repeated warnings stay one. */
export function createPrivateTexts(mongo: Pick<Mongo, 'collection'>): PrivateTexts {
  const texts = mongo.collection<StoredText>('private_texts');
  const key = randomBytes(32);
  return {
    async hide(text, shown) {
      if (text === '' || text === shown) return text;
      const _id = createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
      try {
        await guard(() => texts.updateOne({ _id }, { $set: { text, at: new Date().toISOString() } }, { upsert: true }));
        return `[${shown} private:${_id}]`;
      } catch {
        // The error that is reported may be the very outage of the database.
        return shown;
      }
    },
    async reveal(value) {
      const ids = [
        ...new Set(textsIn(value).flatMap((text) => [...text.matchAll(reference)].map(([, id]) => id ?? ''))),
      ];
      if (ids.length === 0) return value;
      const found = await guard(() => texts.find({ _id: { $in: ids } }).toArray());
      const byId = new Map(found.map(({ _id, text }) => [_id, text]));
      return replaced(value, (text) =>
        text.replace(reference, (all, id: string) => byId.get(id) ?? all),
      ) as typeof value;
    },
    forget: (before) => guard(async () => void (await texts.deleteMany({ at: { $lt: before.toISOString() } }))),
  };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.includes('private:') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function replaced(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((member: unknown) => replaced(member, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, replace)]));
}

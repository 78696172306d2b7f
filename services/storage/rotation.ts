import type { Filter } from 'mongodb';
import { AppError } from '../../model/errors';
import { guard, type Mongo } from './mongo';

/**
 * Where the records of a collection hold secrets. `value`: a member in which single texts are encrypted; `json`: the same, stored as
 * JSON text; `whole`: JSON text that is encrypted as one.
 */
export interface SealedCollection {
  collection: string;
  fields: Readonly<Record<string, 'value' | 'json' | 'whole'>>;
  /** The place that each secret of a record is bound to. */
  placeOf: (record: StoredRecord) => string;
}

/** A record as it is stored. */
export interface StoredRecord {
  _id: string;
  [member: string]: unknown;
}

/** What happened to one collection. */
export interface Rotated {
  collection: string;
  records: number;
  /** How many of them were encrypted anew. */
  changed: number;
  /** Records that stay as they are, with the reason. */
  failed: { id: string; message: string }[];
}

const pageSize = 200;
/** How often a record is read again that was changed in between. */
const attempts = 5;

/**
 * Encrypts the secrets of all records with the first key of `mongo`, those stored in clear as well. A record that cannot be
 * read is left as it is and reported. It can be interrupted and repeated, and other processes may write meanwhile.
 */
export async function rotateSecrets(mongo: Mongo, sealed: readonly SealedCollection[]): Promise<Rotated[]> {
  const all: Rotated[] = [];
  for (const one of sealed) all.push(await rotateCollection(mongo, one));
  return all;
}

async function rotateCollection(mongo: Mongo, sealed: SealedCollection): Promise<Rotated> {
  const records = mongo.collection<StoredRecord>(sealed.collection);
  const rotated: Rotated = { collection: sealed.collection, records: 0, changed: 0, failed: [] };
  for (let last: string | undefined; ;) {
    const after: Filter<StoredRecord> = last === undefined ? {} : { _id: { $gt: last } };
    const page = await guard(() => records.find(after).sort({ _id: 1 }).limit(pageSize).toArray());
    if (page.length === 0) return rotated;
    for (const record of page) {
      rotated.records += 1;
      try {
        if (await rotateRecord(mongo, sealed, record)) rotated.changed += 1;
      } catch (error) {
        if (!(error instanceof AppError) || error.code === 'DATABASE_UNAVAILABLE') throw error;
        rotated.failed.push({ id: record._id, message: error.message });
      }
    }
    last = page.at(-1)?._id;
  }
}

/** True when the record was written. */
async function rotateRecord(mongo: Mongo, sealed: SealedCollection, found: StoredRecord): Promise<boolean> {
  const records = mongo.collection<StoredRecord>(sealed.collection);
  let record: StoredRecord | null = found;
  for (let attempt = 0; attempt < attempts && record; attempt += 1) {
    const change = changeOf(mongo, sealed, record);
    const names = Object.keys(change);
    if (names.length === 0) return false;
    const before = Object.fromEntries(names.map((name) => [name, record?.[name]]));
    const { matchedCount } = await guard(() => records.updateOne({ _id: found._id, ...before }, { $set: change }));
    if (matchedCount === 1) return true;
    record = await guard(() => records.findOne({ _id: found._id }));
  }
  if (!record) return false;
  throw new AppError('CONFLICT', 'The record was changed again and again; repeat the command.');
}

function changeOf(
  { sealer }: Mongo,
  { fields, placeOf }: SealedCollection,
  record: StoredRecord,
): Partial<StoredRecord> {
  const place = placeOf(record);
  const change: Partial<StoredRecord> = {};
  for (const [name, form] of Object.entries(fields)) {
    const stored = record[name];
    if (stored === undefined || stored === null) continue;
    if (form === 'whole') {
      // Records of earlier versions hold an object, in clear; an empty list stays one.
      if (Array.isArray(stored) && stored.length === 0) continue;
      const secret = typeof stored === 'string' ? stored : JSON.stringify(stored);
      const next = sealer.reseal({ secret }, place);
      if (next) change[name] = next.secret;
      continue;
    }
    const value: unknown = form === 'json' ? JSON.parse(stored as string) : stored;
    const next = sealer.reseal({ [name]: value }, place);
    if (next) change[name] = form === 'json' ? JSON.stringify(next[name]) : next[name];
  }
  return change;
}

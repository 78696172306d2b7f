import type { Filter } from 'mongodb';
import { AppError } from '../../../model/errors';
import { guard, type Mongo } from '../mongo';
import { sealedPrefix } from './sealer';

/**
 * The encrypted members of a collection's records. `value`: a member that contains encrypted texts; `json`: the same, stored as
 * JSON text; `whole`: JSON text that is encrypted as a whole.
 */
export interface SealedCollection {
  collection: string;
  fields: Readonly<Record<string, 'value' | 'json' | 'whole'>>;
  /** The place that each secret of a record is bound to. */
  formatPlace: (record: StoredRecord) => string;
}

/** A record in its stored form. */
export interface StoredRecord {
  _id: string;
  [member: string]: unknown;
}

/** The result for one collection. */
export interface Rotated {
  collection: string;
  records: number;
  /** Number of records that were re-encrypted. */
  changed: number;
  /** Records that were left unchanged, with the reason. */
  failed: { id: string; message: string }[];
}

const pageSize = 200;
/** Maximum attempts for a record that others change at the same time. */
const maxAttempts = 5;

/** Restricts a rotation. */
export interface RotationScope {
  /** Skips records that already have an encrypted secret, under any key. */
  onlyClear?: boolean;
  /** Begins after the record of this id. */
  after?: string | undefined;
  /** Called with the id of the last record of each page. */
  onPage?: (lastId: string) => Promise<void>;
}

/**
 * Encrypts the secrets of all records with the first key of `mongo`, including those stored as plain text. Reports records that
 * cannot be read and leaves them unchanged. Can be interrupted and repeated. Other processes may write at the same time.
 */
export async function rotateSecrets(
  mongo: Mongo,
  sealed: readonly SealedCollection[],
  scope: RotationScope = {},
): Promise<Rotated[]> {
  const results: Rotated[] = [];
  for (const collection of sealed) results.push(await rotateCollection(mongo, collection, scope));
  return results;
}

async function rotateCollection(
  mongo: Mongo,
  sealed: SealedCollection,
  { onlyClear = false, after, onPage = async () => undefined }: RotationScope,
): Promise<Rotated> {
  const records = mongo.collection<StoredRecord>(sealed.collection);
  const rotated: Rotated = { collection: sealed.collection, records: 0, changed: 0, failed: [] };
  let lastId = after;
  for (;;) {
    const remaining: Filter<StoredRecord> = lastId === undefined ? {} : { _id: { $gt: lastId } };
    const page = await guard(() => records.find(remaining).sort({ _id: 1 }).limit(pageSize).toArray());
    if (page.length === 0) return rotated;
    for (const record of page) {
      rotated.records += 1;
      if (onlyClear && JSON.stringify(record).includes(sealedPrefix)) continue;
      try {
        if (await rotateRecord(mongo, sealed, record)) rotated.changed += 1;
      } catch (error) {
        if (!(error instanceof AppError) || error.code === 'DATABASE_UNAVAILABLE') throw error;
        rotated.failed.push({ id: record._id, message: error.message });
      }
    }
    lastId = page.at(-1)?._id;
    if (lastId !== undefined) await onPage(lastId);
  }
}

/** Returns true when the record was written. */
async function rotateRecord(mongo: Mongo, sealed: SealedCollection, storedRecord: StoredRecord): Promise<boolean> {
  const records = mongo.collection<StoredRecord>(sealed.collection);
  let record: StoredRecord | null = storedRecord;
  for (let attempt = 0; attempt < maxAttempts && record; attempt += 1) {
    const change = buildChange(mongo, sealed, record);
    const names = Object.keys(change);
    if (names.length === 0) return false;
    const before = Object.fromEntries(names.map((name) => [name, record?.[name]]));
    const { matchedCount } = await guard(() =>
      records.updateOne({ _id: storedRecord._id, ...before }, { $set: change }),
    );
    if (matchedCount === 1) return true;
    record = await guard(() => records.findOne({ _id: storedRecord._id }));
  }
  if (!record) return false;
  throw new AppError('CONFLICT', 'The record was changed again and again; repeat the command.');
}

/** The members to replace; empty if all secrets already use the first key. */
function buildChange(
  { sealer }: Mongo,
  { fields, formatPlace }: SealedCollection,
  record: StoredRecord,
): Partial<StoredRecord> {
  const place = formatPlace(record);
  const change: Partial<StoredRecord> = {};
  for (const [name, form] of Object.entries(fields)) {
    const stored = record[name];
    if (stored === undefined || stored === null) continue;
    if (form === 'whole') {
      // Records of earlier versions contain a plain-text object. An empty list is left unchanged.
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

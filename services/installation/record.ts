import { randomBytes } from 'node:crypto';
import { guard, isDuplicate, type Mongo } from '../storage/mongo';

/** The version of stored data that this release supports: that of the last migration. */
export const dataVersion = 1;

/** The identity and state of an installation. One per database; created by the first process that reads it. */
export interface InstallationRecord {
  /** Twelve random letters and digits, chosen once. Part of the names of the task queues. */
  identity: string;
  created_at: string;
  /**
   * True when the database already contained finished runs when the identity was created. Their files must then be in the store.
   */
  had_work: boolean;
  /** True once the store has the identity. From then on, a store without it is a different store. */
  store_marked: boolean;
  /** False while workflows of a version without identities may still run on its queues. */
  drained: boolean;
  /** Version of the last completed migration; absent before the first. */
  data_version?: number;
}

/** Access to the installation's record in its database. */
export interface InstallationRecords {
  /** Undefined when no process of this version has used the database yet. */
  find(): Promise<InstallationRecord | undefined>;
  /** Returns the record, creating it when there is none. Concurrent callers get the same record. */
  ensure(identity?: string): Promise<InstallationRecord>;
  set(change: Partial<Pick<InstallationRecord, 'store_marked' | 'drained'>>): Promise<void>;
}

type Stored = InstallationRecord & { _id: string };

const id = 'installation';
/** A document in one of these collections means that work may still be in progress. */
const collectionsOfWork = ['job_runs', 'conversion_tasks', 'graphs', 'flow_schedules'];
/** Letters and digits, except those that are easily confused. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Reads and writes the record. Connects with the first call. */
export function createInstallationRecords(mongo: Mongo): InstallationRecords {
  const records = mongo.collection<Stored>('installation');
  const find = () => guard(async () => (await records.findOne({ _id: id })) ?? undefined);
  const hasDocument = (collection: string, filter: object = {}) =>
    guard(async () => (await mongo.collection(collection).findOne(filter, { projection: { _id: 1 } })) !== null);
  return {
    find,
    async ensure(identity = createIdentity()) {
      const record = await find();
      if (record) return record;
      const newRecord: Stored = {
        _id: id,
        identity,
        created_at: new Date().toISOString(),
        had_work: await hasDocument('job_runs', { ended_at: { $ne: null } }),
        store_marked: false,
        drained: !(await Promise.all(collectionsOfWork.map((name) => hasDocument(name)))).includes(true),
      };
      try {
        await guard(() => records.insertOne(newRecord));
        return newRecord;
      } catch (error) {
        const other = isDuplicate(error) ? await find() : undefined;
        if (other) return other;
        throw error;
      }
    },
    async set(change) {
      await guard(() => records.updateOne({ _id: id }, { $set: change }));
    },
  };
}

function createIdentity(): string {
  return [...randomBytes(12)].map((byte) => letters[byte % letters.length]).join('');
}

import { randomBytes } from 'node:crypto';
import { guard, isDuplicate, type Mongo } from '../storage/mongo';

/** What the database knows of its installation. One per database; the first process to ask makes it. */
export interface InstallationRecord {
  /** Twelve letters and digits, chosen at random once; part of the names of the task queues. */
  identity: string;
  created_at: string;
  /** Whether the database held ended runs when the identity was made: then their files lie in the store. */
  had_work: boolean;
  /** Whether the store was given the identity. From then on, a store without it is another one. */
  store_marked: boolean;
  /** False while workflows of a version without identities may still be under way on queues without it. */
  drained: boolean;
}

/** The record of the installation in its database. */
export interface InstallationRecords {
  /** Undefined where no process of this version has used the database yet. */
  find(): Promise<InstallationRecord | undefined>;
  /** The record, made when there is none. Processes that ask at the same moment get the same one. */
  ensure(identity?: string): Promise<InstallationRecord>;
  set(change: Partial<Pick<InstallationRecord, 'store_marked' | 'drained'>>): Promise<void>;
}

type Stored = InstallationRecord & { _id: string };

const id = 'installation';
/** What may still be under way when one of them holds something. */
const collectionsOfWork = ['job_runs', 'conversion_tasks', 'graphs', 'flow_schedules'];
/** Letters and digits without those that are read for each other. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Reads and writes the record; nothing is contacted before the first call. */
export function createInstallationRecords(mongo: Mongo): InstallationRecords {
  const records = mongo.collection<Stored>('installation');
  const find = () => guard(async () => (await records.findOne({ _id: id })) ?? undefined);
  const holds = (collection: string, filter: object = {}) =>
    guard(async () => (await mongo.collection(collection).findOne(filter, { projection: { _id: 1 } })) !== null);
  return {
    find,
    async ensure(identity = newIdentity()) {
      const found = await find();
      if (found) return found;
      const made: Stored = {
        _id: id,
        identity,
        created_at: new Date().toISOString(),
        had_work: await holds('job_runs', { ended_at: { $ne: null } }),
        store_marked: false,
        drained: !(await Promise.all(collectionsOfWork.map((name) => holds(name)))).includes(true),
      };
      try {
        await guard(() => records.insertOne(made));
        return made;
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

function newIdentity(): string {
  return [...randomBytes(12)].map((byte) => letters[byte % letters.length]).join('');
}

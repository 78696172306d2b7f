import type { RemovalPlace, RemovalPlaceReply } from '../../model/removal/wire';
import type { ResourceAsker } from '../document-set/document-sets-store';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';

/** A document of a job. */
export interface JobDocument {
  job_id: string;
  document_id: string;
  /** The owner of the run that ingested it; empty if unknown. */
  owner: string;
}

/** A removal, stored before anything is removed. */
export interface RemovalRecord {
  removal_id: string;
  kind: 'document' | 'flow';
  state: 'WORKING' | 'DONE';
  /** The documents to remove; for a flow everything of its job, whose documents are in the ledger. */
  documents: JobDocument[];
  job_id?: string;
  requested_by: string;
  requested_at: string;
  finished_at: string | null;
  restored_at: string | null;
  places: Partial<Record<RemovalPlace, PlaceResult>>;
}
export type PlaceResult = Omit<RemovalPlaceReply, 'place'>;
type Stored = Omit<RemovalRecord, 'removal_id'> & { _id: string };

export type RemovalRecords = ReturnType<typeof createRemovalRecords>;

/** Records of removals in MongoDB. */
export function createRemovalRecords(mongo: Mongo) {
  const removals = mongo.collection<Stored>('removals');
  const whenReady = createWhenReady(async () => {
    await removals.createIndex({ requested_by: 1, requested_at: -1 });
    await removals.createIndex({ state: 1, requested_at: 1 });
  });
  const get = async (id: string) => {
    const stored = await removals.findOne({ _id: id });
    return stored ? readStored(stored) : undefined;
  };
  return {
    get: (id: string) => guard(() => get(id)),
    /** Stores the record; an existing record with the same id is not changed. */
    create: ({ removal_id, ...record }: RemovalRecord): Promise<void> =>
      whenReady(async () => {
        await removals.insertOne({ _id: removal_id, ...record }).catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
        });
      }),
    /** Deletes a removal that has not started. */
    discard: (id: string): Promise<void> => guard(async () => void (await removals.deleteOne({ _id: id }))),
    /** The latest first. */
    list: ({ user, everyone }: ResourceAsker, { limit, offset }: { limit: number; offset: number }) =>
      whenReady(() => {
        const filter = everyone ? {} : { requested_by: user.username };
        return readPage(removals, filter, { sort: { requested_at: -1, _id: 1 }, limit, offset }, readStored);
      }),
    /** Records the result of one location; numbers of several attempts are summed. */
    note: (id: string, place: RemovalPlace, { removed, state, note }: PlaceResult): Promise<void> =>
      guard(async () => {
        await removals.updateOne(
          { _id: id },
          {
            $inc: { [`places.${place}.removed`]: removed },
            $set: { [`places.${place}.state`]: state, [`places.${place}.note`]: note },
          },
        );
      }),
    finish: (id: string, at: string): Promise<void> =>
      guard(async () => void (await removals.updateOne({ _id: id }, { $set: { state: 'DONE', finished_at: at } }))),
    restored: (id: string, at: string): Promise<void> =>
      guard(async () => void (await removals.updateOne({ _id: id }, { $set: { restored_at: at } }))),
    /** The oldest that are not done. */
    open: (limit: number): Promise<RemovalRecord[]> =>
      whenReady(async () => {
        const records = await removals.find({ state: 'WORKING' }).sort({ requested_at: 1 }).limit(limit).toArray();
        return records.map(readStored);
      }),
  };
}

function readStored({ _id, ...record }: Stored): RemovalRecord {
  return { removal_id: _id, ...record };
}

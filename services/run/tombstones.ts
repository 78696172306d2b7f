import { iterateBatches } from '../../model/lists/batches';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';

/** Marks a removed document: runs of its job skip it until it is restored. */
export interface Tombstone {
  job_id: string;
  document_id: string;
  removal_id: string;
  /** The owner of the document. */
  owner: string;
}
type Stored = Tombstone & { _id: string };

/** Documents that are looked up at a time. */
const batchSize = 1_000;

export type Tombstones = ReturnType<typeof createTombstones>;

/** The tombstones in MongoDB, keyed by job and document. */
export function createTombstones(mongo: Mongo) {
  const stones = mongo.collection<Stored>('removed_documents');
  const whenReady = createWhenReady(async () => {
    await stones.createIndex({ document_id: 1 });
    await stones.createIndex({ removal_id: 1 });
  });
  return {
    /** Adds tombstones; existing ones are kept. */
    put: (tombstones: readonly Tombstone[]): Promise<void> =>
      whenReady(async () => {
        for (const stone of tombstones)
          await stones.updateOne(
            { _id: `${stone.job_id}/${stone.document_id}` },
            { $setOnInsert: { ...stone } },
            { upsert: true },
          );
      }),
    /** The ids of those documents of the job that are removed. */
    among: (jobId: string, ids: readonly string[]): Promise<Set<string>> =>
      guard(async () => {
        const removedIds = new Set<string>();
        for (const batch of iterateBatches(ids, batchSize)) {
          const keys = batch.map((id) => `${jobId}/${id}`);
          const part = await stones.find({ _id: { $in: keys } }, { projection: { document_id: 1 } }).toArray();
          for (const { document_id } of part) removedIds.add(document_id);
        }
        return removedIds;
      }),
    /** The tombstones of a document in all jobs. */
    of: (documentId: string): Promise<Tombstone[]> =>
      whenReady(async () =>
        (await stones.find({ document_id: documentId }).toArray()).map(({ _id, ...stone }) => stone),
      ),
    /** Deletes the tombstones of a removal. Returns their number. */
    lift: (removalId: string): Promise<number> =>
      guard(async () => (await stones.deleteMany({ removal_id: removalId })).deletedCount),
  };
}

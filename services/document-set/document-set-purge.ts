import { createHash } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { ObjectStore } from '../storage/object-store-port';
import type { Duckdb } from '../table/duckdb';
import { containsDocuments, putSegment, readSegment } from './set-files';
import type { StoredDocument, StoredRow } from './set-records';

interface Places {
  rows: Collection<StoredRow>;
  documents: Collection<StoredDocument>;
  files: { store: ObjectStore; duckdb: Duckdb };
}

/**
 * Replaces a file of a set by one with only the rows that are still in the set. The name of the new file is derived from its
 * content, so that a repeated attempt writes it again. A file without rows of these documents is not changed.
 */
export async function rewriteSegment(
  { rows, documents, files }: Places,
  { setId, segment }: { setId: string; segment: string },
  documentIds: readonly string[],
): Promise<void> {
  if (!(await containsDocuments(files, segment, documentIds))) return;
  const live = await rows.find({ set_id: setId, segment }).sort({ place: 1 }).toArray();
  const hash = createHash('sha256').update(JSON.stringify([segment, live.map(({ row_id }) => row_id)]));
  const next = `sets/${setId}/${hash.digest('hex').slice(0, 32)}.parquet`;
  if (next === segment) return;
  if (live.length > 0) {
    const ids = live.map(({ row_id }) => row_id);
    await putSegment(files, next, await readSegment(files, segment, ids));
    const owners = [...new Set(live.map(({ document_id }) => document_id))];
    await documents.bulkWrite(
      owners.map((id) => ({
        updateOne: {
          filter: { _id: `${setId}/${id}` },
          update: { $addToSet: { segments: next }, $setOnInsert: { set_id: setId } },
          upsert: true,
        },
      })),
      { ordered: false },
    );
    // A row that a run has written again since is in a file of that run.
    await rows.updateMany({ _id: { $in: live.map(({ _id }) => _id) }, segment }, { $set: { segment: next } });
  }
  await files.store.removePrefix(segment);
}

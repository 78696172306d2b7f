import { hash } from 'node:crypto';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';

/** Reserves a name at a place for one file of one document. */
export interface Claim {
  /** The key of the place. */
  place: string;
  name: string;
  job_id: string;
  operator: string;
  document_id: string;
  format: string;
  /** The run that last wrote the file. */
  run_id: string;
  /** False until the file has been written once. */
  written: boolean;
  /** SHA-256 of the content that attempts to create the file may have written. */
  hashes: string[];
}

/** Identifies the owner of a claim. */
export type ClaimOwner = Pick<Claim, 'place' | 'job_id' | 'operator' | 'document_id' | 'format'>;

type Stored = Claim & { _id: string };
export type ExportClaims = ReturnType<typeof createExportClaims>;

/** The names of exported files, stored in MongoDB. Every name belongs to one document, across all flows. */
export function createExportClaims(mongo: Mongo) {
  const claims = mongo.collection<Stored>('exported_files');
  const whenReady = createWhenReady(() => claims.createIndex({ job_id: 1, document_id: 1 }));
  return {
    /** Claims the name for the owner, or returns the owner's claim. Undefined when the name belongs to another document. */
    claim: (owner: ClaimOwner, name: string, runId: string): Promise<Claim | undefined> =>
      whenReady(async () => {
        const _id = buildClaimId(owner.place, name);
        const fresh: Stored = { _id, ...owner, name, run_id: runId, written: false, hashes: [] };
        try {
          await claims.insertOne(fresh);
          return fresh;
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
        const present = await claims.findOne({ _id });
        return present && isOwnedBy(present, owner) ? present : undefined;
      }),
    /** Records the content to be written, so that a later attempt recognizes its own file. */
    note: (place: string, name: string, hash: string): Promise<Claim | undefined> =>
      guard(
        async () =>
          (await claims.findOneAndUpdate(
            { _id: buildClaimId(place, name) },
            { $addToSet: { hashes: hash } },
            { returnDocument: 'after' },
          )) ?? undefined,
      ),
    written: (place: string, name: string, runId: string): Promise<void> =>
      guard(
        async () =>
          void (await claims.updateOne(
            { _id: buildClaimId(place, name) },
            { $set: { written: true, run_id: runId, hashes: [] } },
          )),
      ),
    release: (place: string, name: string): Promise<void> =>
      guard(async () => void (await claims.deleteOne({ _id: buildClaimId(place, name) }))),
    /** The claims of those of the files that were written. */
    listWritten: (files: readonly Pick<Claim, 'place' | 'name'>[]): Promise<Claim[]> =>
      guard(() => {
        const ids = files.map(({ place, name }) => buildClaimId(place, name));
        return claims.find({ _id: { $in: ids }, written: true }, { projection: { _id: 0 } }).toArray();
      }),
    /** The claims of documents of a job, at every place. */
    of: (jobId: string, documentIds: readonly string[]): Promise<Claim[]> =>
      whenReady(() =>
        claims.find({ job_id: jobId, document_id: { $in: [...documentIds] } }, { projection: { _id: 0 } }).toArray(),
      ),
  };
}

/** Ignores case and Unicode normalization form, as some file systems do. */
function buildClaimId(place: string, name: string): string {
  return hash('sha256', `${place}\0${name.normalize('NFC').toLowerCase()}`);
}

function isOwnedBy(claim: Claim, owner: ClaimOwner): boolean {
  const { job_id, operator, document_id, format } = owner;
  return (
    claim.job_id === job_id &&
    claim.operator === operator &&
    claim.document_id === document_id &&
    claim.format === format
  );
}

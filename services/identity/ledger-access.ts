import { type AccessList, toStoredAccess } from '../../model/access-list';
import { guard, type Mongo } from '../storage/mongo';

/** A new access list of a document in the ledger. */
export interface LedgerAccessChange {
  id: string;
  /** The run that ingested the document. A document that another run has ingested since then is not changed. */
  runId: string;
  list: AccessList;
  /** Absent if the next run must write the document again. */
  aclHash?: string;
}

/** Changes the access lists of documents in the ledger, and nothing else. */
export interface LedgerAccess {
  change(jobId: string, changes: readonly LedgerAccessChange[]): Promise<void>;
}

type Stored = { _id: string; run_id: string } & Record<string, unknown>;

/** Stores the changes in MongoDB, in the collection of the ledger. */
export function createLedgerAccess(mongo: Mongo): LedgerAccess {
  const entries = mongo.collection<Stored>('ledger');
  return {
    change: (jobId, changes) =>
      guard(async () => {
        if (changes.length === 0) return;
        await entries.bulkWrite(
          changes.map(({ id, runId, list, aclHash }) => {
            const next = toStoredAccess(list);
            const absent = (['allowed_principals', 'denied_principals', 'required_lists'] as const).filter(
              (column) => !(column in next),
            );
            return {
              updateOne: {
                filter: { _id: `${jobId}/${id}`, run_id: runId },
                update: {
                  $set: { ...next, ...(aclHash === undefined ? {} : { acl_hash: aclHash }) },
                  ...(absent.length > 0 ? { $unset: Object.fromEntries(absent.map((column) => [column, ''])) } : {}),
                },
              },
            };
          }),
          { ordered: false },
        );
      }),
  };
}

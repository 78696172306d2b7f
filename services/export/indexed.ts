import type { IndexRecord } from '../search/ports';
import type { Claim, ExportClaims } from './claims';
import type { IndexPlace } from './index-place';
import type { ExportOrigin, ExportScope } from './place';

interface Work {
  claims: ExportClaims;
  place: IndexPlace;
}

/** The format of claims of documents with records. */
const format = 'records';

/**
 * Writes the records. Each document is claimed first, so that its records are found again however the attempt ends. Ids belong to rows:
 * a second attempt and a later run replace the same records.
 */
export async function writeRecords(
  { claims, place }: Work,
  records: readonly IndexRecord[],
  { origin, signal }: { origin: ExportOrigin; signal: AbortSignal },
): Promise<{ id: string; reason: string }[]> {
  const { jobId, runId, operator } = origin;
  for (const documentId of new Set(records.map(({ document_id }) => document_id))) {
    const name = JSON.stringify([jobId, operator, documentId]);
    const owner = { place: place.key, job_id: jobId, operator, document_id: documentId, format };
    await claims.claim(owner, name, runId);
    await claims.written(place.key, name, runId);
  }
  return await place.write(records, signal);
}

/** Removes the records of documents, and the claims of those that no longer have any. Returns the number of these documents. */
export async function removeIndexed({ claims, place }: Work, scope: ExportScope): Promise<number> {
  const { jobId, documentIds, keepRunId } = scope;
  const claimed = (await claims.of(jobId, documentIds)).filter((claim) => claim.place === place.key);
  if (claimed.length === 0) return 0;
  const ids = [...new Set(claimed.map(({ document_id }) => document_id))];
  await place.remove({ jobId, documentIds: ids, ...(keepRunId === undefined ? {} : { keepRunId }) });
  const gone = claimed.filter(({ run_id }: Claim) => run_id !== keepRunId);
  for (const claim of gone) await claims.release(place.key, claim.name);
  return new Set(gone.map(({ document_id }) => document_id)).size;
}

import { countNouns } from '../../model/count-nouns';
import { iterateBatches } from '../../model/lists/batches';
import { defaultRemovedPercent } from '../../model/source/removal';
import type { LedgerEntry } from '../../services/run/ledger';
import { ingestSource } from './schema';
import type { Listing } from './take';

/** Documents marked per query. */
const pageSize = 500;
/** Up to this number of missing documents, all are removed, whatever their share. */
const maxRemovedAlways = 20;

/**
 * Records the earlier documents that the listing lacks; they are removed at the end of the run. Keeps them if the listing
 * is incomplete, or lacks more than `max_removed_percent`: an unmounted folder or a wrong prefix looks the same as a large
 * deletion. Documents that the owner may no longer read are removed in any case.
 */
export async function noteGone(listing: Listing, isComplete: boolean): Promise<void> {
  const { context, result, lost } = listing;
  const { ledger } = context.services;
  const { jobId, runId, owner, readers = [{ username: owner }] } = context.run;
  const otherSources = context.run.flow.flow
    .filter(({ type, name }) => type === ingestSource.name && name !== context.operator)
    .map(({ name }) => name);
  const gone = await ledger.listGone(jobId, runId, readers, otherSources);
  const missing = gone.filter(({ id }) => !lost.has(id));
  if (missing.length === 0 || (isComplete && !isShrunk(listing, missing.length))) {
    result.gone = gone;
    return;
  }
  // The end of the run deletes documents not marked as seen, so these stay marked.
  for (const batch of iterateBatches(missing, pageSize)) {
    await ledger.markSeen(
      jobId,
      runId,
      batch.map(({ id }) => id),
    );
  }
  result.gone = gone.filter(({ id }) => lost.has(id));
  result.warnings.push(
    isComplete
      ? describeShrinking(listing, missing.length)
      : `The listing is incomplete, so it keeps ${countNouns(missing.length, 'earlier document')} that it lacks.`,
  );
}

/** Records the documents of this page that their owner ingested and may no longer read. */
export function noteLost(
  { lost, context }: Listing,
  ids: readonly string[],
  seenIds: ReadonlySet<string>,
  entries: ReadonlyMap<string, LedgerEntry>,
): void {
  for (const id of ids) if (!seenIds.has(id) && entries.get(id)?.owner === context.run.owner) lost.add(id);
}

function countEarlierDocuments({ result, counts }: Listing, missing: number): number {
  return missing + Math.max(0, counts.listed - result.added);
}

function isShrunk(listing: Listing, missing: number): boolean {
  if (isEmptied(listing)) return !listing.context.run.isEmptyConfirmed;
  const { max_removed_percent: maxPercent = defaultRemovedPercent } = listing.config;
  return missing > maxRemovedAlways && missing * 100 > maxPercent * countEarlierDocuments(listing, missing);
}

function isEmptied({ counts, result }: Listing): boolean {
  return counts.listed === 0 && result.withheld === 0;
}

function describeShrinking(listing: Listing, missing: number): string {
  if (isEmptied(listing))
    return `The source is empty, so its ${countNouns(missing, 'earlier document')} stay${missing === 1 ? 's' : ''} in the index. If they were deleted on purpose, run the flow once with the parameter confirm_empty_source=true.`;
  const { max_removed_percent: maxPercent = defaultRemovedPercent } = listing.config;
  return `The listing lacks ${missing} of ${countEarlierDocuments(listing, missing)} earlier documents, more than max_removed_percent (${maxPercent}) allows, so all of them are kept. Check the source; if they were deleted on purpose, run the flow once with max_removed_percent 100.`;
}

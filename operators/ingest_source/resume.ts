import type { ListingStep } from '../operator';
import type { Listing } from './take';

/** Entries between two steps. */
const entriesPerStep = 2_000;

/** Saves the progress of a listing from time to time, so that a repeated activity continues it. */
export interface ListingSaver {
  /** The cursor of the last step of earlier attempts; absent to list from the beginning. */
  cursor?: string;
  /** False if a step of earlier attempts was incomplete. */
  isComplete: boolean;
  /** Called after entries have been taken; `cursor` is the cursor of the last one. */
  note(entries: number, cursor: string | undefined, isComplete: boolean): Promise<void>;
}

/** Restores what earlier attempts of the same activity found. Sample runs are short and start over. */
export async function openListing(listing: Listing): Promise<ListingSaver> {
  const { context, result, counts, lost } = listing;
  const steps = context.run.sample === undefined ? ((await context.progressOf?.load()) ?? []) : [];
  for (const step of steps) restore(listing, step);
  const last = steps.at(-1);
  // What the saved steps already contain.
  let savedUnchanged = result.unchanged.length;
  let savedFailed = result.failed.length;
  const savedLost = new Set(lost);
  let entriesSinceStep = 0;
  return {
    isComplete: last?.isComplete ?? true,
    ...(last ? { cursor: last.cursor } : {}),
    async note(entries, cursor, isComplete) {
      entriesSinceStep += entries;
      if (entriesSinceStep < entriesPerStep || cursor === undefined || context.run.sample !== undefined) return;
      const { added, changed, withheld } = result;
      await context.progressOf?.save({
        cursor,
        isComplete,
        counts: { ...counts },
        lost: [...lost].filter((id) => !savedLost.has(id)),
        found: {
          unchanged: result.unchanged.slice(savedUnchanged),
          failed: result.failed.slice(savedFailed),
          warnings: [...result.warnings],
          totals: { added, changed, withheld },
        },
      });
      entriesSinceStep = 0;
      savedUnchanged = result.unchanged.length;
      savedFailed = result.failed.length;
      for (const id of lost) savedLost.add(id);
    },
  };
}

function restore(
  { result, counts, lost }: Listing,
  { found, lost: lostInStep, counts: savedCounts }: ListingStep,
): void {
  result.unchanged.push(...found.unchanged);
  result.failed.push(...found.failed);
  result.warnings = [...found.warnings];
  Object.assign(result, found.totals);
  Object.assign(counts, savedCounts);
  for (const id of lostInStep) lost.add(id);
}

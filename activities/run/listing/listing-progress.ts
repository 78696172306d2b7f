import type { OperatorCall } from '../../../model/run/run';
import type { ListingStep } from '../../../operators/operator';
import type { FilesStore } from '../../../services/storage/files';

/** The rows of a listing that have been written. */
export interface WrittenRows {
  parts: number;
  emitted: number;
}

/** The steps of a listing, one file each. */
export interface ListingSteps {
  load(): Promise<{ steps: ListingStep[]; written: WrittenRows }>;
  save(step: ListingStep, written: WrittenRows): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Keeps the steps beside the tables of the run. An attempt that is still running when the next one has begun writes the same steps
 * after the same documents, so their order stays.
 */
export function createListingSteps(
  files: Pick<FilesStore, 'exists' | 'get' | 'put' | 'removePrefix'>,
  { runId, operator, part }: OperatorCall,
): ListingSteps {
  // The part of a single source is empty, but keys have no empty segments.
  const prefix = `run/${runId}/.listing/of-${encodeURIComponent(operator)}/part-${encodeURIComponent(part)}/`;
  const buildKey = (number: number) => `${prefix}${String(number).padStart(8, '0')}.json`;
  let count = 0;
  return {
    async load() {
      const steps: ListingStep[] = [];
      let written: WrittenRows = { parts: 0, emitted: 0 };
      for (count = 0; await files.exists(buildKey(count)); count += 1) {
        const bytes = await files.get(buildKey(count));
        const saved = JSON.parse(Buffer.from(bytes).toString('utf8')) as { step: ListingStep; written: WrittenRows };
        steps.push(saved.step);
        written = saved.written;
      }
      return { steps, written };
    },
    async save(step, written) {
      await files.put(buildKey(count), Buffer.from(JSON.stringify({ step, written })));
      count += 1;
    },
    remove: () => files.removePrefix(prefix),
  };
}

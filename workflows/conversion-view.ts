import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { TaskMeta } from '../model/conversion/task/task';
import type { ConvertProgress, ConvertReport, DocumentOutcome } from '../model/conversion/task/work';
import { countNouns } from '../model/count-nouns';
import { maxDetailsCharacters } from './progress';
import { describeWaits, endAllWaits, endWaits, takeWaits, type Waits } from './waits';

/** The data of a conversion in the Temporal UI: search attributes for the list, and details. */
export class ConversionView {
  private readonly waits: Waits = {};
  private progress?: ConvertProgress;

  /** `showsCounts` is false in workflows that an earlier version started: these write no counts. */
  constructor(private readonly showsCounts: boolean) {
    takeWaits(this.waits, () => this.show());
  }

  /** Shows these counts, which the caller keeps updating. */
  follow(progress: ConvertProgress): void {
    this.progress = progress;
    this.show();
  }

  /** Call after each document. Ends its waits and shows the new counts. */
  note(index: number): void {
    endWaits(this.waits, String(index));
    this.show();
  }

  /** Shows the outcome, and returns the result of the workflow. By default, counts the documents so far. */
  end(state: 'success' | 'failure' | 'cancelled', message = '', report?: ConvertReport): ConvertReport {
    const { counts, failures } = report ?? this.progress ?? noReport;
    endAllWaits(this.waits);
    const outcome = getOutcome(state, counts);
    if (this.showsCounts)
      upsertSearchAttributes({
        Outcome: [outcome],
        Documents: [counts.num_docs],
        FailedDocuments: [counts.num_failed],
      });
    setCurrentDetails(describe({ headline: outcome, message, counts, failures }));
    return { counts, failures };
  }

  /** Call when the work ends early; otherwise its wait would stay in the list forever. */
  stop(): void {
    endAllWaits(this.waits);
    this.show();
  }

  private show(): void {
    const { counts, failures } = this.progress ?? noReport;
    const headline = this.progress ? 'RUNNING' : 'STARTING';
    setCurrentDetails([...describeWaits(this.waits), describe({ headline, message: '', counts, failures })].join('\n'));
  }
}

const noReport: ConvertReport = {
  counts: { num_docs: 0, num_processed: 0, num_succeeded: 0, num_partially_succeeded: 0, num_failed: 0 },
  failures: [],
};

/** A task that has converted nothing has failed, even if its clients receive the reasons as a result. */
function getOutcome(state: 'success' | 'failure' | 'cancelled', { num_docs, num_failed }: TaskMeta): string {
  if (state === 'cancelled') return 'CANCELED';
  if (state === 'failure' || (num_failed > 0 && num_failed === num_docs)) return 'FAILED';
  return num_failed > 0 ? 'COMPLETED_WITH_ERRORS' : 'COMPLETED';
}

function describe(view: { headline: string; message: string; counts: TaskMeta; failures: readonly DocumentOutcome[] }) {
  const { headline, message, counts, failures } = view;
  const { num_docs, num_succeeded, num_partially_succeeded, num_failed } = counts;
  const first = num_failed > failures.length ? `, the first ${failures.length} of them` : '';
  return [
    `**${headline}**${message ? ` (${message})` : ''}`,
    '',
    `${countNouns(num_docs, 'document')}: ${num_succeeded} converted, ${num_partially_succeeded} in part, ${num_failed} failed`,
    ...(failures.length > 0 ? ['', `Failed${first}:`, ''] : []),
    ...failures.map(
      ({ index, category, message: reason }) => `- ${category ?? 'failed'}: ${reason ?? `document ${index}`}`,
    ),
  ]
    .join('\n')
    .slice(0, maxDetailsCharacters);
}

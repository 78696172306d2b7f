import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { CorpusCounts, CorpusOutcome } from '../model/graph/corpus';
import { describeWaits, endAllWaits, takeWaits, type Waits } from './waits';

/** The data of a graph in the Temporal UI: search attributes for the list, and details. */
export class GraphView {
  private readonly waits: Waits = {};
  private line = '';

  /** Without `showsCounts`, in workflows that an earlier version started, it writes no counts. */
  constructor(private readonly showsCounts: boolean) {
    takeWaits(this.waits, () => this.show(this.line));
  }

  /** Shows the progress. */
  show(line: string): void {
    this.line = line;
    setCurrentDetails([...describeWaits(this.waits), line].join('\n'));
  }

  /** Call before the workflow continues as new, which keeps the attributes and forgets the waits. */
  stop(): void {
    endAllWaits(this.waits);
  }

  /** Shows the outcome. */
  end(outcome: Pick<CorpusOutcome, 'state'>, { documents, failed }: CorpusCounts, line: string): void {
    endAllWaits(this.waits);
    const isMixed = outcome.state === 'COMPLETED' && failed > 0;
    const status = isMixed ? 'COMPLETED_WITH_ERRORS' : outcome.state;
    if (this.showsCounts)
      upsertSearchAttributes({ Outcome: [status], Documents: [documents], FailedDocuments: [failed] });
    this.show(`**${status}**${line ? `\n\n${line}` : ''}`);
  }
}

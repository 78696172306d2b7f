import type { PagesOfDocuments } from '../../model/page/page-count';
import type { PartReport } from '../../model/run/run';
import type { OperatorStats, RunDocument } from './run-record';

/** One operator's work on one part. `report` is JSON text, absent while the work continues. */
export interface PartOfOperator {
  operator: string;
  type: string;
  report?: string;
  /** Number of finished documents while there is no report. */
  live?: number;
  /** Pages of documents that are being converted. */
  live_pages?: PagesOfDocuments;
  started: string;
  ended?: string;
}

/** Adds a part to the totals of its operator. Operators are listed in order of first occurrence. */
export function addPart(stats: Map<string, OperatorStats>, part: PartOfOperator): void {
  const sum = stats.get(part.operator) ?? createEmptyStats(part);
  stats.set(part.operator, sum);
  sum.started_at = pickEarlier(sum.started_at, part.started);
  if (!part.report) {
    sum.documents += part.live ?? 0;
    if (part.live_pages) sum.pages = addPages(sum.pages, part.live_pages);
    return;
  }
  const report = JSON.parse(part.report) as PartReport;
  sum.documents += report.documents;
  sum.in += report.in;
  sum.out += report.out;
  sum.failed += report.failed;
  sum.skipped += report.skipped;
  sum.seconds += report.seconds;
  sum.parts += 1;
  for (const [name, value] of Object.entries(report.metrics)) sum.metrics[name] = (sum.metrics[name] ?? 0) + value;
  if (part.ended && (!sum.ended_at || part.ended > sum.ended_at)) sum.ended_at = part.ended;
}

/** Outcomes by document id. A failure takes precedence over a skip of the same document by another operator. */
export function groupOutcomesById(documents: readonly RunDocument[]): Map<string, RunDocument> {
  const failedLast = documents.toSorted(
    (left, right) => Number(left.outcome === 'failed') - Number(right.outcome === 'failed'),
  );
  return new Map(failedLast.map((document) => [document.id, document]));
}

function createEmptyStats({ operator, type, started }: PartOfOperator): OperatorStats {
  return {
    name: operator,
    type,
    documents: 0,
    in: 0,
    out: 0,
    failed: 0,
    skipped: 0,
    seconds: 0,
    parts: 0,
    metrics: {},
    started_at: started,
    ended_at: null,
  };
}

function addPages(sum: PagesOfDocuments | undefined, more: PagesOfDocuments): PagesOfDocuments {
  if (!sum) return more;
  return {
    documents: sum.documents + more.documents,
    done: sum.done + more.done,
    total: sum.total + more.total,
  };
}

function pickEarlier(left: string | null, right: string): string {
  return left && left < right ? left : right;
}

import { countNouns } from '../model/count-nouns';
import type { RowFailure } from '../model/flow/row';
import {
  type BatchReport,
  maxReportedFailures,
  maxReportedWarnings,
  type OperatorCounts,
  type PartReport,
  type RunProgress,
  type RunState,
} from '../model/run/run';
import { describeWaits } from './waits';

/** Of the details of a workflow that the Temporal UI shows. */
export const maxDetailsCharacters = 15_000;

/** Counts of a run that has not started. */
export function createEmptyProgress(): RunProgress {
  return {
    parts: [],
    stage: 0,
    nextPart: 0,
    totals: { documents: 0, completed: 0, failed: 0, skipped: 0, deleted: 0, pages: 0, withheld: 0 },
    operators: {},
    warnings: [],
    failures: [],
  };
}

/** Counts of a batch that has not started. */
export function createEmptyBatch(): BatchReport {
  return { operators: {}, documents: { completed: 0, failed: 0, skipped: 0 }, pages: 0, warnings: [], failures: [] };
}

/** Adds the report of one operator on one part. */
export function addPart(batch: BatchReport, operator: string, report: PartReport): void {
  batch.operators[operator] = sum(batch.operators[operator], report);
  batch.pages += report.pages;
  batch.warnings = removeDuplicates([...batch.warnings, ...report.warnings], maxReportedWarnings);
  batch.failures = [...batch.failures, ...report.failures].slice(0, maxReportedFailures);
}

/** Adds the report of a source. */
export function addReport(progress: RunProgress, operator: string, report: PartReport): void {
  progress.operators[operator] = sum(progress.operators[operator], report);
  progress.warnings = removeDuplicates([...progress.warnings, ...report.warnings], maxReportedWarnings);
  progress.failures = [...progress.failures, ...report.failures].slice(0, maxReportedFailures);
}

/** Adds the report of a batch. */
export function addBatch(progress: RunProgress, batch: BatchReport): void {
  for (const [name, counts] of Object.entries(batch.operators))
    progress.operators[name] = sum(progress.operators[name], counts);
  progress.totals.completed += batch.documents.completed;
  progress.totals.failed += batch.documents.failed;
  progress.totals.skipped += batch.documents.skipped;
  progress.totals.pages += batch.pages;
  progress.warnings = removeDuplicates([...progress.warnings, ...batch.warnings], maxReportedWarnings);
  progress.failures = [...progress.failures, ...batch.failures].slice(0, maxReportedFailures);
}

/** Subtracts the counts of a batch before the report of its repetition is added. Warnings stay. */
export function removeBatch(progress: RunProgress, { operators, documents, pages, failures }: BatchReport): void {
  for (const [name, counts] of Object.entries(operators)) {
    const { seconds, ...rows } = counts;
    const negative = { in: -rows.in, out: -rows.out, failed: -rows.failed, skipped: -rows.skipped, seconds: -seconds };
    progress.operators[name] = sum(progress.operators[name], negative);
  }
  progress.totals.completed -= documents.completed;
  progress.totals.failed -= documents.failed;
  progress.totals.skipped -= documents.skipped;
  progress.totals.pages -= pages;
  const gone = new Set(failures.map(({ id }) => id));
  progress.failures = progress.failures.filter(({ id }) => !gone.has(id));
}

/** The final state of a run that was not interrupted. */
export function chooseOutcome(progress: RunProgress): RunState {
  if (progress.totals.failed > 0) return 'COMPLETED_WITH_ERRORS';
  return progress.warnings.length > 0 ? 'COMPLETED_WITH_WARNINGS' : 'COMPLETED';
}

/** The workflow's details in the Temporal UI, in Markdown: counts by operator, failed documents with reasons. */
export function describeProgress(flowName: string, progress: RunProgress, state: RunState, message: string): string {
  const { totals } = progress;
  const lines = [
    `**${flowName}: ${state}**${message ? ` (${message})` : ''}`,
    '',
    ...(progress.isPaused && state === 'RUNNING'
      ? ['**Paused**: running batches finish, no further batch starts.', '']
      : []),
    ...describeWaits(state === 'RUNNING' ? progress : {}),
    `${countNouns(totals.documents, 'document')}: ${totals.completed} completed, ${totals.failed} failed, ${totals.skipped} skipped, ${totals.deleted} gone, ${totals.withheld ?? 0} withheld, ${countNouns(totals.pages, 'page')}`,
    '',
    // The Temporal UI renders lists, but no tables.
    ...Object.entries(progress.operators).map(
      ([name, counts]) =>
        `- **${name}**: ${counts.in} in, ${counts.out} out, ${counts.failed} failed, ${counts.skipped} skipped, ${counts.seconds.toFixed(1)} s`,
    ),
  ];
  lines.push(...describeFailures(progress.failures, totals.failed));
  if (progress.warnings.length > 0)
    lines.push('', 'Warnings:', '', ...progress.warnings.map((warning) => `- ${warning}`));
  return lines.join('\n').slice(0, maxDetailsCharacters);
}

/**
 * The outcome in lines. They come first in the result, which the Temporal UI shows before anything else: counts, failed documents by
 * operator and code, and where their names are.
 */
export function summarize({ totals, operators, failures }: RunProgress, runId: string): string[] {
  const { documents, completed, failed, skipped } = totals;
  const lines = [`${completed} of ${documents} documents completed, ${failed} failed, ${skipped} skipped.`];
  const failingOperators = Object.entries(operators).filter(([, counts]) => counts.failed > 0);
  if (failed === 0 && failingOperators.length === 0) return lines;
  const codes = [...new Set(failures.map(({ code }) => code))].sort();
  const first = failed > failures.length ? ` of the first ${failures.length}` : '';
  return [
    ...lines,
    ...failingOperators.map(([name, counts]) => `${name}: ${counts.failed} failed`),
    ...codes.map((code) => `${code}: ${failures.filter((failure) => failure.code === code).length}${first}`),
    `Names and reasons: /console/runs/${runId}`,
    `Repeat the failed ones: POST /api/v1/job_runs/${runId}/rerun {"mode": "failed"}`,
  ];
}

/** The first failed documents in Markdown, grouped by code and reason. `failed` is the number of all failed documents. */
export function describeFailures(failures: readonly RowFailure[], failed: number): string[] {
  if (failures.length === 0) return [];
  const first = failed > failures.length ? `, the first ${failures.length} of them` : '';
  const lines = [...new Set(failures.map(({ code }) => code))].sort().flatMap((code) => {
    const same = failures.filter((failure) => failure.code === code);
    const reasons = [...new Set(same.map(({ message }) => message))];
    return [
      `**${code}**`,
      '',
      ...reasons.map((reason) => {
        const names = same.filter(({ message }) => message === reason).map(({ name }) => name);
        return `- ${names.join(', ')}: ${reason}`;
      }),
      '',
    ];
  });
  return ['', `${countNouns(failed, 'failed document')}${first}:`, '', ...lines];
}

function sum(left: OperatorCounts | undefined, right: OperatorCounts): OperatorCounts {
  return {
    in: (left?.in ?? 0) + right.in,
    out: (left?.out ?? 0) + right.out,
    failed: (left?.failed ?? 0) + right.failed,
    skipped: (left?.skipped ?? 0) + right.skipped,
    seconds: (left?.seconds ?? 0) + right.seconds,
  };
}

function removeDuplicates(values: string[], limit: number): string[] {
  return [...new Set(values)].slice(0, limit);
}

import { countNouns } from '../../model/count-nouns';
import { sumUsage } from '../../model/llm/model-host';
import type { OperatorStats, RunDocument, RunRecord } from '../../services/run/run-record';

/** Maximum number of failed documents in a report; the rest are only counted. */
export const maxFailures = 100;

/** The full report of `docloom run` about a finished run. */
export interface RunReport {
  job_run_id: string;
  job_id: string;
  flow_name: string;
  status: RunRecord['status'];
  message: string;
  seconds: number;
  totals: RunRecord['totals'];
  operators: OperatorStats[];
  warnings: string[];
  /** At most the first hundred. */
  failures: RunDocument[];
  /** Total number of failed documents. */
  failures_total: number;
}

/** Builds the report; operators are in flow order. `seconds` is the duration of the run itself. */
export function buildReport(
  run: RunRecord,
  operators: readonly OperatorStats[],
  failures: { items: RunDocument[]; total: number },
): RunReport {
  const order = run.snapshot.flow.flow.map(({ name }) => name);
  return {
    job_run_id: run.job_run_id,
    job_id: run.job_id,
    flow_name: run.flow_name,
    status: run.status,
    message: run.message,
    seconds: measureSeconds(run),
    totals: run.totals,
    operators: [...operators].sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name)),
    warnings: run.warnings,
    failures: failures.items,
    failures_total: failures.total,
  };
}

/** The duration of a run, up to now while it is running. */
export function measureSeconds(run: Pick<RunRecord, 'created_at' | 'started_at' | 'ended_at'>): number {
  const started = Date.parse(run.started_at ?? run.created_at);
  const ended = run.ended_at ? Date.parse(run.ended_at) : Date.now();
  return Math.max(0, (ended - started) / 1_000);
}

/** Formats the report for people: a table, the failed documents with reasons, the warnings. */
export function formatReport(report: RunReport): string {
  const rows = report.operators.map(({ name, in: input, out, failed, skipped, seconds }) =>
    [name, input, out, failed, skipped, seconds.toFixed(1)].map(String),
  );
  const table = formatTable(['operator', 'in', 'out', 'failed', 'skipped', 'seconds'], rows);
  const { totals } = report;
  const withheld = totals.withheld ? `, ${totals.withheld} withheld` : '';
  const lines = [
    `${report.flow_name}: ${report.status} in ${report.seconds.toFixed(1)} s (run ${report.job_run_id})`,
    ...(report.message ? [report.message] : []),
    '',
    ...(rows.length > 0 ? [...table, ''] : []),
    `${countNouns(totals.documents, 'document')}: ${totals.completed} completed, ${totals.failed} failed, ${totals.skipped} skipped, ${totals.deleted} gone${withheld}; ${countNouns(totals.pages, 'page')}`,
  ];
  lines.push(...listModelLines(report));
  if (report.failures.length > 0)
    lines.push(
      '',
      'Failed:',
      ...report.failures.map(({ name, operator, code, message }) => `  ${name} (${operator}): ${code}: ${message}`),
      ...listMoreFailures(report),
    );
  if (report.warnings.length > 0) lines.push('', 'Warnings:', ...report.warnings.map((warning) => `  ${warning}`));
  return `${lines.join('\n')}\n`;
}

function listMoreFailures({ failures, failures_total: total, job_run_id: id }: RunReport): string[] {
  const more = total - failures.length;
  return more > 0 ? [`  and ${more} more: docloom runs ${id}`] : [];
}

/** A number, perhaps with a unit such as `25 MB`, or the dash that stands for none. */
const number = /^(?:-|\d[\d.,]*(?: [A-Za-z]+)?)$/;

/** Formats a table: columns of numbers are right-aligned, all others left-aligned. */
export function formatTable(head: string[], rows: string[][]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const areNumbers = head.map((_, column) => column > 0 && rows.every((row) => number.test(row[column] ?? '-')));
  const formatLine = (cells: string[]) =>
    cells
      .map((cell, column) =>
        areNumbers[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ');
  return [formatLine(head), formatLine(widths.map((width) => '-'.repeat(width))), ...rows.map(formatLine)].map((text) =>
    text.trimEnd(),
  );
}

/** Model usage of all operators; empty if no model was used. */
function listModelLines({ operators }: RunReport): string[] {
  const { requests, inputTokens, outputTokens, fromCache, cost } = sumUsage(operators);
  if (requests + fromCache === 0) return [];
  return [
    `models: ${requests} requests, ${inputTokens} tokens in, ${outputTokens} out` +
      `${fromCache > 0 ? `, ${fromCache} answers from earlier requests` : ''}${cost > 0 ? `, cost ${Number(cost.toPrecision(6))}` : ''}`,
  ];
}

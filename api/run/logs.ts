import { listOperators } from '../../model/flow/plan';
import type { BatchReport } from '../../model/run/wire';
import type { RunPart } from '../../services/run/facts';
import type { RunRecord, RunsStore } from '../../services/run/run-record';
import { toOneLine } from './log-entries';
import { anonymizePart } from './names';

/** Maximum number of lines in the log of an operator; the last ones are kept. */
const maxLines = 1_000;

const maxBatches = 1_000;

/** The reports of finished parts, at most 1,000, in the order of operators and parts. */
export async function listBatches(store: Pick<RunsStore, 'iterateParts'>, runId: string): Promise<BatchReport[]> {
  const batches: BatchReport[] = [];
  for await (const { operator, part, report, started_at, ended_at } of store.iterateParts(runId)) {
    if (!report) continue;
    const { in: read, out, failed, skipped, seconds } = report;
    batches.push({ operator, part, in: read, out, failed, skipped, seconds, started_at, ended_at });
    if (batches.length >= maxBatches) break;
  }
  return batches;
}

/**
 * The reports of a run's operators as one text per operator: counts, warnings and first failures of each part. Includes document
 * names when `isNamed`.
 */
export async function readRunLogs(
  store: Pick<RunsStore, 'iterateParts'>,
  run: RunRecord,
  isNamed: boolean,
): Promise<Record<string, string>> {
  const logs = new Map<string, string[]>(listOperators(run.snapshot.plan).map(({ name }) => [name, []]));
  for await (const part of store.iterateParts(run.job_run_id)) {
    const log = logs.get(part.operator) ?? [];
    logs.set(part.operator, log);
    log.push(...listLines(isNamed ? part : anonymizePart(part)));
    if (log.length > maxLines) log.splice(0, log.length - maxLines);
  }
  return Object.fromEntries([...logs].map(([name, lines]) => [name, lines.join('\n')]));
}

function listLines({ operator, part, report, started_at, ended_at }: RunPart): string[] {
  const where = part === '' ? operator : `${operator} ${part}`;
  if (!report) return [`${started_at} INFO ${where}: started`];
  const { in: rowsIn, out, failed, skipped, seconds, warnings, failures } = report;
  const time = ended_at ?? started_at;
  return [
    `${time} INFO ${where}: ${rowsIn} in, ${out} out, ${failed} failed, ${skipped} skipped, ${seconds.toFixed(3)} s`,
    ...warnings.map((warning) => `${time} WARNING ${where}: ${toOneLine(warning)}`),
    ...failures.map(
      ({ name, code, message }) => `${time} ERROR ${where}: ${toOneLine(`${name}: ${code}: ${message}`)}`,
    ),
  ];
}

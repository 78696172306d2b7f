import { countNouns } from '../../model/count-nouns';
import { AppError } from '../../model/errors';
import { getDocumentId, type Row } from '../../model/flow/row';
import { maxReportedFailures, maxReportedWarnings, type OperatorCall } from '../../model/run/run';
import type { OperatorResult, RegisteredOperator } from '../../operators/operator';
import type { ActivityDeps } from '../deps';
import { readTable, type TablePart } from './input-rows';
import { type RecordedOutcome, buildReport, writeResult } from './operator-report';
import type { Prepared } from './prepared';
import { restrictResult } from './row-access';

/** Runs an operator over all rows of the run. The output parts correspond to the input parts. */
export async function runTable(
  deps: ActivityDeps,
  operator: RegisteredOperator,
  call: OperatorCall,
  prepared: Prepared,
): Promise<RecordedOutcome> {
  const started = performance.now();
  const measureSeconds = () => (performance.now() - started) / 1_000;
  const run = prepared.module.runParts ? runStreamed : runAtOnce;
  return run(deps, operator, call, { ...prepared, measureSeconds });
}

type TimedCall = Prepared & { measureSeconds: () => number };

/** Holds one part in memory at a time: the output of a part is written before the next part is read. */
async function runStreamed(
  deps: ActivityDeps,
  operator: RegisteredOperator,
  call: OperatorCall,
  { config, module, context, pulse, measureSeconds }: TimedCall,
): Promise<RecordedOutcome> {
  const total: RecordedOutcome = buildReport(operator, call, { input: [], result: { rows: [] }, seconds: 0 });
  const read: TablePart[] = [];
  pulse.documents = 0;
  const iterateParts = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const part of readTable(deps.services.tables, call)) {
      read.push(part);
      yield part.rows;
    }
  };
  for await (const result of module.runParts?.(iterateParts(), config as never, context) ?? []) {
    context.signal.throwIfAborted();
    const origin = read.shift();
    if (!origin)
      throw new AppError(
        'OPERATOR_EXECUTION_FAILED',
        `The operator '${operator.name}' returned more parts than it received.`,
      );
    const restricted = restrictResult(origin.rows, result);
    await writeResult(deps, operator, call, { part: origin.part, flow: context.run.flow, config, result: restricted });
    addOutcome(total, buildReport(operator, call, { input: origin.rows, result: restricted, seconds: 0 }));
    pulse.documents = total.report.documents;
    context.progress(total.report.in);
  }
  if (read.length > 0)
    throw new AppError(
      'OPERATOR_EXECUTION_FAILED',
      `The operator '${operator.name}' returned nothing for ${countNouns(read.length, 'part')}.`,
    );
  total.report.seconds = measureSeconds();
  return total;
}

function addOutcome(total: RecordedOutcome, { report, documents }: RecordedOutcome): void {
  const sum = total.report;
  sum.in += report.in;
  sum.out += report.out;
  sum.documents += report.documents;
  sum.failed += report.failed;
  sum.skipped += report.skipped;
  sum.pages += report.pages;
  sum.failures = [...sum.failures, ...report.failures].slice(0, maxReportedFailures);
  sum.warnings = [...new Set([...sum.warnings, ...report.warnings])].slice(0, maxReportedWarnings);
  for (const [name, value] of Object.entries(report.metrics)) sum.metrics[name] = (sum.metrics[name] ?? 0) + value;
  total.documents.push(...documents);
}

async function runAtOnce(
  deps: ActivityDeps,
  operator: RegisteredOperator,
  call: OperatorCall,
  { config, module, context, pulse, measureSeconds }: TimedCall,
): Promise<RecordedOutcome> {
  if (!module.run)
    throw new AppError('OPERATOR_EXECUTION_FAILED', `The operator '${operator.name}' has no code for rows.`);
  const parts: TablePart[] = [];
  for await (const part of readTable(deps.services.tables, call)) parts.push(part);
  const rows = parts.flatMap((part) => part.rows);
  pulse.documents = new Set(rows.map(getDocumentId)).size;
  context.progress(0, rows.length);
  const operatorResult: OperatorResult =
    rows.length === 0 ? { rows: [] } : await module.run(rows, config as never, context);
  const result = restrictResult(rows, operatorResult);
  for (const { part, rows: output } of distributeRows(result.rows, parts))
    await writeResult(deps, operator, call, {
      part,
      flow: context.run.flow,
      config,
      result: { ...result, rows: output },
    });
  return buildReport(operator, call, { input: rows, result, seconds: measureSeconds() });
}

/** Assigns each row to the part that it came from. Rows that the operator created go to the first part. */
function distributeRows(rows: readonly Row[], parts: readonly TablePart[]): TablePart[] {
  const origin = new Map(parts.flatMap(({ part, rows: partRows }) => partRows.map((row) => [row.id, part] as const)));
  const output = new Map(parts.map(({ part }) => [part, [] as Row[]]));
  for (const row of rows) output.get(origin.get(row.id) ?? parts[0]?.part ?? '')?.push(row);
  return [...output].map(([part, partRows]) => ({ part, rows: partRows }));
}

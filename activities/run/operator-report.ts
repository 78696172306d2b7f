import type { FlowDefinition } from '../../model/flow/flow';
import { collectColumnsAfter } from '../../model/flow/flow-columns';
import { getDocumentId, type Row, type RowFailure } from '../../model/flow/row';
import type { Conversion } from '../../model/review/conversion';
import type { IngestReport, OperatorCall, PartReport } from '../../model/run/run';
import type { OperatorResult, RegisteredOperator } from '../../operators/operator';
import type { RunDocument } from '../../services/run/run-record';
import type { TableKey } from '../../services/table/tables';
import type { ActivityDeps } from '../deps';

/** Outcome of an ingest or row activity, before it is recorded. */
export interface RecordedOutcome {
  report: PartReport | IngestReport;
  documents: RunDocument[];
  /** Pages by document id, when the operator counts them. */
  pages?: Record<string, number>;
  conversions?: readonly Conversion[];
}

interface Written {
  part: string;
  flow: FlowDefinition;
  config: Record<string, unknown>;
  result: OperatorResult;
  /** Key of a table that already contains exactly the rows of the result. */
  same?: TableKey;
}

/** Writes the rows of a part. An operator with branches writes one table per branch, so that other operators can read each. */
export async function writeResult(
  { services, operators }: ActivityDeps,
  operator: RegisteredOperator,
  { runId, operator: name }: OperatorCall,
  { part, flow, config, result, same }: Written,
): Promise<void> {
  const to = { runId, operator: name, part };
  const columns = collectColumnsAfter(flow, name, (type) => operators.find((operator) => operator.name === type));
  if (!operator.branches) {
    // An index operator returns its rows unchanged. Writing their vectors again would be slow.
    const copied = operator.writes.length === 0 ? same : undefined;
    await (copied ? services.tables.copy(copied, to) : services.tables.write(to, result.rows, columns));
    return;
  }
  for (const branch of operator.branches(config))
    await services.tables.write(
      { runId, operator: `${name}.${branch}`, part },
      result.branches?.[branch] ?? [],
      columns,
    );
}

/** Report of one call of an operator, as recorded with the run. */
export function buildReport(
  operator: RegisteredOperator,
  call: OperatorCall,
  { input, result, seconds }: { input: readonly Row[]; result: OperatorResult; seconds: number },
) {
  const documentIds = new Map(input.map((row) => [row.id, getDocumentId(row)]));
  const failed: RowFailure[] = (result.failed ?? []).map((failure) => ({
    ...failure,
    id: documentIds.get(failure.id) ?? failure.id,
  }));
  const skipped = result.skipped ?? [];
  const report: PartReport = {
    in: input.length,
    documents: new Set(documentIds.values()).size,
    out: result.rows.length,
    failed: new Set(failed.map(({ id }) => id)).size,
    skipped: skipped.length,
    seconds,
    failures: failed.slice(0, 20),
    warnings: (result.warnings ?? []).map((warning) => `${call.operator}: ${warning}`),
    metrics: result.metrics ?? {},
    pages: countsPages(operator) ? result.rows.reduce((pages, row) => pages + (row.pages_processed ?? 0), 0) : 0,
  };
  const documents: RunDocument[] = [
    ...failed.map((failure) => ({ ...failure, operator: call.operator, outcome: 'failed' as const })),
    // A skipped chunk does not mean that its document was skipped.
    ...skipped
      .filter(({ id }) => documentIds.get(id) === id)
      .map(({ id, name, reason }) => ({
        id,
        name,
        code: 'SKIPPED',
        message: reason,
        operator: call.operator,
        outcome: 'skipped' as const,
      })),
  ];
  const pages = countsPages(operator)
    ? Object.fromEntries(result.rows.map((row) => [getDocumentId(row), row.pages_processed ?? 0]))
    : undefined;
  return { report, documents, pages, conversions: result.conversions };
}

/** Only operators that read documents count their pages; others pass the number on. */
function countsPages({ writes }: RegisteredOperator): boolean {
  return writes.includes('pages_processed');
}

import { AppError } from '../model/errors';
import type { Row, RowFailure } from '../model/row';
import type { IngestReport, OperatorCall, PartReport } from '../model/run';
import type {
  OperatorContext,
  OperatorModule,
  OperatorResult,
  RegisteredOperator,
  RunFacts,
} from '../operators/operator';
import type { RunDocument, RunRecord } from '../services/ports';
import { conduct, type Pulse } from './conduct';
import type { ActivityDeps } from './deps';
import { ingestParts } from './ingest-parts';
import { readInputs, readTable } from './input-rows';
import { configOf, createSnapshots } from './snapshots';

/** One activity per operator, under the operator's name as activity type. */
export function createOperatorActivities(
  deps: ActivityDeps,
): Record<string, (call: OperatorCall) => Promise<PartReport>> {
  const snapshot = createSnapshots(deps);
  return Object.fromEntries(
    deps.operators.map((operator) => [
      operator.name,
      async (call: OperatorCall) =>
        conduct(async (signal, pulse) => {
          const earlier = await deps.runsStore.partReport(call.runId, call.operator, call.part);
          if (earlier) return earlier;
          const run = await snapshot(call.runId);
          const config = configOf(run, call.operator, operator, deps.env);
          const module = await operator.load();
          const context = contextOf(deps, operator, call, run, signal, pulse);
          const started = new Date();
          const outcome =
            operator.scope === 'source'
              ? await ingestParts({ deps, call, config, module, context })
              : await runRows(deps, operator, call, { config, module, context, pulse });
          await deps.runsStore.recordPart(
            call.runId,
            { name: call.operator, type: operator.name },
            call.part,
            outcome.report,
            outcome.documents,
            {
              started: started.toISOString(),
              ended: new Date().toISOString(),
              pages: outcome.pages,
            },
          );
          return outcome.report;
        }),
    ]),
  );
}

interface Prepared {
  config: Record<string, unknown>;
  module: OperatorModule;
  context: OperatorContext;
  pulse: Pulse;
}

async function runRows(
  deps: ActivityDeps,
  operator: RegisteredOperator,
  call: OperatorCall,
  { config, module, context, pulse }: Prepared,
) {
  if (!module.run)
    throw new AppError('OPERATOR_EXECUTION_FAILED', `The operator '${operator.name}' has no code for rows.`);
  const started = process.hrtime.bigint();
  const parts = call.table
    ? await readTable(deps.services.tables, call)
    : [{ part: call.part, rows: await readInputs(deps.services.tables, call.runId, call.inputs) }];
  const rows = parts.flatMap((part) => part.rows);
  // Bars count documents; operators count rows.
  pulse.documents = new Set(rows.map((row) => row.document_id ?? row.id)).size;
  context.progress(0, rows.length);
  const result: OperatorResult = rows.length === 0 ? { rows: [] } : await module.run(rows, config as never, context);
  for (const { part, rows: output } of call.table
    ? spread(result.rows, parts)
    : [{ part: call.part, rows: result.rows }]) {
    await deps.services.tables.write({ runId: call.runId, operator: call.operator, part }, output);
  }
  return reportOf(operator, call, rows, result, Number(process.hrtime.bigint() - started) / 1e9);
}

/** Gives each row to the part it came from; rows of the operator's own making go to the first part. */
function spread(rows: readonly Row[], parts: { part: string; rows: Row[] }[]): { part: string; rows: Row[] }[] {
  const origin = new Map(parts.flatMap(({ part, rows: own }) => own.map((row) => [row.id, part] as const)));
  const output = new Map(parts.map(({ part }) => [part, [] as Row[]]));
  for (const row of rows) output.get(origin.get(row.id) ?? parts[0]?.part ?? '')?.push(row);
  return [...output].map(([part, own]) => ({ part, rows: own }));
}

function reportOf(
  operator: RegisteredOperator,
  call: OperatorCall,
  input: readonly Row[],
  result: OperatorResult,
  seconds: number,
) {
  const documentIds = new Map(input.map((row) => [row.id, row.document_id ?? row.id]));
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
    pages:
      operator.category === 'Extract' ? result.rows.reduce((pages, row) => pages + (row.pages_processed ?? 0), 0) : 0,
  };
  const documents: RunDocument[] = [
    ...failed.map((failure) => ({ ...failure, operator: call.operator, outcome: 'failed' as const })),
    // A chunk that is left out says nothing about its document.
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
  const pages =
    operator.category === 'Extract'
      ? Object.fromEntries(result.rows.map((row) => [row.document_id ?? row.id, row.pages_processed ?? 0]))
      : undefined;
  return { report, documents, pages };
}

function contextOf(
  deps: ActivityDeps,
  operator: RegisteredOperator,
  call: OperatorCall,
  run: RunRecord,
  signal: AbortSignal,
  pulse: Pulse,
): OperatorContext {
  let written = 0;
  return {
    signal,
    services: deps.services,
    operator: call.operator,
    configOf(name) {
      const type = run.snapshot.flow.flow.find((candidate) => candidate.name === name)?.type;
      const other = deps.operators.find((candidate) => candidate.name === type);
      if (!other)
        throw new AppError('OPERATOR_CONFIGURATION_INVALID', `The flow of the run has no operator '${name}'.`);
      return configOf(run, name, other, deps.env);
    },
    run: factsOf(run),
    progress(done, total) {
      pulse.done = done;
      pulse.total = total ?? pulse.total;
      const now = Date.now();
      if (now - written < 1_000) return;
      written = now;
      // Live progress is a courtesy: the part's report follows whether or not this write arrives.
      const documents = pulse.documents && pulse.total ? Math.round((done / pulse.total) * pulse.documents) : done;
      deps.runsStore
        .recordProgress(call.runId, { name: call.operator, type: operator.name }, call.part, documents)
        .catch(() => undefined);
    },
  };
}

function factsOf(run: RunRecord): RunFacts {
  return {
    runId: run.job_run_id,
    jobId: run.job_id,
    owner: run.owner,
    startedAt: run.started_at ?? run.created_at,
    forceIngest: run.snapshot.flow.global_config?.force_ingest === true,
    planHash: run.snapshot.plan_hash,
    flow: run.snapshot.flow,
  };
}

/** What an ingest or a row activity found out, before it is recorded. */
export interface RecordedOutcome {
  report: PartReport | IngestReport;
  documents: RunDocument[];
  /** Pages by document id, where the operator counts them. */
  pages?: Record<string, number>;
}

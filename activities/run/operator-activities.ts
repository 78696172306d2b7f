import type { Reader } from '../../model/access';
import { AppError } from '../../model/errors';
import { findDeclaredColumns } from '../../model/flow/flow-columns';
import { getDocumentId } from '../../model/flow/row';
import type { PagesOfDocuments } from '../../model/page/page-count';
import type { Conversion } from '../../model/review/conversion';
import { getRunRights } from '../../model/run/rights';
import type { OperatorCall, PartReport } from '../../model/run/run';
import type { OperatorContext, OperatorResult, RegisteredOperator, RunFacts } from '../../operators/operator';
import type { RunRecord } from '../../services/run/run-record';
import { createSampleFiles, createSampleLedger } from '../../services/run/sample-services';
import type { TableKey, TablesStore } from '../../services/table/tables';
import { runActivityWork, type Pulse } from '../conduct';
import type { ActivityDeps } from '../deps';
import { openExports } from './exported-files';
import { mergeInputs, readEachInput } from './input-rows';
import { readIngestParts } from './listing/ingest-parts';
import { buildReport, writeResult } from './operator-report';
import type { Prepared } from './prepared';
import { listReaders } from './readers';
import { restrictResult } from './row-access';
import { runTable } from './run-table';
import { resolveConfig, createSnapshots } from './snapshots';
import { createRunOutageReport } from './tell-run';

/** One activity per operator. The activity type is the operator's name. */
export function createOperatorActivities(
  deps: ActivityDeps,
): Record<string, (call: OperatorCall) => Promise<PartReport>> {
  const snapshot = createSnapshots(deps);
  return Object.fromEntries(
    deps.operators.map((operator) => [
      operator.name,
      async (call: OperatorCall) =>
        runActivityWork(
          async (signal, pulse) => {
            const earlier = await deps.runsStore.findPartReport(call.runId, call.operator, call.part);
            if (earlier) return earlier;
            const run = await snapshot(call.runId);
            const config = resolveConfig(run, call.operator, operator, deps.env);
            const module = await operator.load();
            const readers = await listReaders(deps, run);
            const context = createContext(deps, operator, call, { run, readers, signal, pulse });
            const started = new Date();
            const outcome =
              operator.scope === 'source'
                ? await readIngestParts({ deps, call, config, module, context })
                : await (call.table ? runTable : runRows)(deps, operator, call, { config, module, context, pulse });
            await recordConversions(deps, run, call.operator, outcome.conversions ?? []);
            await deps.runsStore.recordPart(call.runId, { name: call.operator, type: operator.name }, call.part, {
              report: outcome.report,
              documents: outcome.documents,
              times: {
                started: started.toISOString(),
                ended: new Date().toISOString(),
                pages: outcome.pages,
              },
            });
            deps.count(operator.name, outcome.report);
            return outcome.report;
          },
          createRunOutageReport(deps, call),
        ),
    ]),
  );
}

/** Live progress is written at most once in this time. */
const progressIntervalMs = 1_000;

/** Documents that were removed during the run are not recorded. */
async function recordConversions(
  { reviews, services }: ActivityDeps,
  run: RunRecord,
  operator: string,
  conversions: readonly Conversion[],
): Promise<void> {
  if (conversions.length === 0 || run.sample) return;
  const ids = conversions.map(({ id }) => id);
  const removed = await services.ledger.listRemoved(run.job_id, ids);
  await reviews.record(
    run,
    operator,
    conversions.filter(({ id }) => !removed.has(id)),
  );
}

async function runRows(
  deps: ActivityDeps,
  operator: RegisteredOperator,
  call: OperatorCall,
  { config, module, context, pulse }: Prepared,
) {
  if (!module.run)
    throw new AppError('OPERATOR_EXECUTION_FAILED', `The operator '${operator.name}' has no code for rows.`);
  const started = performance.now();
  const inputs = await readEachInput(deps.services.tables, call.runId, call.inputs);
  const rows = mergeInputs(inputs);
  // Progress bars count documents; operators count rows.
  pulse.documents = new Set(rows.map(getDocumentId)).size;
  context.progress(0, rows.length);
  const operatorResult: OperatorResult =
    rows.length === 0
      ? { rows: [] }
      : await module.run(rows, config as never, inputs.length > 1 ? { ...context, inputs } : context);
  const result = restrictResult(
    inputs.flatMap((operatorInput) => operatorInput.rows),
    operatorResult,
  );
  const isSame = rows.length === result.rows.length && rows.every((row, index) => row === result.rows[index]);
  const input = isSame ? await findWholeInput(deps.services.tables, call) : undefined;
  await writeResult(deps, operator, call, {
    part: call.part,
    flow: context.run.flow,
    config,
    result,
    ...(input ? { same: input } : {}),
  });
  return buildReport(operator, call, {
    input: rows,
    result,
    seconds: (performance.now() - started) / 1_000,
  });
}

/**
 * The key of the single table that contains exactly the rows of the call. Undefined when the rows are a slice, come from several
 * tables, or from the pieces of a halved table.
 */
async function findWholeInput(tables: TablesStore, { runId, inputs }: OperatorCall): Promise<TableKey | undefined> {
  const [input, ...others] = inputs;
  if (!input || input.slice || others.length > 0) return undefined;
  const key = { runId, operator: input.operator, part: input.part };
  return (await tables.exists(key)) ? key : undefined;
}

function createContext(
  deps: ActivityDeps,
  operator: RegisteredOperator,
  call: OperatorCall,
  { run, readers, signal, pulse }: { run: RunRecord; readers: readonly Reader[]; signal: AbortSignal; pulse: Pulse },
): OperatorContext {
  let writtenAt = -Infinity;
  let pages: PagesOfDocuments | undefined;
  const writeProgress = () => {
    const now = performance.now();
    if (now - writtenAt < progressIntervalMs) return;
    writtenAt = now;
    const { done = 0, total, documents: documentCount } = pulse;
    const documents = documentCount && total ? Math.round((done / total) * documentCount) : done;
    // Live progress is best effort: the report of the part follows even when this write fails.
    deps.runsStore
      .recordProgress(call.runId, { name: call.operator, type: operator.name }, call.part, {
        documents,
        ...(pages ? { pages } : {}),
      })
      .catch(() => undefined);
  };
  return {
    signal,
    services: buildServices(deps, run),
    operator: call.operator,
    configOf(name) {
      const type = run.snapshot.flow.flow.find((candidate) => candidate.name === name)?.type;
      const other = deps.operators.find((candidate) => candidate.name === type);
      if (!other)
        throw new AppError('OPERATOR_CONFIGURATION_INVALID', `The flow of the run has no operator '${name}'.`);
      return resolveConfig(run, name, other, deps.env);
    },
    declared: () =>
      findDeclaredColumns(run.snapshot.flow, call.operator, (type) => deps.operators.find(({ name }) => name === type)),
    run: buildFacts(run, readers),
    progress(done, total) {
      pulse.done = done;
      pulse.total = total ?? pulse.total;
      writeProgress();
    },
    pageProgress(counts) {
      pages = counts;
      pulse.pages = counts;
      writeProgress();
    },
  };
}

/**
 * Each group of users that a run acts for has its own embedding cache, so that response times do not reveal to others what was
 * embedded. Only runs that act for administrators alone can read hidden files.
 */
function buildServices(
  { services, embedderFor, openSources, roles }: ActivityDeps,
  run: RunRecord,
): ActivityDeps['services'] {
  const { readers, writers } = getRunRights(run);
  return {
    ...services,
    exports: openExports(services.exports, run, roles),
    ...(run.sample
      ? { ledger: createSampleLedger(services.ledger), files: createSampleFiles(services.files, run.job_run_id) }
      : {}),
    ...(embedderFor ? { embedder: embedderFor([...readers, run.owner]) } : {}),
    ...(openSources && writers.length > 0 ? { sources: openSources } : {}),
  };
}

function buildFacts(run: RunRecord, readers: readonly Reader[]): RunFacts {
  const acting = getRunRights(run);
  return {
    runId: run.job_run_id,
    jobId: run.job_id,
    owner: run.owner,
    readers,
    writers: acting.writers,
    jobOwner: acting.job_owner,
    startedAt: run.started_at ?? run.created_at,
    forceIngest: run.sample !== undefined || run.snapshot.flow.global_config?.force_ingest === true,
    ...(run.empty_source_confirmed ? { isEmptyConfirmed: true } : {}),
    ...(run.sample ? { sample: Math.ceil(run.sample.documents / run.snapshot.plan.sources.length) } : {}),
    planHash: run.snapshot.plan_hash,
    flow: run.snapshot.flow,
  };
}

import { AppError } from '../../../model/errors';
import { collectColumnsAfter } from '../../../model/flow/flow-columns';
import type { Row } from '../../../model/flow/row';
import { type IngestReport, type OperatorCall, buildPartName } from '../../../model/run/run';
import type { ListingProgress, OperatorContext, OperatorModule, SourceResult } from '../../../operators/operator';
import type { RunResult } from '../../../services/run/facts';
import { buildSourceResultsKey } from '../../../services/run/results';
import type { ActivityDeps } from '../../deps';
import type { RecordedOutcome } from '../operator-report';
import { createListingSteps } from './listing-progress';
import { isPartFull } from './part-size';

/** Maximum documents per record of results. */
const resultsPerRecord = 1_000;

interface Ingest {
  deps: ActivityDeps;
  call: OperatorCall;
  config: Record<string, unknown>;
  module: OperatorModule;
  context: OperatorContext;
}

/** Runs a source operator and writes its manifest in parts of limited count and size, in the order of the listing. */
export async function readIngestParts({ deps, call, config, module, context }: Ingest): Promise<RecordedOutcome> {
  if (!module.runSource)
    throw new AppError('OPERATOR_EXECUTION_FAILED', `The operator '${call.operator}' has no code that lists a source.`);
  const started = performance.now();
  const chosen = context.run.flow.global_config?.micro_batch_size;
  let parts = 0;
  let rows: Row[] = [];
  let bytes = 0;
  let emitted = 0;
  let aboveSample = 0;
  const declared = collectColumnsAfter(context.run.flow, call.operator, (type) =>
    deps.operators.find(({ name }) => name === type),
  );
  const flush = async () => {
    if (rows.length === 0) return;
    await deps.services.tables.write(
      { runId: call.runId, operator: call.operator, part: buildPartName(parts, call.part) },
      rows,
      declared,
    );
    parts += 1;
    rows = [];
    bytes = 0;
  };
  const steps = createListingSteps(deps.services.files, call);
  const progressOf: ListingProgress = {
    async load() {
      const { steps: listingSteps, written } = await steps.load();
      ({ parts, emitted } = written);
      return listingSteps;
    },
    async save(step) {
      await flush();
      await steps.save(step, { parts, emitted });
    },
  };
  const result = await module.runSource(
    async (row) => {
      if (emitted === context.run.sample) {
        aboveSample += 1;
        return;
      }
      if (isPartFull({ parts, documents: rows.length, bytes }, row.size, chosen)) await flush();
      rows.push(row);
      bytes += row.size ?? 0;
      emitted += 1;
    },
    config as never,
    { ...context, progressOf },
  );
  await flush();
  await recordSourceResults(deps, call, result);
  await steps.remove();
  const documents = await recordFailures(deps, call, result);
  const seconds = (performance.now() - started) / 1_000;
  const added = Math.max(0, result.added - aboveSample);
  return { report: buildReport(call, { ...result, added }, { emitted, parts, seconds }), documents };
}

/** Documents that could not be listed, as the outcome of the operator; those of sample runs cannot be retried. */
async function recordFailures(deps: ActivityDeps, call: OperatorCall, { failed }: SourceResult) {
  const documents = failed.map((failure) => ({
    ...failure,
    operator: call.operator,
    outcome: 'failed' as const,
  }));
  const run = documents.length > 0 ? await deps.runsStore.get(call.runId) : undefined;
  if (run && !run.sample) await deps.failures.record(run, documents, []);
  return documents;
}

/** Report of the listing, shown with the run. */
function buildReport(
  call: OperatorCall,
  result: SourceResult,
  { emitted, parts, seconds }: { emitted: number; parts: number; seconds: number },
): IngestReport {
  return {
    in: emitted + result.unchanged.length + result.failed.length,
    out: emitted,
    documents: emitted,
    failed: result.failed.length,
    skipped: result.unchanged.length,
    seconds,
    failures: result.failed.slice(0, 20),
    warnings: result.warnings.map((warning) => `${call.operator}: ${warning}`),
    metrics: {
      ...result.metrics,
      unchanged: result.unchanged.length,
      added: result.added,
      changed: result.changed,
      gone: result.gone.length,
      withheld: result.withheld,
    },
    pages: 0,
    parts,
    unchanged: result.unchanged.length,
    added: result.added,
    changed: result.changed,
    gone: result.gone.length,
    withheld: result.withheld,
  };
}

/** Records the results of documents that reach no batch: skipped ones and unreadable ones. */
async function recordSourceResults(
  { runsStore }: ActivityDeps,
  call: OperatorCall,
  { unchanged, failed }: SourceResult,
): Promise<void> {
  const time = new Date().toISOString();
  const results: RunResult[] = [
    ...unchanged.map(({ id, name, reason }) => ({ id, name, reason, status: 'Skipped' as const })),
    ...failed.map(({ id, name, code, message }) => ({
      id,
      name,
      reason: `${code}: ${message}`,
      status: 'Failed' as const,
    })),
  ].map((result) => ({ ...result, time, pages: 0, seconds: 0 }));
  for (let from = 0; from < results.length; from += resultsPerRecord) {
    const part = buildSourceResultsKey(call.operator, from / resultsPerRecord);
    await runsStore.recordResults(call.runId, part, results.slice(from, from + resultsPerRecord));
  }
}

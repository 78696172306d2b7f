import { accessColumns, normalizeAccessList } from '../../model/access-list';
import { countNouns } from '../../model/count-nouns';
import { AppError } from '../../model/errors';
import { findFinalOperators, findReachable } from '../../model/flow/plan';
import { getDocumentId, type Row } from '../../model/flow/row';
import type { BrokenPiece, FinishedRun, RunActivities } from '../../model/run/activities';
import { getRunRights } from '../../model/run/rights';
import type { PartReport } from '../../model/run/run';
import { librarySource } from '../../model/source/library-source';
import type { OperatorIndex } from '../../operators/operator';
import type { RunResult } from '../../services/run/facts';
import type { LedgerEntry } from '../../services/run/ledger';
import type { RunDocument, RunRecord } from '../../services/run/run-record';
import { buildSamplePrefix } from '../../services/run/sample-services';
import { type ConductOptions, runActivityWork } from '../conduct';
import { sweepConversions } from '../conversion/sweep';
import type { ActivityDeps } from '../deps';
import { sweepGraphs } from '../graph/sweep';
import { registerAccessSync } from '../identity/sync-access';
import { removeExpired, settleRuns } from '../sweep';
import { createOutageReport } from '../waits';
import { removeSetRows, readSetIds } from './document-sets';
import { finishExports, removeExported } from './exported-files';
import { countInputs, readInputs } from './input-rows';
import { lockJob } from './job-lock';
import { makeScheduledRun } from './make-scheduled-run';
import { followNamedGraphs } from './named-graphs';
import { listReaders } from './readers';
import { seedRun } from './seed-run';
import { createSnapshots, withConnections } from './snapshots';
import { createRunOutageReport } from './tell-run';
import { readIndexUuids, removeEntries, listIndexes } from './vector-stores';

/** Removals that one sweep continues with. */
const removalsOfSweep = 100;

/** The activities that order and record a run. */
export function createRunActivities(deps: ActivityDeps): RunActivities {
  const snapshot = createSnapshots(deps);
  // Ending a run has no time limit, because nothing could record that it gave up.
  const createConductOptions = (operator: string, runId: string, part = ''): ConductOptions => {
    const { onOutage } = createRunOutageReport(deps, { runId, operator, part });
    return { onOutage };
  };
  return {
    acquire_job: (input) => runActivityWork(() => acquireJob(deps, input), { waitForOutages: false }),
    open_run: ({ runId }) =>
      runActivityWork(
        async () => {
          const run = await snapshot(runId);
          await deps.runsStore.update(runId, {
            status: 'RUNNING',
            started_at: run.started_at ?? new Date().toISOString(),
          });
        },
        createConductOptions('open_run', runId),
      ),
    split_part: ({ runId, part, inputs }) =>
      runActivityWork(
        async () => {
          await deps.runsStore.forgetPart(runId, part);
          return { rows: await countInputs(deps.services.tables, runId, inputs) };
        },
        createConductOptions('split_part', runId, part),
      ),
    mark_broken: (piece) =>
      runActivityWork(() => markBroken(deps, piece), createConductOptions('mark_broken', piece.runId, piece.part)),
    settle_part: ({ runId, source }) =>
      runActivityWork(
        async () => settle(deps, await snapshot(runId), source),
        createConductOptions('settle_part', runId, source.part),
      ),
    finish_run: (input) =>
      runActivityWork(() => finishRun(deps, input), createConductOptions('finish_run', input.runId)),
    seed_run: ({ runId }) =>
      runActivityWork(async () => seedRun(deps, await snapshot(runId)), createConductOptions('seed_run', runId)),
    make_scheduled_run: (input) => runActivityWork(() => makeScheduledRun(deps, input), createOutageReport()),
    settle_runs: ({ after }) => runActivityWork(() => settleRuns(deps, after)),
    remove_expired: () =>
      runActivityWork(async () => {
        const conversions = await sweepConversions(deps.conversion, deps.runs);
        const graphs = await sweepGraphs(deps.graphs, deps.runs, { retentionDays: deps.retentionDays });
        await deps.removals.sweep(removalsOfSweep);
        await deps.announcer.sweep(new Date());
        await deps.graphs.updates.updateAfterRun([]);
        const removed = await removeExpired(deps);
        return { ...removed, more: removed.more || conversions.more || graphs.more };
      }),
  };
}

async function acquireJob(deps: ActivityDeps, { runId, jobId }: { runId: string; jobId: string }): Promise<void> {
  // A sample run writes nothing that another run of the job could write.
  if ((await deps.runsStore.get(runId))?.sample) return;
  const { holder } = await lockJob(deps, jobId, runId);
  if (holder === undefined) return;
  throw new AppError(
    'JOB_RUN_BUSY',
    `The run ${holder} of the same job ${jobId} is not finished; this run waits for it.`,
  );
}

async function markBroken(deps: ActivityDeps, piece: BrokenPiece): Promise<PartReport> {
  const { tables } = deps.services;
  const rows: Row[] = [];
  for (const input of piece.inputs) {
    const key = { runId: piece.runId, operator: input.operator, part: input.part };
    if (await tables.exists(key)) rows.push(...(await readInputs(tables, piece.runId, [input])));
  }
  const rowsByDocument = new Map(rows.map((row) => [getDocumentId(row), row]));
  const documents = [...rowsByDocument].map(([id, { name }]): RunDocument => {
    const { code, message, operator } = piece;
    return { id, name, code, message, operator, outcome: 'failed' };
  });
  const report: PartReport = {
    in: rows.length,
    documents: documents.length,
    out: 0,
    failed: documents.length,
    skipped: 0,
    seconds: 0,
    failures: documents.map(({ id, name, code, message }) => ({ id, name, code, message })).slice(0, 20),
    warnings: [],
    metrics: {},
    pages: 0,
  };
  const now = new Date().toISOString();
  await deps.runsStore.recordPart(piece.runId, { name: piece.operator, type: piece.type }, piece.part, {
    report,
    documents,
    times: { started: now, ended: now },
  });
  return report;
}

async function settle(deps: ActivityDeps, run: RunRecord, source: { operator: string; part: string }) {
  const rows = await deps.services.tables.read({ runId: run.job_run_id, ...source });
  const outcomes = await readOutcomes(deps, run, source, rows);
  await recordResults(deps, run, source.part, { rows, outcomes });
  if (!run.sample) {
    await settleStored(deps, run, source.operator, { rows, outcomes });
    await settleFailures(deps, run, source.part, { rows, outcomes });
  }
  const count = (outcome: RunDocument['outcome']) =>
    rows.filter(({ id }) => outcomes.get(id)?.outcome === outcome).length;
  const failed = count('failed');
  const skipped = count('skipped');
  return { completed: rows.length - failed - skipped, failed, skipped };
}

/** The documents of a part, and the outcome of those that failed or were skipped. */
interface SettledPart {
  rows: readonly Row[];
  outcomes: ReadonlyMap<string, RunDocument>;
}

/** Brings indexes, sets and ledger up to date. */
async function settleStored(
  deps: ActivityDeps,
  run: RunRecord,
  source_operator: string,
  { rows, outcomes }: SettledPart,
): Promise<void> {
  const earlier = await deps.services.ledger.lookup(
    run.job_id,
    rows.map(({ id }) => id),
  );
  const stores = listIndexes(run, deps);
  // A changed document that a filter now drops never reaches vectordb, so its old entries are removed here.
  const settled = rows
    .filter(({ id }) => earlier.has(id) && outcomes.get(id)?.outcome !== 'failed')
    .map(({ id }) => id);
  await removeEntries(deps, stores, { jobId: run.job_id, documentIds: settled, keepRunId: run.job_run_id });
  await removeSetRows(deps, run, { documentIds: settled, keepRunId: run.job_run_id });
  await removeExported(deps, run, { jobId: run.job_id, documentIds: settled, keepRunId: run.job_run_id });
  const indexes = { ...(await readIndexUuids(deps, stores)), ...(await readSetIds(deps, run)) };
  const withholds_text = withholdsText(deps, run);
  await deps.services.ledger.record(
    run.job_id,
    rows.map((row) => {
      // Indexes of operators that do not run again stay as they were.
      const earlierIndexes = run.rerun?.mode === 'operator' ? earlier.get(row.id)?.indexes : {};
      const entry = buildLedgerEntry(row, outcomes.get(row.id), run, { ...earlierIndexes, ...indexes });
      return { ...entry, withholds_text, source_operator };
    }),
  );
}

/** Records the failed documents of all runs, and notifies the webhooks. */
async function settleFailures(
  deps: ActivityDeps,
  run: RunRecord,
  part: string,
  { rows, outcomes }: SettledPart,
): Promise<void> {
  const failures = rows.flatMap(({ id, name }) => {
    const outcome = outcomes.get(id);
    return outcome?.outcome === 'failed' ? [{ ...outcome, name: outcome.name || name }] : [];
  });
  const passedIds = rows.filter(({ id }) => outcomes.get(id)?.outcome !== 'failed').map(({ id }) => id);
  await deps.failures.record(run, failures, passedIds);
  await announceFailures(deps, run, part, failures);
}

/** Tells the webhooks of the owner which documents of the part failed, and why, without texts. */
async function announceFailures(
  { announcer }: ActivityDeps,
  run: RunRecord,
  part: string,
  failures: readonly RunDocument[],
): Promise<void> {
  if (failures.length === 0) return;
  const documents = failures.map(({ id, name, operator, code }) => ({ document_id: id, name, operator, code }));
  const { job_run_id, flow_id, flow_name, owner } = run;
  const data = { job_run_id, flow_id, flow_name, documents };
  await announcer.announce({ event: 'document.failed', owner, key: `${job_run_id}/${part}`, data });
}

/** The outcome of each document. In a flow with several ends, a document that is dropped on one path may arrive on another. */
async function readOutcomes(
  deps: ActivityDeps,
  run: RunRecord,
  { operator, part }: { operator: string; part: string },
  rows: readonly Row[],
): Promise<Map<string, RunDocument>> {
  const { runsStore, services } = deps;
  const outcomes = await runsStore.findOutcomes(
    run.job_run_id,
    rows.map(({ id }) => id),
  );
  const { plan } = run.snapshot;
  const reached = findReachable(plan, [operator, ...(run.rerun?.seeded ?? [])]);
  const ends = findFinalOperators(plan).filter((name) => reached.has(name));
  const skipped = [...outcomes].filter(([, { outcome }]) => outcome === 'skipped').map(([id]) => id);
  const isForked =
    plan.stages.some((stage) => stage.operators.some(({ inputs }) => inputs.length > 1)) || ends.length > 1;
  if (skipped.length === 0 || !isForked) return outcomes;
  for (const end of ends) {
    const arrived = await readInputs(services.tables, run.job_run_id, [{ operator: end, part, by: operator }]);
    const arrivedIds = new Set(arrived.map(getDocumentId));
    for (const id of skipped) if (arrivedIds.has(id)) outcomes.delete(id);
  }
  return outcomes;
}

/** Stores the result of each document of the part for the report of the run. */
async function recordResults(
  { runsStore }: ActivityDeps,
  run: RunRecord,
  part: string,
  { rows, outcomes }: { rows: readonly Row[]; outcomes: ReadonlyMap<string, RunDocument> },
): Promise<void> {
  const { seconds, pages } = await runsStore.readPartFacts(run.job_run_id, part);
  const time = new Date().toISOString();
  const results = rows.map(({ id, name }): RunResult => {
    const facts = { id, name, time, pages: pages[id] ?? 0, seconds: seconds / rows.length };
    const outcome = outcomes.get(id);
    if (!outcome) return { ...facts, status: 'Completed', reason: '' };
    const status = outcome.outcome === 'failed' ? 'Failed' : 'Skipped';
    return { ...facts, status, reason: `${outcome.code}: ${outcome.message}` };
  });
  await runsStore.recordResults(run.job_run_id, part, results);
}

function buildLedgerEntry(
  row: Row,
  outcome: RunDocument | undefined,
  run: RunRecord,
  indexes: Record<string, string>,
): LedgerEntry {
  return {
    id: row.id,
    name: row.name,
    size: row.size ?? 0,
    modified_time: row.modified_time ?? '',
    content_hash: row.content_hash ?? '',
    ...(row.source_version ? { source_version: row.source_version } : {}),
    acl_hash: typeof row['acl_hash'] === 'string' ? row['acl_hash'] : '',
    status: outcome?.outcome === 'failed' ? 'failed' : 'done',
    indexes,
    plan_hash: run.snapshot.plan_hash,
    run_id: run.job_run_id,
    ...(normalizeAccessList(row) as Partial<Pick<LedgerEntry, (typeof accessColumns)[number]>>),
    owner: run.owner,
    ...(row.mimetype === undefined ? {} : { mimetype: row.mimetype }),
    ...(typeof row.parent_id === 'string' ? { parent_id: row.parent_id } : {}),
    ...(typeof row.member_count === 'number' ? { member_count: row.member_count } : {}),
    ...getLibraryFile(row),
  };
}

/** True when the flow may withhold parts of its documents from readers of the index. */
function withholdsText({ operators }: ActivityDeps, { snapshot }: RunRecord): boolean {
  const kinds = snapshot.flow.flow.map(({ type }) => operators.find(({ name }) => name === type));
  return kinds.some((kind) => kind === undefined || kind.withholdsText === true);
}

function getLibraryFile({ source, metadata }: Row): Pick<LedgerEntry, 'library_file'> {
  const fileId = metadata?.['file_id'];
  if (!source?.startsWith(librarySource) || typeof fileId !== 'string') return {};
  return { library_file: { library_id: source.slice(librarySource.length), file_id: fileId } };
}

async function finishRun(deps: ActivityDeps, input: FinishedRun) {
  const runRecord = await deps.runsStore.get(input.runId);
  const run = runRecord && (await withConnections(deps, runRecord));
  const totals = { ...input.totals };
  const warnings = [...new Set(input.warnings)];
  let named: Awaited<ReturnType<typeof followNamedGraphs>> = { created: [], warnings: [] };
  if (run?.sample) await deps.services.files.removePrefix(buildSamplePrefix(input.runId));
  if (run && !run.sample && input.state.startsWith('COMPLETED')) {
    await registerAccessSync(deps, run);
    const { removed, warning } = await removeGone(deps, run, totals.documents + (totals.withheld ?? 0));
    totals.deleted = removed;
    if (warning) warnings.push(warning);
    // Searches must see the documents as soon as the run reports that it is done.
    for (const { name: index, target, alias } of listIndexes(run, deps)) {
      await deps.services.search.refresh(index, target);
      if (alias !== undefined) await switchAlias(deps, run, { alias, name: index, target });
    }
    await finishExports(deps, run);
    named = await followNamedGraphs(deps, run);
    warnings.push(...named.warnings);
  }
  // Batches that did not finish never reported their failed documents.
  if (!input.state.startsWith('COMPLETED')) {
    const { total } = await deps.runsStore.listDocuments(input.runId, { limit: 1, offset: 0, outcome: 'failed' });
    totals.failed = Math.max(totals.failed, total);
  }
  const state = input.state === 'COMPLETED' && warnings.length > 0 ? 'COMPLETED_WITH_WARNINGS' : input.state;
  await deps.runsStore.update(input.runId, {
    status: state,
    message: input.message,
    totals,
    warnings,
    ended_at: new Date().toISOString(),
  });
  await deps.runsStore.releaseJob(input.jobId, input.runId);
  // Runs last, because an update may have to wait for the end of another. The next sweep starts updates that fail here.
  if (run && !run.sample)
    await deps.graphs.updates.updateAfterRun(Object.values(await readSetIds(deps, run)), named.created);
  return { state, totals };
}

/** Removes deleted documents from index and ledger, unless the flow retains them, or the whole source is empty and may not be. */
async function removeGone(
  deps: ActivityDeps,
  run: RunRecord,
  listed: number,
): Promise<{ removed: number; warning?: string }> {
  // A run that did not list its source cannot know which documents were deleted.
  if (run.rerun && run.rerun.mode !== 'all') return { removed: 0 };
  const gone = await deps.services.ledger.listGone(run.job_id, run.job_run_id, await listReaders(deps, run));
  if (gone.length === 0) return { removed: 0 };
  const ids = gone.map(({ id }) => id);
  const mayRemove = listed > 0 || run.empty_source_confirmed === true;
  if (mayRemove) {
    await deps.failures.forget(run.job_id, ids);
    await deps.reviews.forget(run.job_id, ids);
    await removeSetRows(deps, run, { documentIds: ids });
  }
  if (run.snapshot.flow.global_config?.retain_deleted_docs) {
    return {
      removed: 0,
      warning: `retain_deleted_docs keeps ${countNouns(gone.length, 'document')} in the index that the source no longer has.`,
    };
  }
  if (!mayRemove) {
    return {
      removed: 0,
      warning: `The source is empty, so the index keeps ${countNouns(gone.length, 'document')} ingested from it before. If they were deleted on purpose, run the flow once with the parameter confirm_empty_source=true.`,
    };
  }
  await removeEntries(deps, listIndexes(run, deps), { jobId: run.job_id, documentIds: ids });
  await removeExported(deps, run, { jobId: run.job_id, documentIds: ids });
  await deps.services.ledger.remove(run.job_id, ids);
  return { removed: gone.length };
}

/** A run that wrote nothing leaves the alias unchanged: its index may not even exist. */
async function switchAlias(
  { services }: ActivityDeps,
  run: RunRecord,
  { alias, name: index, target }: OperatorIndex & { alias: string },
): Promise<void> {
  const { writers: users, job_owner: owner } = getRunRights(run);
  if (index in (await services.search.findIndexUuids([index], target)))
    await services.search.pointAlias(alias, index, target, {
      writer: {
        runId: run.job_run_id,
        jobId: run.job_id,
        owner,
        users,
      },
    });
}

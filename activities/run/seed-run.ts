import { countNouns } from '../../model/count-nouns';
import { AppError } from '../../model/errors';
import { collectColumnsAfter } from '../../model/flow/flow-columns';
import { getDocumentId, type Row } from '../../model/flow/row';
import type { SeededRun } from '../../model/run/activities';
import { seesDocument } from '../../model/run/rights';
import { buildPartName, type PartReport } from '../../model/run/run';
import type { RunRecord, RunsStore } from '../../services/run/run-record';
import type { DeclaredColumns } from '../../services/table/row-columns';
import type { TablesStore } from '../../services/table/tables';
import type { ActivityDeps } from '../deps';
import { listPieces } from './input-rows';
import { listReaders } from './readers';

/** Outcomes of documents per query. */
const pageSize = 1_000;

/**
 * Copies the initial tables of a rerun from the earlier run: the manifests of the sources (only the failed documents, or all
 * except those that failed before the first operator that runs again), and the tables of operators that do not run again. Throws
 * TABLE_NOT_FOUND when they were deleted.
 */
export async function seedRun(deps: ActivityDeps, run: RunRecord): Promise<SeededRun> {
  const { rerun } = run;
  if (!rerun) throw new AppError('INTERNAL_ERROR', `The run ${run.job_run_id} does not repeat an earlier run.`);
  const { tables } = deps.services;
  const { sources } = run.snapshot.plan;
  const selectedIds = await selectDocuments(deps.runsStore, run);
  const parts: number[] = [];
  let documents = 0;
  const visible = createVisibleFilter(deps, run);
  for (const [index, source] of sources.entries()) {
    const prefix = sources.length > 1 ? `s${index}` : '';
    const stored = await tables.listParts(rerun.run_id, source.name);
    const write = (part: string, rows: readonly Row[]) =>
      tables.write(
        { runId: run.job_run_id, operator: source.name, part },
        rows,
        findDeclaredColumns(deps, run, source.name),
      );
    const read = async (part: string) =>
      visible(await tables.read({ runId: rerun.run_id, operator: source.name, part }));
    const counts =
      rerun.mode === 'failed' || rerun.mode === 'chosen'
        ? await seedChosen({ stored, read, write, wanted: selectedIds, prefix, size: run.snapshot.plan.batchSize })
        : await seedSame({ stored, read, write, unwanted: selectedIds });
    parts.push(counts.parts);
    documents += counts.rows;
    for (const operator of rerun.seeded ?? [])
      for (const part of stored)
        await copyTable({ tables, visible }, run, {
          operator,
          part,
          isEmpty: counts.empty.has(part),
          columns: findDeclaredColumns(deps, run, operator),
        });
    await noteSeeded(deps.runsStore, run, source, { prefix, rows: counts.rows });
  }
  if (parts.every((count) => count === 0)) throw createGoneError(rerun.run_id);
  const missing = rerun.mode === 'failed' ? selectedIds.size - documents : 0;
  const warnings =
    missing > 0
      ? [
          `No table of the run ${rerun.run_id} contains ${countNouns(missing, 'failed document')}: their source could not be read then.`,
        ]
      : [];
  return { parts, documents, warnings };
}

type Visible = (rows: readonly Row[]) => Promise<Row[]>;

/** Excludes rows that the readers of this run may not see, and rows removed since: the earlier run may have acted for others. */
function createVisibleFilter(deps: ActivityDeps, run: RunRecord): Visible {
  const { services } = deps;
  return async (rows) => {
    const readers = await listReaders(deps, run);
    const removed = await services.ledger.listRemoved(run.job_id, [...new Set(rows.map(getDocumentId))]);
    return rows.filter((row) => !removed.has(getDocumentId(row)) && seesDocument(readers, row));
  };
}

interface Seeding {
  stored: readonly string[];
  read: (part: string) => Promise<Row[]>;
  write: (part: string, rows: readonly Row[]) => Promise<void>;
}

/** Writes the chosen documents, in new parts. */
async function seedChosen(seeding: Seeding & { wanted: ReadonlySet<string>; prefix: string; size: number }) {
  let parts = 0;
  let rows = 0;
  let open: Row[] = [];
  const flush = async () => {
    await seeding.write(buildPartName(parts, seeding.prefix), open);
    parts += 1;
    open = [];
  };
  for (const part of seeding.stored) {
    for (const row of await seeding.read(part)) {
      if (!seeding.wanted.has(row.id)) continue;
      open.push(row);
      rows += 1;
      if (open.length >= seeding.size) await flush();
    }
  }
  if (open.length > 0) await flush();
  return { parts, rows, empty: new Set<string>() };
}

/** Keeps the division into parts, because the tables of other operators depend on it. */
async function seedSame(seeding: Seeding & { unwanted: ReadonlySet<string> }) {
  let rows = 0;
  const empty = new Set<string>();
  for (const part of seeding.stored) {
    const keptRows = (await seeding.read(part)).filter(({ id }) => !seeding.unwanted.has(id));
    await seeding.write(part, keptRows);
    rows += keptRows.length;
    if (keptRows.length === 0) empty.add(part);
  }
  return { parts: seeding.stored.length, rows, empty };
}

/**
 * Copies a table. A table whose part was halved is assembled from its pieces. The table of a part may be missing when every
 * document of the part failed before.
 */
async function copyTable(
  { tables, visible }: { tables: TablesStore; visible: Visible },
  run: RunRecord,
  { operator, part, isEmpty, columns }: { operator: string; part: string; isEmpty: boolean; columns: DeclaredColumns },
) {
  const from = run.rerun?.run_id ?? '';
  const stored = await tables.listParts(from, operator);
  const names = listPieces(stored, part);
  if (names.length === 0 && !isEmpty) throw createGoneError(from, operator);
  const rows: Row[] = [];
  for (const name of names) rows.push(...(await visible(await tables.read({ runId: from, operator, part: name }))));
  await tables.write({ runId: run.job_run_id, operator, part }, rows, columns);
}

/** The columns of the table of an operator, or of one of its branches. */
function findDeclaredColumns({ operators }: ActivityDeps, { snapshot }: RunRecord, operator: string) {
  const isOwn = ({ name }: { name: string }) => operator === name || operator.startsWith(`${name}.`);
  const name = snapshot.flow.flow.find(isOwn)?.name ?? operator;
  return collectColumnsAfter(snapshot.flow, name, (type) => operators.find((operator) => operator.name === type));
}

/** Failed or chosen documents of the earlier run; with mode `operator`, documents that never reached the operators that run again. */
async function selectDocuments(store: RunsStore, { rerun, snapshot }: RunRecord): Promise<Set<string>> {
  if (rerun?.mode === 'chosen') return new Set(rerun.documents);
  const repeatedOperators = new Set(snapshot.plan.stages.flatMap(({ operators }) => operators.map(({ name }) => name)));
  const chosen = rerun?.documents && new Set(rerun.documents);
  const ids = new Set<string>();
  const isFailedOnly = rerun?.mode === 'failed';
  const outcome = isFailedOnly ? ('failed' as const) : undefined;
  for (let offset = 0; ; offset += pageSize) {
    const { items } = await store.listDocuments(rerun?.run_id ?? '', { limit: pageSize, offset, outcome });
    for (const { id, operator } of items)
      if (isFailedOnly ? (chosen?.has(id) ?? true) : !repeatedOperators.has(operator)) ids.add(id);
    if (items.length < pageSize) return ids;
  }
}

/** The sources did not run, so their statistics report the rows that they would have returned. */
async function noteSeeded(
  store: RunsStore,
  run: RunRecord,
  source: { name: string; type: string },
  { prefix, rows }: { prefix: string; rows: number },
): Promise<void> {
  const report: PartReport = {
    in: rows,
    out: rows,
    documents: rows,
    failed: 0,
    skipped: 0,
    seconds: 0,
    failures: [],
    warnings: [],
    metrics: {},
    pages: 0,
  };
  const now = new Date().toISOString();
  await store.recordPart(run.job_run_id, source, prefix, {
    report,
    documents: [],
    times: { started: now, ended: now },
  });
}

function createGoneError(runId: string, operator?: string): AppError {
  return new AppError(
    'TABLE_NOT_FOUND',
    `The tables${operator ? ` of '${operator}'` : ''} of the run ${runId} are no longer stored; run the flow from the beginning.`,
  );
}

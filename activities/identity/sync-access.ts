import { randomUUID } from 'node:crypto';
import { type AccessList, accessKey, accessListOf } from '../../model/access-list';
import { effectiveConfig } from '../../model/flow/config';
import { asAppError } from '../../model/errors';
import type { AccessSyncCounts } from '../../model/identity/sync';
import { getRunRights } from '../../model/run/rights';
import { sourceKindOf } from '../../model/source/list';
import { decideAccess, findList } from '../../operators/ingest_source/access';
import { aclHashOf, idOf } from '../../operators/ingest_source/take';
import type { LedgerEntry } from '../../services/run/ledger';
import type { RunRecord } from '../../services/run/run-record';
import type { SourceEntry } from '../../services/source/sources';
import type { ActivityDeps } from '../deps';
import { setIds } from '../run/document-sets';
import { readersOf } from '../run/readers';
import { getConfig, withConnections } from '../run/snapshots';
import { vectorStores } from '../run/vector-stores';

type Deps = Pick<
  ActivityDeps,
  | 'accessSyncs'
  | 'audit'
  | 'connections'
  | 'env'
  | 'indexAccess'
  | 'ledgerAccess'
  | 'openSources'
  | 'operators'
  | 'readers'
  | 'runsStore'
  | 'services'
>;

/** Documents per query. */
const pageSize = 500;
/** Documents whose changes one sync records one by one; the rest is counted. */
const mostRecorded = 1_000;
const longest = 256;
const none: AccessSyncCounts = { listed: 0, changed: 0, left_to_run: 0, unknown: 0 };

/** A sync in progress. */
interface Sync {
  deps: Deps;
  run: RunRecord;
  by: string;
  counts: AccessSyncCounts;
  /** False if rows of the flow are kept where only a run can change them. */
  isComplete: boolean;
  signal: AbortSignal;
}

interface Change {
  entry: LedgerEntry;
  to: AccessList;
}

/**
 * Lists the sources of a job as its latest run did, and changes the access lists of documents whose rights have changed: in the
 * index first, then in the ledger, so that an interrupted sync is repeated. Does nothing while a run of the job is active, which
 * reads the lists itself. Content is not read, and deleted documents are left to the next run.
 */
export async function syncAccess(
  deps: Deps,
  { jobId, by }: { jobId: string; by: string },
  signal: AbortSignal,
): Promise<AccessSyncCounts> {
  const sync = await deps.accessSyncs.get(jobId);
  if (!sync) return none;
  const startedAt = new Date().toISOString();
  try {
    const found = await deps.runsStore.get(sync.run_id);
    if (!found) {
      await deps.accessSyncs.remove(jobId);
      return none;
    }
    if (await deps.runsStore.isJobActive(jobId, startedAt)) return none;
    const run = await withConnections(deps, found);
    const state: Sync = { deps, run, by, counts: { ...none }, isComplete: await isInPlace(deps, run), signal };
    const isDone = await syncSources(state);
    noteFurther(state);
    if (isDone) await deps.accessSyncs.succeeded(jobId, startedAt, state.counts);
    return state.counts;
  } catch (error) {
    const { code, message } = asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    await deps.accessSyncs.failed(jobId, { at: startedAt, code, message });
    throw error;
  }
}

/** True if all rows of the flow are in indexes of OpenSearch, which take a new list in place. */
async function isInPlace(deps: Deps, run: RunRecord): Promise<boolean> {
  const kinds = run.snapshot.flow.flow.map(({ type }) => deps.operators.find(({ name }) => name === type));
  const isExported = kinds.some((kind) => kind === undefined || kind.needs.includes('exports'));
  const isElsewhere = vectorStores(run, deps).some(({ target }) => target?.provider !== undefined);
  return !isExported && !isElsewhere && Object.keys(await setIds(deps, run)).length === 0;
}

/** False if a run of the job began meanwhile: it does the rest. */
async function syncSources(sync: Sync): Promise<boolean> {
  const { deps, run, signal } = sync;
  const ingest = deps.operators.find(({ scope }) => scope === 'source');
  const readers = await readersOf(deps, run);
  const isRestricted = getRunRights(run).writers.length > 0;
  const sources = (isRestricted ? deps.openSources : undefined) ?? deps.services.sources;
  for (const { name } of ingest ? run.snapshot.plan.sources : []) {
    const config = getConfig(run, name, ingest!, deps.env);
    const decide = decideAccess({ owner: run.owner, readers }, config);
    const provider = sourceKindOf(config)?.name ?? 'filesystem';
    let page: SourceEntry[] = [];
    for await (const entry of sources.list(provider, config, signal, readers)) {
      page.push(entry);
      if (page.length < pageSize) continue;
      if (!(await syncPage(sync, page, decide))) return false;
      page = [];
    }
    if (!(await syncPage(sync, page, decide))) return false;
  }
  return true;
}

async function syncPage(
  sync: Sync,
  entries: readonly SourceEntry[],
  decide: ReturnType<typeof decideAccess>,
): Promise<boolean> {
  const { deps, run, counts, signal } = sync;
  signal.throwIfAborted();
  const { ledger } = deps.services;
  const ids = entries.map((entry) => idOf(entry, { run: { jobId: run.job_id } }));
  const known = await ledger.lookup(run.job_id, ids);
  const members = await ledger.members(run.job_id, ids);
  const changes: Change[] = [];
  for (const [at, entry] of entries.entries()) {
    const held = [known.get(ids[at]!) ?? [], members.get(ids[at]!) ?? []].flat();
    if (held.length === 0) continue;
    counts.listed += 1;
    if (entry.failure?.code === 'ACCESS_LIST_INVALID') {
      counts.unknown += 1;
      continue;
    }
    for (const one of held) {
      // Withheld from the run now: those whom the source admits may still read what it made.
      const to = decide(entry, one)?.list ?? findList(entry);
      if (to && accessKey(to) !== accessKey(accessListOf(one))) changes.push({ entry: one, to });
    }
  }
  if (changes.length === 0) return true;
  if (await deps.runsStore.isJobActive(run.job_id, new Date().toISOString())) return false;
  await applyChanges(sync, changes);
  return true;
}

async function applyChanges({ deps, run, by, counts, isComplete }: Sync, changes: readonly Change[]): Promise<void> {
  const documents = new Map(changes.map(({ entry, to }) => [entry.id, { from: accessListOf(entry), to }]));
  const narrowed = new Set<string>();
  for (const { index, target } of vectorStores(run, deps)) {
    if (target?.provider !== undefined) continue;
    const found = await deps.indexAccess.changeAccess(index, { jobId: run.job_id, documents }, target);
    for (const id of found.narrowed) narrowed.add(id);
  }
  const isLeft = ({ entry }: Change) => !isComplete || narrowed.has(entry.id);
  await deps.ledgerAccess.change(
    run.job_id,
    changes.map((change) => ({
      id: change.entry.id,
      runId: change.entry.run_id,
      list: change.to,
      ...(isLeft(change) ? {} : { aclHash: aclHashOf(change.to) }),
    })),
  );
  for (const { entry, to } of changes.slice(0, Math.max(0, mostRecorded - counts.changed)))
    note(deps, by, { job_id: run.job_id, document_id: entry.id, ...differences(accessListOf(entry), to) });
  counts.changed += changes.length;
  counts.left_to_run += changes.filter(isLeft).length;
}

function noteFurther({ deps, run, by, counts: { changed } }: Sync): void {
  if (changed > mostRecorded) note(deps, by, { job_id: run.job_id, further_documents: String(changed - mostRecorded) });
}

function note({ audit }: Deps, user: string, target: Record<string, string>): void {
  audit.note({
    entry_id: randomUUID(),
    at: new Date().toISOString(),
    user,
    action: 'access-sync',
    target,
    changed: [],
    outcome: 'OK',
    client_address: '',
    trace: '',
  });
}

/** Who is in the list and was not before, and the reverse; `!` marks those whom it denies, `&` a further list. */
function differences(from: AccessList, to: AccessList): Record<string, string> {
  const all = ({ allowed_users, allowed_principals, denied_principals, required_lists }: AccessList) => [
    ...(allowed_users ?? []).map((user) => `u:${user}`),
    ...(allowed_principals ?? []),
    ...(denied_principals ?? []).map((one) => `!${one}`),
    ...(required_lists ?? []).map((one) => `&${one}`),
  ];
  const [before, after] = [all(from), all(to)];
  const text = (names: string[]) => names.join(', ').slice(0, longest);
  const gained = text(after.filter((one) => !before.includes(one)));
  const lost = text(before.filter((one) => !after.includes(one)));
  return { ...(gained ? { gained } : {}), ...(lost ? { lost } : {}) };
}

/** Registers the job of a completed run, if its flow wants its access lists to be kept fresh; else forgets it. */
export async function registerAccessSync(
  { accessSyncs }: Pick<ActivityDeps, 'accessSyncs'>,
  run: RunRecord,
): Promise<void> {
  const { flow, plan } = run.snapshot;
  const sources = new Set(plan.sources.map(({ name }) => name));
  const minutes = flow.flow.flatMap((entry) => {
    const wanted = sources.has(entry.name) ? effectiveConfig(flow, entry)['access_sync_minutes'] : undefined;
    return typeof wanted === 'number' ? [wanted] : [];
  });
  if (minutes.length === 0) return accessSyncs.remove(run.job_id);
  // Only a run that listed its sources knows their rights.
  if (run.rerun && run.rerun.mode !== 'all') return undefined;
  await accessSyncs.register({
    job_id: run.job_id,
    flow_id: run.flow_id,
    run_id: run.job_run_id,
    every_minutes: Math.min(...minutes),
    synced_at: run.started_at ?? run.created_at,
  });
}

import { randomUUID } from 'node:crypto';
import { type AccessList, getAccessKey, normalizeAccessList } from '../../model/access-list';
import { countNouns } from '../../model/count-nouns';
import { asAppError } from '../../model/errors';
import { buildEffectiveConfig } from '../../model/flow/config';
import type { AccessSyncCounts } from '../../model/identity/sync';
import { getRunRights } from '../../model/run/rights';
import { closeWhenStale, type Freshness, readFreshness } from '../../model/source/access-freshness';
import { findSourceKind } from '../../model/source/list';
import { type AccessDecision, decideAccess, findList } from '../../operators/ingest_source/access';
import { hashAccessList, computeDocumentId } from '../../operators/ingest_source/take';
import type { LedgerEntry } from '../../services/run/ledger';
import type { RunRecord } from '../../services/run/run-record';
import type { SourceEntry } from '../../services/source/sources';
import type { ActivityDeps } from '../deps';
import { readSetIds } from '../run/document-sets';
import { listReaders } from '../run/readers';
import { resolveConfig, withConnections } from '../run/snapshots';
import { listIndexes } from '../run/vector-stores';

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
const maxRecorded = 1_000;
/** Characters of the principals in one entry of the audit log. */
const maxPrincipalsLength = 256;
const minuteMs = 60_000;
const noCounts: AccessSyncCounts = { listed: 0, changed: 0, left_to_run: 0, unknown: 0 };

/** A sync in progress. */
interface Sync {
  deps: Deps;
  run: RunRecord;
  by: string;
  counts: AccessSyncCounts;
  /** False if rows of the flow are kept where only a run can change them. */
  isComplete: boolean;
  /** Folders whose documents could not be listed. */
  unlisted: number;
  startedAt: string;
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
  if (!sync) return noCounts;
  const startedAt = new Date().toISOString();
  try {
    const runRecord = await deps.runsStore.get(sync.run_id);
    if (!runRecord) {
      await deps.accessSyncs.remove(jobId);
      return noCounts;
    }
    if (await deps.runsStore.isJobActive(jobId, startedAt)) return noCounts;
    const run = await withConnections(deps, runRecord);
    const isComplete = await isInPlace(deps, run);
    const state: Sync = { deps, run, by, counts: { ...noCounts }, isComplete, unlisted: 0, startedAt, signal };
    const isDone = await syncSources(state);
    noteFurther(state);
    if (state.unlisted > 0) await deps.accessSyncs.recordFailure(jobId, { at: startedAt, ...describeUnlisted(state) });
    else if (isDone) await deps.accessSyncs.recordSuccess(jobId, startedAt, state.counts);
    return state.counts;
  } catch (error) {
    const { code, message } = asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    await deps.accessSyncs.recordFailure(jobId, { at: startedAt, code, message });
    throw error;
  }
}

/** The failure of a sync that could not list some folders. The access lists of their documents stay as they were. */
function describeUnlisted({ unlisted }: Sync): { code: string; message: string } {
  const folders = countNouns(unlisted, 'folder');
  return {
    code: 'SOURCE_UNREADABLE',
    message: `${folders} could not be listed, so the access lists of some documents may be outdated.`,
  };
}

/** True if all rows of the flow are in indexes of OpenSearch, which take a new list in place. */
async function isInPlace(deps: Deps, run: RunRecord): Promise<boolean> {
  const kinds = run.snapshot.flow.flow.map(({ type }) => deps.operators.find(({ name }) => name === type));
  const isExported = kinds.some((kind) => kind === undefined || kind.needs.includes('exports'));
  const isElsewhere = listIndexes(run, deps).some(({ target }) => target?.provider !== undefined);
  return !isExported && !isElsewhere && Object.keys(await readSetIds(deps, run)).length === 0;
}

/** False if a run of the job has started since: that run does the rest. */
async function syncSources(sync: Sync): Promise<boolean> {
  const { deps, run, signal } = sync;
  const ingest = deps.operators.find(({ scope }) => scope === 'source');
  const readers = await listReaders(deps, run);
  const isRestricted = getRunRights(run).writers.length > 0;
  const sources = (isRestricted ? deps.openSources : undefined) ?? deps.services.sources;
  for (const { name } of ingest ? run.snapshot.plan.sources : []) {
    const config = resolveConfig(run, name, ingest!, deps.env);
    const decide: Deciding = {
      decide: decideAccess({ owner: run.owner, readers, jobId: run.job_id }, config),
      freshness: readFreshness(config),
    };
    const provider = findSourceKind(config)?.name ?? 'filesystem';
    let page: SourceEntry[] = [];
    for await (const entry of sources.list(provider, config, signal, { readers })) {
      page.push(entry);
      if (page.length < pageSize) continue;
      if (!(await syncPage(sync, page, decide))) return false;
      page = [];
    }
    if (!(await syncPage(sync, page, decide))) return false;
  }
  return true;
}

interface Deciding {
  decide: AccessDecision;
  freshness: Freshness | undefined;
}

async function syncPage(
  sync: Sync,
  entries: readonly SourceEntry[],
  { decide, freshness }: Deciding,
): Promise<boolean> {
  const { deps, run, counts, signal } = sync;
  signal.throwIfAborted();
  const { ledger } = deps.services;
  const ids = entries.map((entry) => computeDocumentId(entry, { run: { jobId: run.job_id } }));
  const ledgerEntries = await ledger.lookup(run.job_id, ids);
  const members = await ledger.listMembers(run.job_id, ids);
  const changes: Change[] = [];
  const unknown: LedgerEntry[] = [];
  sync.unlisted += entries.filter(({ incomplete }) => incomplete).length;
  for (const [index, entry] of entries.entries()) {
    const known = [ledgerEntries.get(ids[index]!) ?? [], members.get(ids[index]!) ?? []].flat();
    if (known.length === 0) continue;
    counts.listed += 1;
    if (entry.failure?.code === 'ACCESS_LIST_INVALID') {
      counts.unknown += 1;
      unknown.push(...known);
      continue;
    }
    for (const ledgerEntry of known) {
      // The run may no longer read these documents; users whom the source admits may still read what it produced.
      const listed = findList(entry);
      const to = decide(entry, ledgerEntry)?.list ?? (listed && closeWhenStale(listed, run.job_id, freshness));
      if (to && getAccessKey(to) !== getAccessKey(normalizeAccessList(ledgerEntry)))
        changes.push({ entry: ledgerEntry, to });
    }
  }
  const closed = await findOverdue(sync, { ids, unknown }, freshness);
  changes.push(...closed.map((entry) => ({ entry, to: { allowed_users: [] } })));
  if (changes.length === 0) return true;
  if (await deps.runsStore.isJobActive(run.job_id, new Date().toISOString())) return false;
  await applyChanges(sync, changes);
  return true;
}

/** Documents whose rights have not been readable for so long that nobody may read them now. */
async function findOverdue(
  { deps: { accessSyncs }, run, startedAt }: Sync,
  { ids, unknown }: { ids: readonly string[]; unknown: readonly LedgerEntry[] },
  freshness: Freshness | undefined,
): Promise<LedgerEntry[]> {
  const unreadable = new Set(unknown.map(({ id }) => id));
  await accessSyncs.noteKnown(
    run.job_id,
    ids.filter((id) => !unreadable.has(id)),
  );
  const since = await accessSyncs.noteUnknown(run.job_id, [...unreadable], startedAt);
  const closesAfterMinutes = freshness?.closesAfterMinutes;
  if (closesAfterMinutes === undefined) return [];
  const isOverdue = ({ id }: LedgerEntry) =>
    Date.parse(startedAt) - Date.parse(since.get(id) ?? startedAt) > closesAfterMinutes * minuteMs;
  return unknown.filter(
    (entry) => isOverdue(entry) && getAccessKey(normalizeAccessList(entry)) !== getAccessKey({ allowed_users: [] }),
  );
}

async function applyChanges({ deps, run, by, counts, isComplete }: Sync, changes: readonly Change[]): Promise<void> {
  const documents = new Map(changes.map(({ entry, to }) => [entry.id, { from: normalizeAccessList(entry), to }]));
  const narrowed = new Set<string>();
  for (const { name, target } of listIndexes(run, deps)) {
    if (target?.provider !== undefined) continue;
    const changed = await deps.indexAccess.changeAccess(name, { jobId: run.job_id, documents }, target);
    for (const id of changed.narrowed) narrowed.add(id);
  }
  const isLeftToRun = ({ entry }: Change) => !isComplete || narrowed.has(entry.id);
  await deps.ledgerAccess.change(
    run.job_id,
    changes.map((change) => ({
      id: change.entry.id,
      runId: change.entry.run_id,
      list: change.to,
      ...(isLeftToRun(change) ? {} : { aclHash: hashAccessList(change.to) }),
    })),
  );
  for (const { entry, to } of changes.slice(0, Math.max(0, maxRecorded - counts.changed)))
    note(deps, by, { job_id: run.job_id, document_id: entry.id, ...buildDifferences(normalizeAccessList(entry), to) });
  counts.changed += changes.length;
  counts.left_to_run += changes.filter(isLeftToRun).length;
}

/** Notes how many changes the audit log does not list. */
function noteFurther({ deps, run, by, counts: { changed } }: Sync): void {
  if (changed > maxRecorded) note(deps, by, { job_id: run.job_id, further_documents: String(changed - maxRecorded) });
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

/** Principals that were added to the list, and those that were removed; `!` marks denied ones, `&` a further list. */
function buildDifferences(from: AccessList, to: AccessList): Record<string, string> {
  const listNames = ({ allowed_users, allowed_principals, denied_principals, required_lists }: AccessList) => [
    ...(allowed_users ?? []).map((user) => `u:${user}`),
    ...(allowed_principals ?? []),
    ...(denied_principals ?? []).map((principal) => `!${principal}`),
    ...(required_lists ?? []).map((requiredList) => `&${requiredList}`),
  ];
  const [before, after] = [listNames(from), listNames(to)];
  const joinNames = (names: string[]) => names.join(', ').slice(0, maxPrincipalsLength);
  const gained = joinNames(after.filter((name) => !before.includes(name)));
  const lost = joinNames(before.filter((name) => !after.includes(name)));
  return { ...(gained ? { gained } : {}), ...(lost ? { lost } : {}) };
}

/** Registers the job of a completed run if its flow keeps access lists fresh; otherwise removes it. */
export async function registerAccessSync(
  { accessSyncs }: Pick<ActivityDeps, 'accessSyncs'>,
  run: RunRecord,
): Promise<void> {
  const { flow, plan } = run.snapshot;
  const sources = new Set(plan.sources.map(({ name }) => name));
  const syncedSources = flow.flow.flatMap((entry) => {
    const freshness = sources.has(entry.name) ? readFreshness(buildEffectiveConfig(flow, entry)) : undefined;
    return freshness ? [freshness] : [];
  });
  const closing = syncedSources.flatMap(({ closesAfterMinutes: minutes }) => (minutes === undefined ? [] : [minutes]));
  if (syncedSources.length === 0) return accessSyncs.remove(run.job_id);
  // Only a run that listed its sources knows their rights.
  if (run.rerun && run.rerun.mode !== 'all') return undefined;
  await accessSyncs.register({
    job_id: run.job_id,
    flow_id: run.flow_id,
    run_id: run.job_run_id,
    every_minutes: Math.min(...syncedSources.map(({ everyMinutes }) => everyMinutes)),
    ...(closing.length > 0 ? { closes_after_minutes: Math.min(...closing) } : {}),
    synced_at: run.started_at ?? run.created_at,
  });
}

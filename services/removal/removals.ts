import { randomUUID } from 'node:crypto';
import { asAppError } from '../../model/errors';
import { iterateBatches } from '../../model/lists/batches';
import { addToList } from '../../model/multi-map';
import { type RemovalPlace, removalPlaces } from '../../model/removal/wire';
import type { Ledger, LedgerEntry } from '../run/ledger';
import type { RunRecord, RunsStore } from '../run/run-record';
import type { Tombstones } from '../run/tombstones';
import type { PlaceResult, RemovalRecord, RemovalRecords } from './records';

/** The input of one step: documents of one job. */
export interface RemovalScope {
  jobId: string;
  documentIds: readonly string[];
  /** Runs of the job that have records. */
  runs: readonly RunRecord[];
  /** True if the whole job is removed, with its runs. */
  isJob: boolean;
  /** True when it is time to leave the rest to a worker. */
  isLate: () => boolean;
}

/** Removes the data in one location; returns their number, or that some are waiting. Idempotent. */
export type RemovalStep = (scope: RemovalScope) => Promise<number | PlaceResult>;

/** Every location except `library_files`, which needs rights at the time of the request, and the ledger itself. */
export type RemovalSteps = Record<Exclude<RemovalPlace, 'library_files' | 'ledger'>, RemovalStep>;

export interface RemovalsDeps {
  records: RemovalRecords;
  tombstones: Pick<Tombstones, 'put' | 'of' | 'lift'>;
  ledger: Pick<Ledger, 'find' | 'findByContent' | 'listIds' | 'remove'>;
  runs: Pick<RunsStore, 'listOfJob' | 'isJobActive'>;
  steps: RemovalSteps;
}

/** Removals of documents and flows. The caller checks the rights. */
export interface Removals {
  /** Stores the removal and its tombstones, then runs the steps that finish within `withinMs`. */
  removeDocuments(
    entries: readonly (LedgerEntry & { job_id: string })[],
    by: { user: string; withinMs: number; extra?: Partial<Record<RemovalPlace, PlaceResult>> },
  ): Promise<RemovalRecord>;
  /**
   * Removes everything that runs of the job created, with the records of the runs; the job may run again afterwards. `before`
   * runs once the removal is stored; if it fails there is no removal.
   */
  removeJob(jobId: string, by: { user: string; withinMs: number }, before: () => Promise<void>): Promise<RemovalRecord>;
  /** Continues unfinished removals; returns how many remain. */
  sweep(limit: number): Promise<number>;
  get: RemovalRecords['get'];
  list: RemovalRecords['list'];
  /** Lets runs ingest the documents again. */
  restore(record: RemovalRecord): Promise<RemovalRecord>;
  /** Tombstones of a document, whose owners may see the receipt. */
  tombstones: Tombstones['of'];
  entries: Ledger['find'];
  /** Entries of documents with the same bytes. */
  sameContent: Ledger['findByContent'];
}

const runsPerPage = 100;
/** Documents whose ledger entries are removed at a time. */
const batchSize = 1_000;

/** Removals over the given stores. */
export function createRemovals(deps: RemovalsDeps): Removals {
  const { records, tombstones, ledger } = deps;
  const begin = async (record: RemovalRecord, withinMs: number) =>
    (await runSteps(deps, record, performance.now() + withinMs)) ?? record;
  return {
    async removeDocuments(entries, { user, withinMs, extra = {} }) {
      const documents = entries.map(({ job_id, id, owner = '' }) => ({ job_id, document_id: id, owner }));
      const record = { ...createRecord('document', user), documents, places: extra };
      await records.create(record);
      return begin(record, withinMs);
    },
    async removeJob(jobId, { user, withinMs }, before) {
      const record = { ...createRecord('flow', user), job_id: jobId };
      await records.create(record);
      await before().catch(async (error: unknown) => {
        await records.discard(record.removal_id);
        throw error;
      });
      return begin(record, withinMs);
    },
    async sweep(limit) {
      let unfinished = 0;
      for (const record of await records.open(limit))
        if ((await runSteps(deps, record, Infinity))?.state !== 'DONE') unfinished += 1;
      return unfinished;
    },
    get: records.get,
    list: records.list,
    async restore(record) {
      await tombstones.lift(record.removal_id);
      const at = new Date().toISOString();
      await records.restored(record.removal_id, at);
      return { ...record, restored_at: at };
    },
    tombstones: tombstones.of,
    entries: ledger.find,
    sameContent: ledger.findByContent,
  };
}

function createRecord(kind: RemovalRecord['kind'], user: string): RemovalRecord {
  return {
    removal_id: randomUUID(),
    kind,
    state: 'WORKING',
    documents: [],
    requested_by: user,
    requested_at: new Date().toISOString(),
    finished_at: null,
    restored_at: null,
    places: {},
  };
}

/**
 * One pass over every location. A run that started before may still write old data: then the pass is repeated after that run,
 * and the removal is completed only then.
 */
async function runSteps(
  { records, tombstones, ledger, runs, steps }: RemovalsDeps,
  record: RemovalRecord,
  until: number,
): Promise<RemovalRecord | undefined> {
  // First, and in every pass: the process that stored the removal may have died before it wrote them.
  await tombstones.put(record.documents.map((document) => ({ ...document, removal_id: record.removal_id })));
  let isDone = true;
  for (const [jobId, documentIds] of await readJobs(record, ledger)) {
    // A job that is removed as a whole gets no new runs; one may have started just before.
    const before = record.kind === 'flow' ? new Date().toISOString() : record.requested_at;
    const isActive = await runs.isJobActive(jobId, before);
    const scope = {
      jobId,
      documentIds,
      runs: await readRuns(runs, jobId),
      isJob: record.kind === 'flow',
      isLate: () => performance.now() > until,
    };
    const results = await clearPlaces(steps, scope);
    for (const [place, result] of results) await records.note(record.removal_id, place, result);
    const isWaiting = isActive || results.some(([, { state }]) => state === 'waiting');
    const note = isActive ? 'A run of the same job is active; what it still writes is removed after its end.' : null;
    await records.note(record.removal_id, 'ledger', {
      removed: isWaiting ? 0 : await removeEntries(ledger, jobId, documentIds),
      state: isWaiting ? 'waiting' : 'done',
      note,
    });
    isDone &&= !isWaiting;
  }
  if (isDone) await records.finish(record.removal_id, new Date().toISOString());
  return records.get(record.removal_id);
}

async function clearPlaces(steps: RemovalSteps, scope: RemovalScope): Promise<[RemovalPlace, PlaceResult][]> {
  const results: [RemovalPlace, PlaceResult][] = [];
  for (const place of removalPlaces) {
    const step = place === 'library_files' || place === 'ledger' ? undefined : steps[place];
    if (!step) continue;
    try {
      const result = await step(scope);
      results.push([place, typeof result === 'number' ? { removed: result, state: 'done', note: null } : result]);
    } catch (error) {
      const { code } = asAppError(error);
      results.push([place, { removed: 0, state: 'waiting', note: `${code}; it is tried again.` }]);
    }
  }
  return results;
}

async function readJobs(record: RemovalRecord, ledger: RemovalsDeps['ledger']): Promise<Map<string, string[]>> {
  if (record.job_id !== undefined) return new Map([[record.job_id, await ledger.listIds(record.job_id)]]);
  const jobs = new Map<string, string[]>();
  for (const { job_id, document_id } of record.documents) addToList(jobs, job_id, document_id);
  return jobs;
}

async function readRuns(runs: Pick<RunsStore, 'listOfJob'>, jobId: string): Promise<RunRecord[]> {
  const records: RunRecord[] = [];
  for (let offset = 0; ; offset += runsPerPage) {
    const items = await runs.listOfJob(jobId, { limit: runsPerPage, offset });
    records.push(...items);
    if (items.length < runsPerPage) return records;
  }
}

async function removeEntries(ledger: Pick<Ledger, 'remove'>, jobId: string, ids: readonly string[]): Promise<number> {
  for (const batch of iterateBatches(ids, batchSize)) await ledger.remove(jobId, batch);
  return ids.length;
}

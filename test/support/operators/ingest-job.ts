import type { Reader } from '../../../model/access';
import { mayRead, listPrincipals } from '../../../model/access-list';
import { AppError } from '../../../model/errors';
import type { Row } from '../../../model/flow/row';
import { runSource } from '../../../operators/ingest_source/run';
import type { Needs } from '../../../operators/ingest_source/take';
import type { ListingStep, OperatorContext, SourceResult } from '../../../operators/operator';
import type { FoundMembers } from '../../../services/conversion/members';
import type { Ledger, LedgerEntry } from '../../../services/run/ledger';
import type { SourceEntry } from '../../../services/source/sources';

/** A reader without groups. */
const getReader = (reader: string | Reader): Reader =>
  typeof reader === 'string' ? { username: reader, principals: listPrincipals(reader, []) } : reader;

/** A ledger in memory, which the end of a run fills as the engine does. */
function fakeLedger() {
  const entries = new Map<string, LedgerEntry & { seen: string }>();
  const removed = new Set<string>();
  const ledger: Ledger & { tombstones: Set<string> } = {
    tombstones: removed,
    lookup: async (_job, ids) =>
      new Map(ids.flatMap((id) => (entries.has(id) ? [[id, entries.get(id) as LedgerEntry] as const] : []))),
    listMembers: async (_job, parents) =>
      new Map(parents.map((parent) => [parent, [...entries.values()].filter((entry) => entry.parent_id === parent)])),
    record: async (_job, added) => {
      for (const entry of added) entries.set(entry.id, { ...entry, seen: entry.run_id });
    },
    markSeen: async (_job, runId, ids, source_operator) => {
      for (const id of ids)
        if (entries.has(id))
          Object.assign(entries.get(id) as object, { seen: runId, ...(source_operator ? { source_operator } : {}) });
    },
    listGone: async (_job, runId, readers, otherSources = []) =>
      [...entries.values()]
        .filter(({ seen }) => seen !== runId)
        .filter(({ source_operator = '' }) => !otherSources.includes(source_operator))
        .filter((entry) => readers.every((reader) => mayRead(reader, entry)))
        .map(({ id, name }) => ({ id, name })),
    hasDocuments: async () => true,
    find: async () => [],
    findByContent: async () => [],
    listIds: async () => [],
    listRemoved: async () => removed,
    remove: async (_job, ids) => {
      for (const id of ids) entries.delete(id);
    },
  };
  return ledger;
}

/** A listed file. */
export const listedFile = (name: string, change: Partial<SourceEntry> = {}): SourceEntry => ({
  source: 'file:/data',
  relativePath: name,
  path: `/data/${name}`,
  name,
  mimetype: 'text/plain',
  size: name.length,
  modifiedTime: '2024-01-01T00:00:00.000Z',
  metadata: { relative_path: name, extension: 'txt' },
  ...change,
});

interface Setting {
  files?: SourceEntry[];
  config?: Record<string, unknown>;
  /** The hash of a file's bytes; an error if it cannot be read. */
  hash?: (path: string) => string | AppError;
  forceIngest?: boolean;
  isEmptyConfirmed?: boolean;
  /** The jobs that exported files of the source, by their paths. */
  exported?: Record<string, string>;
  planHash?: string;
  indexes?: Record<string, string>;
  /** Ids of document sets by name. */
  sets?: Record<string, string>;
  jobId?: string;
  /** The name of the source operator. */
  operator?: string;
  owner?: string;
  /** Empty: the run ingests for everybody. */
  readers?: (string | Reader)[];
  sample?: number;
  /** The members of files, by name; an error if a file cannot be opened. */
  holds?: Record<string, FoundMembers | AppError>;
  /** The steps that attempts at this run save; another call with the same steps is a further attempt. */
  steps?: ListingStep[];
  /** Called with each row. An error that it throws ends the attempt. */
  onRow?: (row: Row) => void;
}

/** One ingest job with its ledger in memory: `run` is a run of the ingest whose rows all succeed, except those named. */
export function createIngestJob(flow: OperatorContext['run']['flow']['flow'] = []) {
  const ledger = fakeLedger();
  let runs = 0;
  const hashed: string[] = [];
  const reads: string[] = [];
  const run = async (
    {
      files = [],
      config = {},
      hash = (path) => `hash of ${path}`,
      forceIngest = false,
      isEmptyConfirmed = false,
      exported = {},
      planHash = 'plan',
      indexes = {},
      sets = {},
      jobId = 'job',
      operator = 'ingest',
      owner = 'olga',
      readers = [],
      sample,
      holds = {},
      steps,
      onRow,
    }: Setting,
    failed: string[] = [],
  ) => {
    if (!steps || steps.length === 0) runs += 1;
    hashed.length = 0;
    reads.length = 0;
    const runId = `run-${runs}`;
    const rows: Row[] = [];
    const context: OperatorContext<Needs> = {
      signal: new AbortController().signal,
      progress: () => undefined,
      operator,
      ...(steps ? { progressOf: { load: async () => [...steps], save: async (step) => void steps.push(step) } } : {}),
      run: {
        runId,
        jobId,
        owner,
        readers: readers.map(getReader),
        startedAt: '',
        forceIngest,
        isEmptyConfirmed,
        planHash,
        flow: { flow_name: 'f', flow },
        ...(sample === undefined ? {} : { sample }),
      },
      services: {
        ledger,
        search: {
          findIndexUuids: async (names: readonly string[]) =>
            Object.fromEntries(names.flatMap((name) => (indexes[name] ? [[name, indexes[name]]] : []))),
        } as OperatorContext['services']['search'],
        documentSets: {
          find: async (_owner, key) => ('name' in key && sets[key.name] ? { id: sets[key.name] } : undefined),
        } as OperatorContext['services']['documentSets'],
        members: {
          async find({ name }) {
            const hold = holds[name] ?? { isContainer: false, members: [] };
            if (hold instanceof AppError) throw hold;
            return hold;
          },
        },
        exportedFiles: { find: async () => new Map(Object.entries(exported)) },
        sources: {
          async *list(_provider, _config, _signal, { after } = {}) {
            yield* after === undefined ? files : files.slice(files.findIndex((file) => file.cursor === after) + 1);
          },
          read: async (_provider, document) => {
            reads.push((document as SourceEntry).path);
            return Buffer.from('may hold an attachment');
          },
          async hash(_provider, document) {
            const { path } = document as SourceEntry;
            hashed.push(path);
            const result = hash(path);
            if (result instanceof AppError) throw result;
            return result;
          },
        },
      },
    };
    const result: SourceResult = await runSource(
      async (row) => {
        rows.push(row);
        onRow?.(row);
      },
      config,
      context,
    );
    await ledger.record(
      jobId,
      rows.map((row) => ({
        id: row.id,
        name: row.name,
        size: row.size ?? 0,
        modified_time: row.modified_time ?? '',
        content_hash: row.content_hash ?? '',
        ...(row.source_version ? { source_version: row.source_version } : {}),
        acl_hash: row.acl_hash ?? '',
        status: failed.includes(row.name) ? ('failed' as const) : ('done' as const),
        indexes: {
          ...indexes,
          ...Object.fromEntries(Object.entries(sets).map(([name, id]) => [`document_set:${name}`, id])),
        },
        plan_hash: planHash,
        run_id: runId,
        allowed_users: row.allowed_users ?? [],
        owner,
        source_operator: operator,
        ...(row.parent_id === undefined ? {} : { parent_id: row.parent_id }),
        ...(row.member_count === undefined ? {} : { member_count: row.member_count }),
      })),
    );
    return { rows, names: rows.map(({ name }) => name), hashed: [...hashed], reads: [...reads], ...result };
  };
  return { run, ledger };
}

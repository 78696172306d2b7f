import { hash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compareText } from '../../model/compare-text';
import { AppError } from '../../model/errors';
import type { PagesOfDocuments } from '../../model/page/page-count';
import type { PartReport } from '../../model/run/run';
import { mapInParallel } from '../pacing/map-in-parallel';
import { ignoreAbsent } from '../storage/absent-file';
import type { RunResult } from './facts';
import { addPart, groupOutcomesById } from './operator-totals';
import { isSettled } from './results';
import type { OperatorStats, RunDocument } from './run-record';
import type { RunStats } from './run-stats';

/** The file of one part in `<run>/parts/`. Without `report` it contains the progress of a running part. */
interface PartFile {
  operator: string;
  type: string;
  part: string;
  report?: PartReport;
  live?: number;
  live_pages?: PagesOfDocuments;
  pages?: Record<string, number>;
  documents: RunDocument[];
  started: string;
  ended?: string;
}
/** The file with the results of one part in `<run>/results/`. */
interface ResultFile {
  part: string;
  results: RunResult[];
}

/**
 * Stores statistics as JSON files: one folder per run, one file per part. APIs and workers must share the folder. Every query
 * reads all files of the run, so very large runs should use a database.
 */
export function createFileRunStats(base: string): RunStats {
  const files = createStatsFiles(base);
  return {
    ...createWriters(base, files),
    ...createPartReaders(base, files),
    ...createResultReaders(files),
    close: async () => {},
  };
}

type StatsFiles = ReturnType<typeof createStatsFiles>;

function createStatsFiles(base: string) {
  const getFolder = (runId: string, kind: 'parts' | 'results' | 'live') => path.join(base, getName(runId), kind);
  const getPartPath = (runId: string, kind: 'parts' | 'live', operator: string, part: string) =>
    path.join(getFolder(runId, kind), `${getName(operator)}.${getName(part)}.json`);
  const readParts = async (runId: string): Promise<PartFile[]> => {
    const done = await readFolder<PartFile>(getFolder(runId, 'parts'));
    const ids = new Set(done.map(buildId));
    const live = await readFolder<PartFile>(getFolder(runId, 'live'));
    return [...done, ...live.filter((part) => !ids.has(buildId(part)))].toSorted((file, other) =>
      compareText(buildId(file), buildId(other)),
    );
  };
  const readDocuments = async (runId: string): Promise<RunDocument[]> => {
    const all = (await readParts(runId)).flatMap(({ documents }) => documents);
    const byId = new Map(all.map((document) => [`${document.operator}/${document.id}`, document]));
    return [...byId].toSorted(([item], [other]) => compareText(item, other)).map(([, document]) => document);
  };
  /** Reads one file at a time, in the order of parts, so that a large run never loads all its documents into memory. */
  async function* readResults(runId: string, isWanted: (part: string) => boolean = () => true) {
    const folder = getFolder(runId, 'results');
    const files = await guard(base, () => findParts(folder));
    for (const { file } of files.filter(({ part }) => isWanted(part))) {
      const content = await guard(base, () => read<ResultFile>(file));
      if (content) yield content;
    }
  }
  return { getFolder, getPartPath, readParts, readDocuments, readResults };
}

function createWriters(
  base: string,
  { getFolder, getPartPath, readParts }: StatsFiles,
): Pick<RunStats, 'recordPart' | 'recordProgress' | 'forgetPart' | 'recordResults' | 'removeStats'> {
  return {
    recordPart: (runId, { name: operator, type }, part, { report, documents, times: { started, ended, pages } }) =>
      guard(base, async () => {
        const file: PartFile = { operator, type, part, report, documents, started, ended, ...(pages ? { pages } : {}) };
        await write(getPartPath(runId, 'parts', operator, part), file);
        await rm(getPartPath(runId, 'live', operator, part), { force: true });
      }),
    recordProgress: (runId, { name: operator, type }, part, { documents: live, pages }) =>
      guard(base, async () => {
        const file = getPartPath(runId, 'live', operator, part);
        const started = (await read<PartFile>(file))?.started ?? new Date().toISOString();
        const livePages = pages ? { live_pages: pages } : {};
        await write(file, { operator, type, part, live, ...livePages, documents: [], started } satisfies PartFile);
        // A failed progress update is ignored.
      }).catch(() => undefined),
    forgetPart: (runId, part) =>
      guard(base, async () => {
        for (const file of (await readParts(runId)).filter((other) => isWithin(other.part, part)))
          for (const kind of ['parts', 'live'] as const)
            await rm(getPartPath(runId, kind, file.operator, file.part), { force: true });
      }),
    recordResults: (runId, part, results) =>
      guard(base, () =>
        write(path.join(getFolder(runId, 'results'), `${getName(part)}.json`), {
          part,
          results: [...results],
        } satisfies ResultFile),
      ),
    removeStats: (runId) => guard(base, () => rm(path.join(base, getName(runId)), { recursive: true, force: true })),
  };
}

function createPartReaders(
  base: string,
  { getPartPath, readParts, readDocuments }: StatsFiles,
): Pick<
  RunStats,
  'findPartReport' | 'findOutcomes' | 'readOperatorStats' | 'listDocuments' | 'iterateParts' | 'readPartFacts'
> {
  return {
    findPartReport: (runId, operator, part) =>
      guard(base, async () => (await read<PartFile>(getPartPath(runId, 'parts', operator, part)))?.report),
    findOutcomes: (runId, ids) =>
      guard(base, async () => {
        const wantedIds = new Set(ids);
        return groupOutcomesById((await readDocuments(runId)).filter(({ id }) => wantedIds.has(id)));
      }),
    readOperatorStats: (runId) =>
      guard(base, async () => {
        const stats = new Map<string, OperatorStats>();
        for (const { report, ...part } of await readParts(runId))
          addPart(stats, { ...part, ...(report ? { report: JSON.stringify(report) } : {}) });
        return [...stats.values()];
      }),
    listDocuments: (runId, { limit, offset, outcome }) =>
      guard(base, async () => {
        const matches = (await readDocuments(runId)).filter((document) => !outcome || document.outcome === outcome);
        return { items: matches.slice(offset, offset + limit), total: matches.length };
      }),
    async *iterateParts(runId) {
      for (const { operator, part, report, started, ended } of await guard(base, () => readParts(runId)))
        yield { operator, part, ...(report ? { report } : {}), started_at: started, ended_at: ended ?? null };
    },
    readPartFacts: (runId, part) =>
      guard(base, async () => {
        const within = (await readParts(runId)).filter((file) => isWithin(file.part, part));
        return {
          seconds: within.reduce((sum, { report }) => sum + (report?.seconds ?? 0), 0),
          pages: Object.assign({}, ...within.map(({ pages }) => pages)) as Record<string, number>,
        };
      }),
  };
}

function createResultReaders({ readResults }: StatsFiles): Pick<RunStats, 'iterateResults' | 'countSettled'> {
  return {
    async *iterateResults(runId) {
      for await (const { part, results } of readResults(runId)) for (const result of results) yield { ...result, part };
    },
    countSettled: async (runId) => {
      const counts = { Completed: 0, Failed: 0, Skipped: 0 };
      for await (const { results } of readResults(runId, isSettled))
        for (const { status } of results) counts[status] += 1;
      return { completed: counts.Completed, failed: counts.Failed, skipped: counts.Skipped };
    },
  };
}

/** True for the part itself and the pieces cut from it. */
function isWithin(part: string, of: string): boolean {
  return part === of || part.startsWith(`${of}-`);
}

function buildId({ operator, part }: PartFile): string {
  return `${operator}/${part}`;
}

/** The result files with their parts, in the order of parts. A file is opened only when its name is a digest. */
async function findParts(folder: string): Promise<{ part: string; file: string }[]> {
  const files: { part: string; file: string }[] = [];
  for (const name of await findNames(folder)) {
    const file = path.join(folder, name);
    const plain = name.slice(0, -'.json'.length);
    const part = isDigest(plain) ? (await read<ResultFile>(file))?.part : plain;
    if (part !== undefined) files.push({ part, file });
  }
  return files.toSorted((file, other) => compareText(file.part, other.part));
}

function isDigest(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** A safe file name: the text itself where possible, else a digest. The file's contents include the original name. */
function getName(text: string): string {
  return /^[A-Za-z0-9_-]{1,100}$/.test(text) && !isDigest(text) ? text : hash('sha256', text);
}

async function write(file: string, value: unknown): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${randomUUID()}`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(temporary, JSON.stringify(value));
  await rename(temporary, file);
}

async function read<T>(file: string): Promise<T | undefined> {
  const text = await ignoreAbsent(readFile(file, 'utf8'));
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** Files that are read at the same time. */
const maxOpenFiles = 32;

async function findNames(folder: string): Promise<string[]> {
  return ((await ignoreAbsent(readdir(folder))) ?? []).filter((name) => !name.startsWith('.'));
}

async function readFolder<T>(folder: string): Promise<T[]> {
  const names = await findNames(folder);
  const contents = await mapInParallel(names, maxOpenFiles, (name) => read<T>(path.join(folder, name)));
  // A file may be deleted between listing and reading.
  return contents.filter((content) => content !== undefined);
}

async function guard<T>(base: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof AppError || code === undefined) throw error;
    throw new AppError('STORAGE_ERROR', `The folder of statistics '${base}' cannot be used: ${message}.`, {}, error);
  }
}

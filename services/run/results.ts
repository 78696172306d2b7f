import type { PartReport } from '../../model/run/run';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import type { RunPart, RunResult } from './facts';
import type { RunsStore } from './run-record';

/**
 * Results of the documents of one part; `_id` is `<run>/<part>`. `results` is JSON text because names may contain any characters.
 */
interface StoredResults {
  _id: string;
  run_id: string;
  /** False for documents that a source skipped or could not list, which no batch settles. */
  settled: boolean;
  completed: number;
  failed: number;
  skipped: number;
  results: string;
}
/** The members read here of the parts that `reports.ts` writes. */
interface StoredPart {
  _id: string;
  run_id: string;
  operator: string;
  part: string;
  report?: string;
  pages?: string;
  started: string;
  ended?: string;
}

type ResultsStore = Pick<
  RunsStore,
  'recordResults' | 'iterateResults' | 'countSettled' | 'iterateParts' | 'readPartFacts'
> & {
  removeResults(runId: string): Promise<void>;
};

/** Prefix of the parts of sources. It cannot collide with the name of a batch's part. */
const sourceMark = 'source:';

/** The part name under which a source stores results; `index` numbers its records. */
export function buildSourceResultsKey(operator: string, index: number): string {
  return `${sourceMark}${operator}:${index}`;
}

/** False for documents that a source skipped or could not list, which no batch settles. */
export function isSettled(part: string): boolean {
  return !part.startsWith(sourceMark);
}

/** Stores results of documents and reports of parts in MongoDB: one record per part, however many documents it has. */
export function createRunResults(mongo: Mongo): ResultsStore {
  const results = mongo.collection<StoredResults>('run_results');
  const parts = mongo.collection<StoredPart>('run_parts');
  const whenReady = createWhenReady(() => results.createIndex({ run_id: 1 }));

  return {
    recordResults: (runId, part, runResults) =>
      whenReady(async () => {
        const count = (status: RunResult['status']) => runResults.filter((result) => result.status === status).length;
        await results.replaceOne(
          { _id: `${runId}/${part}` },
          {
            run_id: runId,
            settled: isSettled(part),
            completed: count('Completed'),
            failed: count('Failed'),
            skipped: count('Skipped'),
            results: JSON.stringify(runResults),
          },
          { upsert: true },
        );
      }),
    async *iterateResults(runId) {
      for await (const stored of results.find({ run_id: runId }).sort({ _id: 1 }))
        for (const result of JSON.parse(stored.results) as RunResult[])
          yield { ...result, part: stored._id.slice(runId.length + 1) };
    },
    countSettled: (runId) =>
      guard(async () => {
        const counts = { completed: 0, failed: 0, skipped: 0 };
        const records = results.find(
          { run_id: runId, settled: true },
          { projection: { completed: 1, failed: 1, skipped: 1 } },
        );
        for await (const { completed, failed, skipped } of records) {
          counts.completed += completed;
          counts.failed += failed;
          counts.skipped += skipped;
        }
        return counts;
      }),
    async *iterateParts(runId) {
      for await (const stored of parts.find({ run_id: runId }).sort({ _id: 1 })) yield toPart(stored);
    },
    readPartFacts: (runId, part) =>
      guard(async () => {
        let seconds = 0;
        const pages: Record<string, number> = {};
        for await (const stored of parts.find({ run_id: runId, part: { $regex: `^${part}(-|$)` } })) {
          seconds += toPart(stored).report?.seconds ?? 0;
          if (stored.pages) Object.assign(pages, JSON.parse(stored.pages) as Record<string, number>);
        }
        return { seconds, pages };
      }),
    removeResults: (runId) => guard(async () => void (await results.deleteMany({ run_id: runId }))),
  };
}

function toPart({ operator, part, report, started, ended }: StoredPart): RunPart {
  return {
    operator,
    part,
    ...(report ? { report: JSON.parse(report) as PartReport } : {}),
    started_at: started,
    ended_at: ended ?? null,
  };
}

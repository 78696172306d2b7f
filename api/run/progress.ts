import { isFinal } from '../../model/run/run';
import type { RunProgressReply } from '../../model/run/wire';
import type { OperatorStats, RunRecord } from '../../services/run/run-record';

interface Settled {
  completed: number;
  failed: number;
  skipped: number;
}

/** The run with current totals: the final ones once it has ended, otherwise those of its parts so far. */
export function addLiveTotals(run: RunRecord, stats: readonly OperatorStats[], settled: Settled): RunRecord {
  if (isFinal(run.status)) return run;
  const sources = listSources(run, stats);
  const sum = (key: 'in' | 'failed' | 'skipped') => sources.reduce((total, source) => total + source[key], 0);
  const { totals } = run;
  return {
    ...run,
    totals: {
      ...totals,
      documents: Math.max(totals.documents, sum('in')),
      completed: Math.max(totals.completed, settled.completed),
      failed: Math.max(totals.failed, settled.failed + sum('failed')),
      skipped: Math.max(totals.skipped, settled.skipped + sum('skipped')),
    },
  };
}

/**
 * Progress and speed of a run. `percent` is the mean share of documents processed by each operator, so it rises while the first
 * batches are running, and with each page of a long document. It is 100 only at the end, and null until the sources are listed.
 */
export function buildProgress(run: RunRecord, stats: readonly OperatorStats[], now: Date): RunProgressReply {
  const { documents: total, completed, failed, skipped } = run.totals;
  const done = completed + failed + skipped;
  const start = run.started_at === null ? undefined : Date.parse(run.started_at);
  const end = run.ended_at === null ? now.getTime() : Date.parse(run.ended_at);
  const seconds = start === undefined ? 0 : Math.max(0, (end - start) / 1000);
  const processed = completed + failed;
  const rate = seconds > 0 && processed > 0 ? processed / seconds : null;
  const isEnded = isFinal(run.status);
  const secondsRemaining = rate === null ? null : Math.round(Math.max(0, total - done) / rate);
  return {
    percent: computePercent(run, stats, isEnded),
    documents_done: done,
    documents_total: total,
    documents_per_second: rate === null ? null : Math.round(rate * 1000) / 1000,
    seconds_elapsed: Math.round(seconds * 1000) / 1000,
    seconds_remaining: isEnded ? 0 : secondsRemaining,
  };
}

function computePercent(run: RunRecord, stats: readonly OperatorStats[], isEnded: boolean): number | null {
  if (run.status.startsWith('COMPLETED')) return 100;
  const sources = listSources(run, stats);
  const areSourcesListed =
    sources.length === run.snapshot.plan.sources.length && sources.every(({ parts }) => parts > 0);
  if (!areSourcesListed) return isEnded ? 0 : null;
  const expected = sources.reduce((sum, source) => sum + source.out, 0);
  const operators = run.snapshot.plan.stages.flatMap((stage) => stage.operators);
  if (expected === 0 || operators.length === 0) return 99;
  const shares = operators.map(({ name }) => {
    const { documents = 0, pages } = stats.find((candidate) => candidate.name === name) ?? {};
    const begun = pages && pages.total > 0 ? (pages.done / pages.total) * pages.documents : 0;
    return Math.min(1, (documents + begun) / expected);
  });
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return Math.min(99, Math.floor(mean * 100));
}

function listSources(run: RunRecord, stats: readonly OperatorStats[]): OperatorStats[] {
  return run.snapshot.plan.sources.flatMap(({ name }) => stats.find((candidate) => candidate.name === name) ?? []);
}

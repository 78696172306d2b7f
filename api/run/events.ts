import { isFinal } from '../../model/run/run';
import type { RunEvent } from '../../model/run/wire';
import type { RunRecord } from '../../services/run/run-record';
import { formatEvent } from '../http/event-stream';
import { lookAtRun, type RunLook } from './looks';
import { omitNames } from './names';
import { buildProgress, addLiveTotals } from './progress';
import { createRightsCheck, type StreamContext, watchRun } from './watch';

/** The longest stream is 15 minutes; the client reconnects with a token that is still valid. */
const watchLimits = { everyMs: 500, looksPerProbe: 10, forMs: 15 * 60 * 1_000 };
/** The number of checks without a change between two comments that keep the connection open. */
const looksPerComment = 30;

/**
 * The run as server-sent events: `progress` immediately and on every change, `end` when the run is final or removed. Every event
 * contains the full state, so a client that reconnects misses nothing. A server that is stopping ends the stream, and so does the
 * end of the user's login or of the right to see the run, within five seconds.
 */
export async function* streamRunEvents(runId: string, context: StreamContext): AsyncGenerator<string, void, void> {
  const { user, services, options } = context;
  let look: RunLook | undefined;
  const find = async () => {
    look = await lookAtRun(runId, services);
    return look?.run;
  };
  const limits = { ...watchLimits, signal: options.closing, mayContinue: createRightsCheck(runId, context), find };
  let lastShown = '';
  let looks = 0;
  for await (const run of watchRun(runId, context, limits)) {
    if (!run || !look) return;
    const event = buildEvent(omitNames(run, user), look, services.clock());
    if (isFinal(run.status)) {
      yield formatEvent('end', event);
      return;
    }
    const { seconds_elapsed: _always, ...changing } = event.progress;
    const key = JSON.stringify({ ...event, progress: { ...changing, documents_per_second: 0, seconds_remaining: 0 } });
    if (key !== lastShown) yield formatEvent('progress', event);
    else if (looks % looksPerComment === 0) yield ': still there\n\n';
    lastShown = key;
    looks += 1;
  }
}

function buildEvent(stored: RunRecord, { stats, settled }: RunLook, now: Date): RunEvent {
  const run = addLiveTotals(stored, stats, settled);
  return {
    job_run_id: run.job_run_id,
    status: run.status,
    message: run.message,
    totals: run.totals,
    progress: buildProgress(run, stats, now),
    operators: stats.map(({ name, documents, failed, skipped, pages }) => ({
      name,
      documents,
      failed,
      skipped,
      ...(pages ? { pages } : {}),
    })),
  };
}

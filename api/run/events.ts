import { setTimeout as pause } from 'node:timers/promises';
import type { User } from '../../model/access';
import { isFinal } from '../../model/run/run';
import type { RunEvent } from '../../model/run/wire';
import type { RunRecord } from '../../services/run/run-record';
import { withoutNames } from './names';
import { progressOf, withLiveTotals } from './progress';
import { settledRun } from './state';
import type { ApiOptions, ApiServices } from '../services';

const pollMs = 500;
/** Polls between two queries to Temporal, and between two comments that keep the connection open. */
const pollsPerProbe = 10;
const pollsPerComment = 30;
/** Maximum duration of a stream. The client reconnects with a token that is still valid. */
const longestMs = 15 * 60 * 1000;

/**
 * The run as server-sent events: `progress` immediately and on every change, `end` when the run is final or removed. Every event
 * contains the full state, so a client that reconnects misses nothing. A server that is stopping ends the stream.
 */
export async function* runEvents(
  first: RunRecord,
  user: User,
  services: ApiServices,
  options: ApiOptions,
): AsyncGenerator<string, void, void> {
  const until = services.clock().getTime() + longestMs;
  let shown = '';
  const { closing } = options;
  const isOver = () => services.clock().getTime() >= until || (closing?.aborted ?? false);
  for (let poll = 0; !isOver(); poll += 1) {
    const stored = poll === 0 ? first : await services.runsStore.get(first.job_run_id);
    if (!stored) return;
    const run = poll % pollsPerProbe === 0 ? (await settledRun(stored, services, options.probeTimeoutMs)).run : stored;
    const event = await eventOf(withoutNames(run, user), services);
    const { seconds_elapsed: _always, ...changing } = event.progress;
    const key = JSON.stringify({ ...event, progress: { ...changing, documents_per_second: 0, seconds_remaining: 0 } });
    if (isFinal(run.status)) {
      yield message('end', event);
      return;
    }
    if (key !== shown) yield message('progress', event);
    else if (poll % pollsPerComment === 0) yield ': still there\n\n';
    shown = key;
    // Rejects when the server begins to stop; the loop condition handles that.
    await pause(pollMs, undefined, { signal: closing }).catch(() => undefined);
  }
}

async function eventOf(stored: RunRecord, services: ApiServices): Promise<RunEvent> {
  const stats = await services.runsStore.operatorStats(stored.job_run_id);
  const run = withLiveTotals(stored, stats, await services.runsStore.settledCounts(stored.job_run_id));
  return {
    job_run_id: run.job_run_id,
    status: run.status,
    message: run.message,
    totals: run.totals,
    progress: progressOf(run, stats, services.clock()),
    operators: stats.map(({ name, documents, failed, skipped }) => ({ name, documents, failed, skipped })),
  };
}

function message(name: string, event: RunEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(event)}\n\n`;
}

import { setTimeout as pause } from 'node:timers/promises';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import { isFinal } from '../../model/run/run';
import type { RunRecord } from '../../services/run/run-record';
import { may, read, type RequestContext, runPolicy } from '../http/policies';
import type { ApiOptions, ApiServices } from '../services';
import { findSettledRun } from './state';

/** How a run is watched. */
interface WatchOptions {
  /** Milliseconds between two checks. */
  everyMs: number;
  /** Every n-th check also asks the engine, which reveals a workflow that ended without recording it. */
  looksPerProbe: number;
  /** Maximum duration. */
  forMs: number;
  /** Ends the watch early. */
  signal: AbortSignal | undefined;
  /** Asked with every probe but the first; the watch ends when it returns false. */
  mayContinue?: () => Promise<boolean>;
  /** Reads the run; by default from the store. */
  find?: (runId: string) => Promise<RunRecord | undefined>;
}

/** The input of a stream, which may outlast the rights of its user. */
export type StreamContext = RequestContext & { authenticateAgain: () => Promise<User> };

/**
 * Whether the user of a stream is still logged in and may still see what it shows of the run. Any failure ends the stream: its
 * client reconnects, and then gets the reason.
 */
export function createRightsCheck(runId: string, context: StreamContext): () => Promise<boolean> {
  return async () => {
    try {
      const current = { ...context, user: await context.authenticateAgain() };
      const run = await read(runPolicy, runId, current);
      // The stream keeps the rights of its start. A member of the project who was an administrator then must not keep them.
      const hasShown = await may(runPolicy, 'readDocuments', run, context);
      return !hasShown || (await may(runPolicy, 'readDocuments', run, current));
    } catch {
      return false;
    }
  };
}

/**
 * Yields the run now and at every check, changed or not. Checks at least once. Ends after a check of a final run, after
 * the maximum duration, or when the signal aborts. A run that is removed is yielded as undefined, as the last value.
 */
export async function* watchRun(
  runId: string,
  { services, options }: { services: ApiServices; options: ApiOptions },
  { everyMs, looksPerProbe, forMs, signal, mayContinue, find = (id) => services.runsStore.get(id) }: WatchOptions,
): AsyncGenerator<RunRecord | undefined, void, void> {
  const until = performance.now() + forMs;
  const isOver = () => performance.now() >= until || (signal?.aborted ?? false);
  for (let look = 0; look === 0 || !isOver(); look += 1) {
    const stored = await find(runId);
    if (mayContinue && look > 0 && look % looksPerProbe === 0 && !(await mayContinue())) return;
    const isProbed = stored && look % looksPerProbe === 0;
    const run = isProbed ? (await findSettledRun(stored, services, options.probeTimeoutMs)).run : stored;
    yield run;
    if (!run || isFinal(run.status)) return;
    // Rejects when the signal aborts; the loop condition handles that.
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Waits until a cancelled run has ended. Throws JOB_RUN_INVALID_STATE if that takes longer than `cancelWaitMs`. */
export async function awaitEnd(
  run: RunRecord,
  context: { services: ApiServices; options: ApiOptions },
  signal: AbortSignal,
): Promise<void> {
  const watching = { everyMs: 250, looksPerProbe: 1, forMs: context.options.cancelWaitMs, signal };
  for await (const seen of watchRun(run.job_run_id, context, watching)) if (!seen || isFinal(seen.status)) return;
  throw new AppError(
    'JOB_RUN_INVALID_STATE',
    `Job run '${run.job_run_id}' was asked to cancel and is still ending; try again.`,
  );
}

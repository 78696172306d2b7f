import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { type AppError, asAppError, errorCatalogue } from '../model/errors';
import type { PageCount, PagesOfDocuments } from '../model/page/page-count';
import { toPublicMessage } from '../model/public-errors';
import { createOutageReports, createOutageWatch, describeWaitTimeout, type Outage, type ReportOutage } from './outage';

const heartbeatEveryMs = 500;
/** Pause after the first failure; doubles with every attempt, up to the longest pause. */
const firstPauseMs = 500;
const longestPauseMs = 15_000;

/** Heartbeat details of a running activity, shown in the Temporal UI. */
export interface Pulse {
  /** Number of rows done, out of `total`. */
  done?: number;
  total?: number;
  /** Number of distinct documents among the rows. */
  documents?: number;
  /** Pages of the documents that are being converted, once they take longer than a second. */
  pages?: PageCount | PagesOfDocuments;
  /** Set while a service is unavailable. */
  waitingFor?: string;
  since?: string;
  /** Time at which the run gives up; absent if it waits without limit. */
  until?: string;
}

/** How an activity deals with unavailable services. */
export interface ConductOptions {
  /** False to fail at once; true by default. */
  waitForOutages?: boolean;
  /** The longest that one outage may last; absent means without limit. */
  waitMs?: number;
  onOutage?: ReportOutage;
}

/**
 * Runs the work of an activity. Sends heartbeats from a timer, so that a cancellation arrives within a second. Waits for
 * unavailable services instead of failing and then repeats the work, so the work must be idempotent. Turns errors into failures
 * whose code decides whether Temporal may retry.
 */
export async function runActivityWork<Result>(
  work: (signal: AbortSignal, pulse: Pulse) => Promise<Result>,
  { waitForOutages = true, waitMs, onOutage }: ConductOptions = {},
): Promise<Result> {
  const context = Context.current();
  const earlier = (context.info.heartbeatDetails as Pulse | undefined)?.since;
  const reports = createOutageReports(onOutage, earlier !== undefined);
  const watch = createOutageWatch({ now: Date.now, tick: () => performance.now(), waitMs, earlier });
  const pulse: Pulse = {};
  const beat = () => {
    if (reports.isOutdated(pulse.done ?? 0)) {
      pulse.waitingFor = undefined;
      void reports.end();
    }
    context.heartbeat(pulse);
  };
  // A local activity runs in the worker of its workflow, which sends the heartbeats.
  const timer = context.info.isLocal ? undefined : setInterval(beat, heartbeatEveryMs);
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work(context.cancellationSignal, pulse);
      } catch (error) {
        if (context.cancellationSignal.aborted)
          throw new CancelledFailure(String(context.cancellationSignal.reason ?? 'cancelled'));
        const failure = asAppError(error);
        if (!waitForOutages || !isOutage(failure)) throw failure;
        const done = pulse.done ?? 0;
        const { isOver, ...outage } = watch.note(done);
        if (isOver) throw createGiveUpFailure(failure, outage);
        await reports.begin(done, failure, outage);
        await pauseForOutage(context, pulse, { failure, outage, attempt });
      }
    }
  } catch (error) {
    throw toFailure(error);
  } finally {
    clearInterval(timer);
    await reports.end();
  }
}

function isOutage({ code, details }: AppError): boolean {
  return errorCatalogue[code].retry === 'outage' && !details.isFinal;
}

async function pauseForOutage(
  context: Context,
  pulse: Pulse,
  { failure, outage, attempt }: { failure: AppError; outage: Outage; attempt: number },
): Promise<void> {
  const message = toPublicMessage(failure);
  pulse.waitingFor = `${failure.code}: ${message}`;
  Object.assign(pulse, outage);
  context.log.warn('Waiting for a service that is unreachable', {
    code: failure.code,
    message,
    since: pulse.since,
  });
  const pauseMs = failure.details.retryAfterMs ?? Math.min(firstPauseMs * 2 ** attempt, longestPauseMs);
  const leftMs = outage.until === undefined ? Infinity : Date.parse(outage.until) - Date.now();
  await context.sleep(Math.max(0, Math.min(pauseMs, leftMs)));
}

function createGiveUpFailure(failure: AppError, outage: Outage): ApplicationFailure {
  return ApplicationFailure.create({
    type: failure.code,
    message: describeWaitTimeout(failure, outage),
    nonRetryable: true,
    cause: failure,
  });
}

function toFailure(error: unknown): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  const failure = asAppError(error);
  const { retry } = errorCatalogue[failure.code];
  return ApplicationFailure.create({
    type: failure.code,
    message: failure.message,
    nonRetryable: retry === undefined || failure.details.isFinal === true,
    nextRetryDelay: failure.details.retryAfterMs,
    cause: failure.cause instanceof Error ? failure.cause : undefined,
  });
}

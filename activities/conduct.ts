import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { type AppError, asAppError, errorCatalogue } from '../model/errors';
import { publicMessage } from '../model/public-errors';
import { createOutageWatch, describeVainWait, type Outage } from './outage';

const heartbeatEveryMs = 500;
const longestPauseMs = 15_000;

/** What a running activity shows in the Temporal UI. */
export interface Pulse {
  /** Rows done, of how many. */
  done?: number;
  total?: number;
  /** Distinct documents among them. */
  documents?: number;
  /** Set while a service is away. */
  waitingFor?: string;
  since?: string;
  /** When the wait ends the run; absent where it never does. */
  until?: string;
}

/** Says what the work waits for; undefined once it waits no more. */
type TellOutage = (waitingFor: string | undefined, outage?: Outage) => Promise<unknown>;

/** `waitMs`: how long one outage may last; absent where the work has nothing better to do than to wait. */
export interface ConductOptions {
  waitForOutages?: boolean;
  waitMs?: number;
  onOutage?: TellOutage;
}

/**
 * Runs the work of an activity: heartbeats from a timer, so that cancellation arrives within a second; waits for services
 * that are away instead of failing (the work is repeated, so it must give the same twice); turns errors into failures that
 * say by code whether Temporal may try again.
 */
export async function conduct<Result>(
  work: (signal: AbortSignal, pulse: Pulse) => Promise<Result>,
  { waitForOutages = true, waitMs, onOutage }: ConductOptions = {},
): Promise<Result> {
  const context = Context.current();
  const tell: TellOutage = async (waitingFor, outage) => {
    // A courtesy: what is away may be the very service that keeps it.
    await onOutage?.(waitingFor, outage).catch(() => undefined);
  };
  const earlier = (context.info.heartbeatDetails as Pulse | undefined)?.since;
  const watch = createOutageWatch({ now: Date.now, waitMs, earlier });
  const pulse: Pulse = {};
  // A local activity lives in its workflow's worker, which beats for it.
  const timer = context.info.isLocal ? undefined : setInterval(() => context.heartbeat(pulse), heartbeatEveryMs);
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await work(context.cancellationSignal, pulse);
        if (attempt > 0) await tell(undefined);
        return result;
      } catch (error) {
        if (context.cancellationSignal.aborted)
          throw new CancelledFailure(String(context.cancellationSignal.reason ?? 'cancelled'));
        const failure = asAppError(error);
        const mayHeal = errorCatalogue[failure.code].retry === 'outage' && !failure.details.isFinal;
        if (!waitForOutages || !mayHeal) throw failure;
        const { isOver, ...outage } = watch.note(pulse.done ?? 0);
        if (isOver) throw gaveUp(failure, outage);
        await tell(`${failure.code}: ${failure.message}`, outage);
        await pauseForOutage(context, pulse, { failure, outage, attempt });
      }
    }
  } catch (error) {
    throw toFailure(error);
  } finally {
    clearInterval(timer);
  }
}

async function pauseForOutage(
  context: Context,
  pulse: Pulse,
  { failure, outage, attempt }: { failure: AppError; outage: Outage; attempt: number },
): Promise<void> {
  const message = publicMessage(failure);
  pulse.waitingFor = `${failure.code}: ${message}`;
  Object.assign(pulse, outage);
  context.log.warn('Waiting for a service that is away', {
    code: failure.code,
    message,
    since: pulse.since,
  });
  const pause = failure.details.retryAfterMs ?? Math.min(500 * 2 ** attempt, longestPauseMs);
  const left = outage.until === undefined ? Infinity : Date.parse(outage.until) - Date.now();
  await context.sleep(Math.max(0, Math.min(pause, left)));
  pulse.waitingFor = undefined;
}

function gaveUp(failure: AppError, outage: Outage): ApplicationFailure {
  return ApplicationFailure.create({
    type: failure.code,
    message: describeVainWait(failure, outage),
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
    nonRetryable: retry === 'never' || failure.details.isFinal === true,
    nextRetryDelay: failure.details.retryAfterMs,
    cause: failure.cause instanceof Error ? failure.cause : undefined,
  });
}

import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { type AppError, asAppError, errorCatalogue } from '../model/errors';

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
}

/** Says what the work waits for; undefined once it waits no more. */
type TellOutage = (waitingFor: string | undefined) => Promise<unknown>;

/**
 * Runs the work of an activity: heartbeats from a timer, so that cancellation arrives within a second; waits for services
 * that are away instead of failing (the work is repeated, so it must give the same twice); turns errors into failures that
 * say by code whether Temporal may try again.
 */
export async function conduct<Result>(
  work: (signal: AbortSignal, pulse: Pulse) => Promise<Result>,
  { waitForOutages = true, onOutage }: { waitForOutages?: boolean; onOutage?: TellOutage } = {},
): Promise<Result> {
  const context = Context.current();
  const tell = async (waitingFor: string | undefined) => {
    // A courtesy: what is away may be the very service that keeps it.
    await onOutage?.(waitingFor).catch(() => undefined);
  };
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
        if (!waitForOutages || errorCatalogue[failure.code].retry !== 'outage') throw failure;
        await tell(`${failure.code}: ${failure.message}`);
        await pauseForOutage(context, pulse, failure, attempt);
      }
    }
  } catch (error) {
    throw toFailure(error);
  } finally {
    clearInterval(timer);
  }
}

async function pauseForOutage(context: Context, pulse: Pulse, failure: AppError, attempt: number): Promise<void> {
  pulse.waitingFor = `${failure.code}: ${failure.message}`;
  pulse.since ??= new Date().toISOString();
  context.log.warn('Waiting for a service that is away', {
    code: failure.code,
    message: failure.message,
    since: pulse.since,
  });
  await context.sleep(failure.details.retryAfterMs ?? Math.min(500 * 2 ** attempt, longestPauseMs));
  pulse.waitingFor = undefined;
}

function toFailure(error: unknown): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  const failure = asAppError(error);
  const { retry } = errorCatalogue[failure.code];
  return ApplicationFailure.create({
    type: failure.code,
    message: failure.message,
    nonRetryable: retry === 'never',
    nextRetryDelay: failure.details.retryAfterMs,
    cause: failure.cause instanceof Error ? failure.cause : undefined,
  });
}

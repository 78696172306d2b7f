import type { AppError } from '../model/errors';

/** When an outage began and when it must end. Times are ISO 8601. `until` is absent when there is no limit. */
export interface Outage {
  since: string;
  until?: string;
}

/** Tracks the outages of one activity over its attempts. */
export interface OutageWatch {
  /**
   * Returns the outage that this failure belongs to; `isOver` when its time limit has passed. `done` is the number of rows done
   * before the failure.
   */
  note(done: number): Outage & { isOver: boolean };
}

/**
 * An outage lasts until more rows are done than before it. `earlier` is the start of the outage in which an earlier attempt of
 * the activity, perhaps in another process, was waiting.
 */
export function createOutageWatch({
  now,
  tick = now,
  waitMs,
  earlier,
}: {
  now: () => number;
  /** A clock that is never set. Waits are measured with it. */
  tick?: () => number;
  waitMs?: number;
  earlier?: string;
}): OutageWatch {
  const restored = Date.parse(earlier ?? '');
  let since = Number.isNaN(restored) ? undefined : restored;
  let began = tick() - (since === undefined ? 0 : Math.max(0, now() - since));
  let mostDone = since === undefined ? -1 : 0;
  return {
    note(done) {
      if (since === undefined || done > mostDone) {
        since = now();
        began = tick();
      }
      mostDone = Math.max(mostDone, done);
      const leftMs = waitMs === undefined ? undefined : began + waitMs - tick();
      return {
        since: new Date(since).toISOString(),
        ...(leftMs === undefined ? {} : { until: new Date(now() + leftMs).toISOString() }),
        isOver: leftMs !== undefined && leftMs <= 0,
      };
    },
  };
}

/** Reports an outage, or without arguments that it is over. */
export type ReportOutage = (failure?: AppError, outage?: Outage) => Promise<unknown>;

/** Sends the reports of the outages of one activity, one after the other. */
export interface OutageReports {
  begin(done: number, failure: AppError, outage: Outage): Promise<unknown>;
  /** True if an outage is reported although more rows are done than when it began. */
  isOutdated(done: number): boolean;
  /** Reports that the outage is over; does nothing if none is reported. */
  end(): Promise<unknown>;
}

/** `wasReported`: an earlier attempt of the activity, whose process may have died, reported an outage. */
export function createOutageReports(send: ReportOutage | undefined, wasReported: boolean): OutageReports {
  let isReported = wasReported;
  let doneBefore = 0;
  let lastReport: Promise<unknown> = Promise.resolve();
  const report: ReportOutage = (failure, outage) => {
    isReported = failure !== undefined;
    // Best effort: the unavailable service may be the one that stores the report.
    lastReport = lastReport.then(() => send?.(failure, outage)).catch(() => undefined);
    return lastReport;
  };
  return {
    begin(done, failure, outage) {
      doneBefore = Math.max(doneBefore, done);
      return report(failure, outage);
    },
    isOutdated: (done) => isReported && done > doneBefore,
    end: async () => (isReported ? report() : undefined),
  };
}

/** Message of a run whose wait for a service timed out. */
export function describeWaitTimeout({ message }: AppError, { since, until }: Outage): string {
  return `${message} The run waited for the service from ${since} to ${until ?? ''}, the longest time that DOCLOOM_WAIT_HOURS allows.`;
}

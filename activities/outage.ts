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
 * An outage lasts until the work gets further than before it. `earlier` is the start of the outage in which an earlier attempt of
 * the activity, perhaps in another process, was waiting.
 */
export function createOutageWatch({
  now,
  waitMs,
  earlier,
}: {
  now: () => number;
  waitMs?: number;
  earlier?: string;
}): OutageWatch {
  const restored = Date.parse(earlier ?? '');
  let since = Number.isNaN(restored) ? undefined : restored;
  let furthest = since === undefined ? -1 : 0;
  return {
    note(done) {
      if (since === undefined || done > furthest) since = now();
      furthest = Math.max(furthest, done);
      const end = waitMs === undefined ? undefined : since + waitMs;
      return {
        since: new Date(since).toISOString(),
        ...(end === undefined ? {} : { until: new Date(end).toISOString() }),
        isOver: end !== undefined && now() >= end,
      };
    },
  };
}

/** Message of a run whose wait for a service timed out. */
export function describeWaitTimeout({ message }: AppError, { since, until }: Outage): string {
  return `${message} The run waited from ${since} to ${until ?? ''} (DOCLOOM_WAIT_HOURS) for this to heal.`;
}

import type { AppError } from '../model/errors';

/** How long an outage has lasted and may last; times are ISO 8601. `until` is absent where it may last for ever. */
export interface Outage {
  since: string;
  until?: string;
}

/** Follows the outages of one activity, attempt by attempt. */
export interface OutageWatch {
  /** The outage that this failure belongs to; `isOver` when its time has passed. `done` counts rows done before the failure. */
  note(done: number): Outage & { isOver: boolean };
}

/**
 * An outage lasts until the work gets further than before it. `earlier` is where the outage began that an earlier attempt of the
 * activity, perhaps in another process, was waiting in.
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

/** What a run says that waited in vain. */
export function describeVainWait({ message }: AppError, { since, until }: Outage): string {
  return `${message} The run waited from ${since} to ${until ?? ''} (DOCLOOM_WAIT_HOURS) for this to heal.`;
}

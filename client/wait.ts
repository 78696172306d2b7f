import { isFinal } from '../model/run/run';
import type { JobRunReply, RunEvent } from '../model/run/wire';
import { isRetryable, pause } from './retry';

/** How to wait for a run. */
export interface WaitOptions {
  /** Ends the wait; the run continues. */
  signal?: AbortSignal;
  /** Called with every change of the run. */
  onChange?: (event: RunEvent) => void;
}

/** Pauses before the stream of events is opened again after it was cut off. */
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000] as const;

/**
 * Resolves with the final state of the run. Follows its events, reconnects when the connection is lost, and rejects after five
 * failed attempts in a row.
 */
export async function waitForRun(
  run: { get: () => Promise<JobRunReply>; events: () => AsyncGenerator<RunEvent, void, void> },
  { signal, onChange }: WaitOptions,
): Promise<JobRunReply> {
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const event of run.events()) {
        failures = 0;
        onChange?.(event);
      }
      signal?.throwIfAborted();
      const reply = await run.get();
      if (isFinal(reply.status)) return reply;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isRetryable(error) || failures >= pausesMs.length) throw error;
    }
    await pause(pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0, signal);
  }
}

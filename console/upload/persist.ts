import { ApiError } from '../../client/api-error';
import { isRetryable, pause } from '../../client/retry';

/** What an upload that fails for a time needs to go on. */
interface Persistence {
  /** Rejects if the server cannot be reached. */
  askServer: () => Promise<unknown>;
  /** Called with the error when the upload has to wait, and with nothing when it goes on or is given up. */
  onWait: (error?: unknown) => void;
  /** Between two attempts to reach the server. */
  pauseMs: number;
}

/** So often may an upload fail although the server can be reached, for example because a proxy ends requests with large files. */
const maxFailures = 5;
/** Too many requests, and service unavailable: the server itself asks to wait. */
const waitStatuses: readonly number[] = [429, 503];

/**
 * Sends until it succeeds. Waits without a limit while the server cannot be reached or asks to wait; throws the error of a
 * refusal, and that of the fifth failure while the server could be reached.
 */
export async function persist(send: () => Promise<void>, { askServer, onWait, pauseMs }: Persistence): Promise<void> {
  let failures = 0;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      onWait(error);
      const wasAway = await waitForServer(askServer, pauseMs);
      onWait();
      if (!wasAway && !asksToWait(error)) failures += 1;
      if (failures >= maxFailures) throw error;
    }
  }
}

/** Returns true if the server did not answer at first. */
async function waitForServer(askServer: Persistence['askServer'], pauseMs: number): Promise<boolean> {
  for (let wasAway = false; ; wasAway = true) {
    await pause(pauseMs);
    try {
      await askServer();
      return wasAway;
    } catch (error) {
      // A refusal ends the wait, too: the next upload shows what is wrong.
      if (!isRetryable(error)) return wasAway;
    }
  }
}

function asksToWait(error: unknown): boolean {
  return error instanceof ApiError && waitStatuses.includes(error.status);
}

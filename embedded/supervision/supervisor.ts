import { setTimeout as delay } from 'node:timers/promises';
import type { ServerProcess } from '../server-process';

/** A supervised process. */
export interface Part {
  name: string;
  /** For messages, as in `API`. */
  title: string;
  /** The latest process; it may have ended. */
  process: ServerProcess;
  /** Exit code that means a restart cannot help, such as wrong settings. */
  hopelessCode?: number;
  /** Asks the process itself, without the api. */
  answers?: () => Promise<boolean>;
  /** How long the process may not answer before it is ended; without it, the limit for servers applies. */
  maxSilenceMs?: number;
  /** Set while the supervisor starts the process again. */
  isStarting?: boolean;
  /** Restarts the process on the same ports, sets `process` immediately and resolves when it is ready. */
  start(): Promise<void>;
}

/** Reports a process that is no longer restarted. */
export interface GivenUp {
  title: string;
  /** The reason, and where to find more. */
  reason: string;
}

/** Restarts processes until `stop` is called. */
export interface Supervisor {
  /** Resolves when a process has ended too often; never after `stop`. */
  givenUp: Promise<GivenUp>;
  /** Number of restarts per process, by name. */
  restarts(): Record<string, number>;
  /** Stops restarting processes. Running processes are not ended. */
  stop(): void;
}

/** Limits and delays of a supervisor. */
export interface Patience {
  /** Maximum number of exits within the window before the process is given up. */
  maxExits: number;
  windowMs: number;
  /** Delay before the first restart. Doubles with each exit within the window, up to `longestPauseMs`. */
  firstPauseMs: number;
  longestPauseMs: number;
}

const defaultPatience: Patience = { maxExits: 6, windowMs: 600_000, firstPauseMs: 1_000, longestPauseMs: 30_000 };

interface SupervisorOptions {
  log: (line: string) => void;
  /** Called whenever a process is ready again. */
  onChange?: () => void;
  patience?: Patience;
  /** While it returns true, nothing is started: a process that ends on a full disk is not to blame, and is not given up. */
  isDiskFull?: () => boolean;
}

/** Restarts processes that end, with an increasing delay, and logs it. */
export function supervise(
  parts: readonly Part[],
  { log, onChange = () => undefined, patience = defaultPatience, isDiskFull = () => false }: SupervisorOptions,
): Supervisor {
  const stopping = new AbortController();
  const restarts: Record<string, number> = {};
  const pause = (ms: number) => delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  /** Starts the process again. A start that fails ends the process, and `watch` handles that like any other end. */
  const restart = async (part: Part): Promise<void> => {
    const began = performance.now();
    part.isStarting = true;
    try {
      await part.start();
      restarts[part.name] = (restarts[part.name] ?? 0) + 1;
      log(
        `${part.title} runs again (process ${part.process.pid}, ${((performance.now() - began) / 1000).toFixed(1)} s)`,
      );
      onChange();
    } catch (error) {
      if (stopping.signal.aborted) return;
      log(`${part.title} did not start again: ${error instanceof Error ? error.message : String(error)}`);
      // Ends a process that hangs; `watch` then waits for its exit.
      await part.process.stop();
    } finally {
      part.isStarting = false;
    }
  };
  const watch = async (part: Part): Promise<GivenUp> => {
    let ends: number[] = [];
    for (;;) {
      const { code, signal } = await part.process.exited;
      if (stopping.signal.aborted) return waitForever();
      ends = [...ends.filter((at) => performance.now() - at < patience.windowMs), performance.now()];
      const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      if (code !== null && code === part.hopelessCode)
        return {
          title: part.title,
          reason: `it ${how}, so that a new start would not help; the log is ${part.process.logFile}`,
        };
      if (isDiskFull()) {
        ends = [];
        log(`${part.title} ${how}; it starts again when the disk of the data folder is no longer full`);
        while (isDiskFull() && !stopping.signal.aborted) await pause(patience.firstPauseMs);
      } else {
        if (ends.length >= patience.maxExits) return { title: part.title, reason: describeEnd(part, ends, how) };
        const pauseMs = Math.min(patience.firstPauseMs * 2 ** (ends.length - 1), patience.longestPauseMs);
        log(`${part.title} ${how}; it starts again in ${(pauseMs / 1000).toFixed(0)} s (log: ${part.process.logFile})`);
        await pause(pauseMs);
      }
      if (stopping.signal.aborted) return waitForever();
      await restart(part);
    }
  };
  return {
    givenUp: Promise.race([waitForever<GivenUp>(), ...parts.map(watch)]),
    restarts: () => ({ ...restarts }),
    stop: () => stopping.abort(),
  };
}

function describeEnd(part: Part, ends: readonly number[], how: string): string {
  const minutes = Math.max(1, Math.ceil((performance.now() - (ends[0] ?? 0)) / 60_000));
  return `it ended ${ends.length} times within ${minutes} min, the last time it ${how}; the log is ${part.process.logFile}`;
}

function waitForever<T>(): Promise<T> {
  return new Promise(() => undefined);
}

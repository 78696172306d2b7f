import { setTimeout as delay } from 'node:timers/promises';
import type { ServerProcess } from '../server-process';

/** A process that is kept running. */
export interface Part {
  name: string;
  /** For people, as in `API`. */
  title: string;
  /** The latest one; it may have ended. */
  process: ServerProcess;
  /** The exit code with which it says that no new start can help, such as wrong settings; none where absent. */
  hopelessCode?: number;
  /** Starts it again on the same ports, sets `process` at once and resolves when it is ready. */
  start(): Promise<void>;
}

/** When a part was given up. */
export interface GivenUp {
  title: string;
  /** Why, and where to read on. */
  reason: string;
}

/** Keeps parts running until `stop`. */
export interface Supervisor {
  /** Resolves when a part ended too often; never after `stop`. */
  givenUp: Promise<GivenUp>;
  /** How often each part was started again, by name. */
  restarts(): Record<string, number>;
  /** From now on no part is started again; those that run are not ended. */
  stop(): void;
}

/** How patient a supervisor is. */
export interface Patience {
  /** Ends within the window after which a part is given up. */
  mostEnds: number;
  windowMs: number;
  /** Pause before the first new start; it doubles with each end within the window, up to `longestPauseMs`. */
  firstPauseMs: number;
  longestPauseMs: number;
}

const usualPatience: Patience = { mostEnds: 6, windowMs: 600_000, firstPauseMs: 1_000, longestPauseMs: 30_000 };

/** Starts parts again when they end, after a pause that grows, and says so; `onChange` is called once a part is ready again. */
export function supervise(
  parts: readonly Part[],
  {
    log,
    onChange = () => undefined,
    patience = usualPatience,
  }: { log: (line: string) => void; onChange?: () => void; patience?: Patience },
): Supervisor {
  const stopping = new AbortController();
  const restarts: Record<string, number> = {};
  const watch = async (part: Part): Promise<GivenUp> => {
    let ends: number[] = [];
    for (;;) {
      const { code, signal } = await part.process.exited;
      if (stopping.signal.aborted) return never();
      ends = [...ends.filter((at) => Date.now() - at < patience.windowMs), Date.now()];
      const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      if (code !== null && code === part.hopelessCode)
        return {
          title: part.title,
          reason: `it ${how}, so that a new start would not help; the log is ${part.process.logFile}`,
        };
      if (ends.length >= patience.mostEnds) return { title: part.title, reason: reasonOf(part, ends, how) };
      const pauseMs = Math.min(patience.firstPauseMs * 2 ** (ends.length - 1), patience.longestPauseMs);
      log(`${part.title} ${how}; it starts again in ${(pauseMs / 1000).toFixed(0)} s (log: ${part.process.logFile})`);
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return never();
      const began = Date.now();
      try {
        await part.start();
        restarts[part.name] = (restarts[part.name] ?? 0) + 1;
        log(`${part.title} runs again (process ${part.process.pid}, ${((Date.now() - began) / 1000).toFixed(1)} s)`);
        onChange();
      } catch (error) {
        if (stopping.signal.aborted) return never();
        log(`${part.title} did not start again: ${error instanceof Error ? error.message : String(error)}`);
        // One that hangs is ended, which is what the next turn waits for.
        await part.process.stop();
      }
    }
  };
  return {
    givenUp: Promise.race([never<GivenUp>(), ...parts.map(watch)]),
    restarts: () => ({ ...restarts }),
    stop: () => stopping.abort(),
  };
}

function reasonOf(part: Part, ends: readonly number[], how: string): string {
  const minutes = Math.max(1, Math.ceil((Date.now() - (ends[0] ?? 0)) / 60_000));
  return `it ended ${ends.length} times within ${minutes} min, the last time it ${how}; the log is ${part.process.logFile}`;
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

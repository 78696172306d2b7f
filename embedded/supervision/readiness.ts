import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from './supervisor';

/** Why parts do not answer, by name: `mongo`, `temporal`, `search`, `api`. Empty while all of them answer. */
export type Missing = Readonly<Record<string, string>>;

/** Limits of the watch. */
export interface WatchPatience {
  everyMs: number;
  /** How long a part may be silent before the silence is reported. */
  reportAfterMs: number;
  /** How long a part may be silent before its process is ended, so that the supervisor starts it again. */
  endAfterMs: number;
}

const defaultPatience: WatchPatience = { everyMs: 5_000, reportAfterMs: 20_000, endAfterMs: 300_000 };

/**
 * Reports parts that run but do not answer, and those that answer again. Ends the process of a part that stays silent. Servers
 * that were not started here are only reported. Runs until the signal aborts.
 */
export async function watchReadiness(
  parts: readonly Part[],
  {
    ask,
    log,
    signal,
    patience = defaultPatience,
  }: {
    ask: () => Promise<Missing>;
    log: (line: string) => void;
    signal: AbortSignal;
    patience?: WatchPatience;
  },
): Promise<void> {
  const silences = new Map<string, { since: number; isReported: boolean }>();
  const findTitle = (name: string) => parts.find((part) => part.name === name)?.title ?? name;
  for (;;) {
    await delay(patience.everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const missing = await ask();
    for (const [name, { since, isReported }] of silences) {
      if (name in missing) continue;
      silences.delete(name);
      if (isReported) log(`${findTitle(name)} answers again, after ${formatSeconds(Date.now() - since)}`);
    }
    for (const [name, reason] of Object.entries(missing)) {
      const silence = silences.get(name) ?? { since: Date.now(), isReported: false };
      silences.set(name, silence);
      const silentMs = Date.now() - silence.since;
      if (silentMs >= patience.reportAfterMs && !silence.isReported) {
        silence.isReported = true;
        log(`${findTitle(name)} has not answered for ${formatSeconds(silentMs)}: ${reason}`);
      }
      const part = parts.find((candidate) => candidate.name === name);
      if (silentMs < patience.endAfterMs || !part || part.process.hasExited()) continue;
      log(
        `${part.title} (process ${part.process.pid}) has been silent for ${formatSeconds(silentMs)}; it is stopped and started again`,
      );
      silences.delete(name);
      await part.process.stop();
    }
  }
}

/** Asks the api which servers it misses. An api that does not answer is itself missing. */
export async function askApi(address: string, timeoutMs = 10_000): Promise<Missing> {
  try {
    const response = await fetch(`${address}/ready`, { signal: AbortSignal.timeout(timeoutMs) });
    const { checks = {} } = (await response.json()) as { checks?: Record<string, { ok: boolean; reason?: string }> };
    return Object.fromEntries(
      Object.entries(checks).flatMap(([name, { ok, reason }]) => (ok ? [] : [[name, reason ?? 'no reason given']])),
    );
  } catch (error) {
    return { api: `${address}/ready: ${(error as Error).message}` };
  }
}

function formatSeconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

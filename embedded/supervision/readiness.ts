import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from './supervisor';

/** Why parts do not answer, by name: `mongo`, `temporal`, `search`, `api`, `worker`. Empty while all of them answer. */
export type Missing = Readonly<Record<string, string>>;

/** Limits of the watch. */
export interface WatchPatience {
  everyMs: number;
  /** How long a part may be silent before the silence is reported. */
  reportAfterMs: number;
  /**
   * How long a part may be silent before its process is ended, so that the supervisor starts it again. `maxSilenceMs` of the part
   * takes precedence.
   */
  endAfterMs: number;
}

const defaultPatience: WatchPatience = { everyMs: 5_000, reportAfterMs: 20_000, endAfterMs: 300_000 };
/** If a pause takes this much longer than planned, this process or the machine was suspended, and all silences start over. */
const maxLateMs = 10_000;

interface Silence {
  since: number;
  isReported: boolean;
}

/**
 * Reports parts that run but do not answer, and those that answer again. Ends the process of a part that stays silent, unless it
 * is starting. Servers that were not started here are only reported. Runs until the signal aborts.
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
  const silences = new Map<string, Silence>();
  for (;;) {
    const asleepAt = performance.now();
    await delay(patience.everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    if (performance.now() - asleepAt > patience.everyMs + maxLateMs) silences.clear();
    const askedAt = performance.now();
    const missing = await ask();
    if (signal.aborted) return;
    const find = (name: string) => parts.find((part) => part.name === name);
    reportAnswers(silences, missing, (name, silentMs) =>
      log(`${find(name)?.title ?? name} answers again, after ${formatSeconds(silentMs)}`),
    );
    for (const [name, reason] of Object.entries(missing)) {
      const part = find(name);
      // The supervisor reports ends and starts, and limits the time that a start takes.
      if (part && (part.isStarting || part.process.hasExited())) {
        silences.delete(name);
        continue;
      }
      const silence = silences.get(name) ?? { since: askedAt, isReported: false };
      silences.set(name, silence);
      if (await handleSilence({ name, part, reason, silence }, { patience, log })) silences.delete(name);
    }
  }
}

/** Reports a silence that lasts, and ends the process of a part that is silent for too long. True if it ended the process. */
async function handleSilence(
  { name, part, reason, silence }: { name: string; part: Part | undefined; reason: string; silence: Silence },
  { patience, log }: { patience: WatchPatience; log: (line: string) => void },
): Promise<boolean> {
  const silentMs = performance.now() - silence.since;
  const isReportDue = silentMs >= patience.reportAfterMs && !silence.isReported;
  const isEndDue = part !== undefined && silentMs >= (part.maxSilenceMs ?? patience.endAfterMs);
  if (!isReportDue && !isEndDue) return false;
  const seconds = formatSeconds(silentMs);
  // An api with too much to do gets no answers in time, although its servers answer others.
  const answersDirectly = await part?.answers?.();
  silence.isReported = true;
  if (part && answersDirectly) {
    log(
      `The api has had no answer from ${part.title} for ${seconds}: ${reason}. ${part.title} answers when asked directly`,
    );
    if (isEndDue) silence.since = performance.now();
    return false;
  }
  if (isReportDue) log(`${part?.title ?? name} has not answered for ${seconds}: ${reason}`);
  if (!part || !isEndDue) return false;
  log(`${part.title} (process ${part.process.pid}) has not answered for ${seconds}; it is stopped and started again`);
  await part.process.stop();
  return true;
}

/** Ends the silences of parts that answered. While the api is silent, nothing is known of the servers that it reports on. */
function reportAnswers(
  silences: Map<string, Silence>,
  missing: Missing,
  report: (name: string, silentMs: number) => void,
): void {
  for (const [name, { since, isReported }] of silences) {
    const isKnown = !('api' in missing) || name === 'api' || name === 'worker';
    if (name in missing || !isKnown) continue;
    silences.delete(name);
    if (isReported) report(name, performance.now() - since);
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
    return { api: describeSilence(`${address}/ready`, error, timeoutMs) };
  }
}

/** Asks whether the worker's event loop runs; what it misses is not asked. */
export async function askWorker(address: string, timeoutMs = 10_000): Promise<Missing> {
  try {
    const response = await fetch(`${address}/health`, { signal: AbortSignal.timeout(timeoutMs) });
    await response.arrayBuffer();
    return {};
  } catch (error) {
    return { worker: describeSilence(`${address}/health`, error, timeoutMs) };
  }
}

function describeSilence(address: string, error: unknown, timeoutMs: number): string {
  const { name, message, cause } = error as Error & { cause?: Error };
  if (name === 'TimeoutError') return `no answer from ${address} within ${formatSeconds(timeoutMs)}`;
  return `${address}: ${cause?.message ?? message}`;
}

function formatSeconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

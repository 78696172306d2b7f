/** Checks that resolve when a server can be reached, by the name used in reports. */
export type Probes = Readonly<Record<string, () => Promise<void>>>;

/** The result of one check. `reason` is set when the server cannot be reached. */
export interface ProbeResult {
  ok: boolean;
  reason?: string;
  ms: number;
}

/** Runs all checks in parallel. A check that rejects, or takes longer than `timeoutMs`, is not ok. */
export async function checkProbes(
  probes: Probes,
  timeoutMs: number,
): Promise<{ isReady: boolean; checks: Record<string, ProbeResult> }> {
  const checks = await Promise.all(
    Object.entries(probes).map(async ([name, probe]) => [name, await check(probe, timeoutMs)] as const),
  );
  return { isReady: checks.every(([, { ok }]) => ok), checks: Object.fromEntries(checks) };
}

async function check(probe: () => Promise<void>, timeoutMs: number): Promise<ProbeResult> {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${timeoutMs} ms`), timeoutMs);
  });
  const answer = probe().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const reason = await Promise.race([answer, late]);
  clearTimeout(timer);
  const ms = Math.round(performance.now() - started);
  return reason === undefined ? { ok: true, ms } : { ok: false, reason, ms };
}

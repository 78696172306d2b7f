import { setTimeout as delay } from 'node:timers/promises';
import { buildChunkFlow } from '../support/chunk-flow';
import { createCaller, load, quantile, RefusedError } from '../support/http-load';
import type { Target } from '../support/targets';
import { createUserClient, issueToken, type ScaleBench, writeSmallFiles } from './scale-bench';

const callsEach = 10;
/** Documents of the run that is followed. */
const followed = 2_000;

/** Reads by many callers at a time, each with a token of their own, beside many streams of events of one run. */
export async function measureCallers(bench: ScaleBench): Promise<Target[]> {
  const { stack, say } = bench;
  const [callers, streams] = [bench.size('callers'), bench.size('streams')];
  const owner = createUserClient(bench, 'scale-owner');
  const folder = await writeSmallFiles(bench, 'scale-followed', followed);
  const flow = await owner.flows.create(buildChunkFlow(`scale-followed-${Date.now()}`, folder));
  const { job_run_id: runId } = await owner.jobRuns.create({ flow_id: flow.flow_id });
  const ends = Array.from({ length: streams }, () => follow(bench, runId));
  const caller = createCaller(stack.info.apiAddress, { connections: callers });
  const tokens = Array.from({ length: callers }, (_, index) => issueToken(bench, `scale-caller-${index}`));
  let failed = 0;
  let refused = 0;
  const errors = new Set<string>();
  const from = performance.now();
  const byPath = new Map<string, number[]>();
  const times = await load({ times: callers * callsEach, callers }, async (turn) => {
    const call = calls[turn % calls.length] ?? calls[0];
    const sent = callPatiently(
      () => caller.call(call.method, call.path, call.body, tokens[turn % callers]),
      () => {
        refused += 1;
      },
    ).catch((error: unknown) => {
      failed += 1;
      // Without the id of the trace, which differs each time.
      errors.add(
        String(error)
          .replace(/,"trace".*/, '')
          .slice(0, 200),
      );
      return Number.NaN;
    });
    const time = await sent;
    const kind = `${turn < callers ? 'first ' : ''}${call.method} ${call.path}`;
    byPath.set(kind, [...(byPath.get(kind) ?? []), time]);
    return time;
  });
  const seconds = (performance.now() - from) / 1_000;
  caller.close();
  const found = await Promise.all(ends);
  const { ended_at: endedAt } = await owner.jobRuns.get(runId);
  const answered = times.filter((time) => !Number.isNaN(time));
  say('');
  say(
    `callers: ${callers} at a time, ${answered.length} calls in ${seconds.toFixed(1)} s (${(answered.length / seconds).toFixed(0)} a second), p50 ${quantile(answered, 0.5).toFixed(0)} ms, p99 ${quantile(answered, 0.99).toFixed(0)} ms, ${refused} refused and repeated, ${failed} failed${[...errors].map((error) => `\n  ${error}`).join('')}`,
  );
  for (const [kind, list] of [...byPath].toSorted(([one], [other]) => one.localeCompare(other)))
    say(`  ${kind}: p50 ${quantile(list, 0.5).toFixed(0)} ms, p99 ${quantile(list, 0.99).toFixed(0)} ms`);
  return [
    { name: 'failed calls', value: failed, atMost: 0, unit: '' },
    { name: 'p99 of a call', value: quantile(answered, 0.99) / 1_000, atMost: 5, unit: ' s' },
    ...judgeStreams(found, endedAt ?? '', say),
  ];
}

/** The targets of the streams of a run that ended then. */
function judgeStreams(
  found: readonly { status: string; at: number }[],
  endedAt: string,
  say: (line: string) => void,
): Target[] {
  const last = Math.max(...found.map(({ at }) => at));
  const apartMs = last - Math.min(...found.map(({ at }) => at));
  const lateMs = performance.timeOrigin + last - Date.parse(endedAt);
  const complete = found.filter(({ status }) => status === 'COMPLETED').length;
  say(
    `streams: ${complete} of ${found.length} received the end of the run, within ${(apartMs / 1_000).toFixed(2)} s of each other, the last one after ${(lateMs / 1_000).toFixed(2)} s`,
  );
  return [
    { name: 'streams without the end of the run', value: found.length - complete, atMost: 0, unit: '' },
    { name: 'time until the last stream has received the end', value: lateMs / 1_000, atMost: 2, unit: ' s' },
  ];
}

/** Repeats a call that the server refuses for now, after the time that it names. Returns the milliseconds of all attempts together. */
async function callPatiently(call: () => Promise<number>, onRefused: () => void): Promise<number> {
  const from = performance.now();
  for (;;) {
    try {
      await call();
      return performance.now() - from;
    } catch (error) {
      if (!(error instanceof RefusedError) || error.retryAfterMs === undefined) throw error;
      onRefused();
      await delay(error.retryAfterMs);
    }
  }
}

const calls = [
  { method: 'GET', path: '/api/v1/flows?limit=20', body: undefined },
  { method: 'GET', path: '/api/v1/job_runs?limit=20', body: undefined },
  { method: 'POST', path: '/api/v1/documents/search', body: { query: 'annual report' } },
  { method: 'GET', path: '/auth/me', body: undefined },
] as const;

async function follow(bench: ScaleBench, runId: string): Promise<{ status: string; at: number }> {
  let status = '';
  for await (const event of createUserClient(bench, 'scale-owner').jobRuns.events(runId)) status = event.status;
  return { status, at: performance.now() };
}

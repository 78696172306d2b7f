import { setTimeout as delay } from 'node:timers/promises';
import { createTokens } from '../../services/login/tokens';
import { print } from '../support/command';
import { createCaller, quantile, RefusedError } from '../support/http-load';
import { createRandom } from '../support/random';
import type { Target } from '../support/targets';
import { readers } from './fill';
import { type Place, searchPath } from './times';

/** Enough to keep the engine busy. */
const usualCallers = 16;
const measuredSeconds = 20;
/** The first seconds do not count: the processes warm up, and the queues fill. */
const warmUpSeconds = 10;
const words = ['annual', 'report', 'committee', 'budget', 'harbour', 'machine', 'contract', 'survey'];

interface Outcome {
  answersPerSecond: number;
  answered: number[];
  refused: number[];
  failed: string[];
}

/** Hybrid searches by as many callers as keep the engine busy, and by many more. */
export async function measureOverload({ api, secret }: Place, callers: number): Promise<Target[]> {
  const usual = await search({ api, secret }, usualCallers);
  describe('usual', usualCallers, usual);
  const overloaded = await search({ api, secret }, callers);
  describe('overload', callers, overloaded);
  const longest = Math.max(...overloaded.answered, ...overloaded.refused);
  return [
    {
      name: `answers a second with ${callers} callers, to those with ${usualCallers}`,
      value: overloaded.answersPerSecond / usual.answersPerSecond,
      unit: ' times',
      atLeast: 0.9,
    },
    { name: 'searches that failed', value: overloaded.failed.length, unit: '', atMost: 0 },
    { name: 'longest search or refusal', value: longest / 1_000, unit: ' s', atMost: 10 },
  ];
}

async function search({ api, secret }: Pick<Place, 'api' | 'secret'>, callers: number): Promise<Outcome> {
  const tokens = createTokens({ secret, expireMinutes: 60 });
  const caller = createCaller(api, { connections: callers });
  const outcome: Outcome = { answersPerSecond: 0, answered: [], refused: [], failed: [] };
  const from = performance.now();
  const startsAt = from + warmUpSeconds * 1_000;
  const endsAt = startsAt + measuredSeconds * 1_000;
  const keepSearching = async (number: number) => {
    const random = createRandom(number);
    const token = tokens.issue({ username: readers.usual(random), email: '', full_name: '', groups: [] });
    const pick = () => words[random.integer(0, words.length - 1)];
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      const body = { query: `${pick()} ${pick()} ${random.integer(1, 1_000)}`, mode: 'hybrid' };
      const error = await caller.call('POST', searchPath, body, token).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const isMeasured = performance.now() >= startsAt && performance.now() < endsAt;
      const wait = error instanceof RefusedError ? error.retryAfterMs : undefined;
      if (isMeasured && error === undefined) outcome.answered.push(performance.now() - sentAt);
      else if (isMeasured && wait !== undefined) outcome.refused.push(performance.now() - sentAt);
      else if (error !== undefined && wait === undefined)
        outcome.failed.push(error instanceof Error ? error.message : 'unknown');
      if (wait !== undefined) await delay(Math.min(wait, endsAt - performance.now()));
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, number) => keepSearching(number)));
  caller.close();
  return { ...outcome, answersPerSecond: outcome.answered.length / measuredSeconds };
}

function describe(name: string, callers: number, { answersPerSecond, answered, refused, failed }: Outcome): void {
  const times = (list: readonly number[]) =>
    list.length === 0 ? '' : ` (p50 ${quantile(list, 0.5).toFixed(0)} ms, p99 ${quantile(list, 0.99).toFixed(0)} ms)`;
  print(
    `${name}: ${callers} callers, ${answersPerSecond.toFixed(0)} answers a second${times(answered)}, ${refused.length} refused${times(refused)}, ${failed.length} failed${failed.length > 0 ? `: ${failed[0]?.slice(0, 300)}` : ''}`,
  );
}

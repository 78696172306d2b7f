import { AppError } from '../../model/errors';
import type { RunRecord } from '../../services/run/run-record';
import { follow } from './follow';
import type { ProgressView } from './progress';

const run = {
  job_run_id: 'r1',
  status: 'RUNNING',
  created_at: new Date().toISOString(),
  snapshot: { flow: { flow: [] }, plan: { sources: [] } },
};

/** Follows a run whose record is what `answers` return, one for each poll. */
async function followWith(answers: (() => Partial<RunRecord>)[], engine: string | (() => string) = 'RUNNING') {
  const said: string[] = [];
  const released: string[] = [];
  const view: ProgressView = { update: () => undefined, say: (line) => void said.push(line), stop: () => undefined };
  const record = run as unknown as RunRecord;
  const ended = await follow(record, {
    runs: {
      readStatus: async () => (typeof engine === 'string' ? engine : engine()),
      cancel: async () => undefined,
    } as never,
    runsStore: {
      get: async () => ({ ...record, ...answers.shift()?.() }),
      update: async (_id, change) => ({ ...record, ...change }),
      releaseJob: async (_jobId, runId) => void released.push(runId),
      readOperatorStats: async () => [],
    },
    view,
    page: 'http://ui/r1',
    quiet: false,
  });
  return { ended, said, released };
}

const fail = (code: 'DATABASE_UNAVAILABLE' | 'JOB_RUN_NOT_FOUND') => () => {
  throw new AppError(code, 'The database cannot be reached: connection timed out.');
};

test('an outage of the database is announced once, and the run is followed to its end', async () => {
  const { ended, said } = await followWith([
    fail('DATABASE_UNAVAILABLE'),
    fail('DATABASE_UNAVAILABLE'),
    () => ({ status: 'COMPLETED' }),
  ]);
  expect(ended.status).toBe('COMPLETED');
  expect(said).toEqual([
    'run r1: http://ui/r1',
    'The database cannot be reached: connection timed out (DATABASE_UNAVAILABLE). The run waits for it; Ctrl-C cancels the run.',
  ]);
});

test('an outage of Temporal is announced once, although the database answers in between', async () => {
  let asked = 0;
  const away = () => {
    asked += 1;
    throw new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'Temporal at localhost does not answer.');
  };
  let polls = 0;
  const answer = () => {
    polls += 1;
    return asked < 5 ? {} : { status: 'COMPLETED' as const };
  };
  const { said } = await followWith(
    Array.from({ length: 200 }, () => answer),
    away,
  );
  expect(said.slice(1)).toEqual([
    'Temporal at localhost does not answer (WORKFLOW_ENGINE_UNAVAILABLE). The run waits for it; Ctrl-C cancels the run.',
  ]);
  // Temporal is first asked after two seconds, and then at every poll.
  expect(polls - asked).toBeGreaterThan(asked);
});

test('the end of a short run is noticed at once', async () => {
  const started = performance.now();
  const running = Array.from({ length: 4 }, () => () => ({}));
  await followWith([...running, () => ({ status: 'COMPLETED' as const })]);
  // Four polls at the pace of a long run take a second.
  expect(performance.now() - started).toBeLessThan(800);
});

test('any other failure ends the command', async () => {
  await expect(followWith([fail('JOB_RUN_NOT_FOUND')])).rejects.toMatchObject({ code: 'JOB_RUN_NOT_FOUND' });
});

test('a run that ended in Temporal without a record becomes final, and releases its job', async () => {
  const { ended, released } = await followWith([], 'TERMINATED');
  expect(ended.status).toBe('CRASHED');
  expect(released).toEqual(['r1']);
});

import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { AppError } from '../model/errors';
import { type Pulse, runActivityWork } from './conduct';

/** What the work told about its waits: codes, and `over` at the end of one. */
async function conduct(
  work: (pulse: Pulse, attempt: number) => Promise<unknown>,
  heartbeatDetails?: Pulse,
  told: string[] = [],
): Promise<{ told: string[]; result: unknown }> {
  const context = {
    info: { heartbeatDetails, isLocal: false },
    cancellationSignal: new AbortController().signal,
    heartbeat: () => undefined,
    sleep: async () => undefined,
    log: { warn: () => undefined },
  } as unknown as Context;
  let attempt = 0;
  const result = await asyncLocalStorage
    .run(context, () =>
      runActivityWork((_signal, pulse) => work(pulse, (attempt += 1)), {
        onOutage: async (failure) => void told.push(failure?.code ?? 'over'),
      }),
    )
    .catch((error: unknown) => error);
  return { told, result };
}

const away = new AppError('SEARCH_CONNECTION_FAILED', 'OpenSearch is unreachable.');

test('work without a wait tells nothing', async () => {
  expect(await conduct(async () => 'done')).toEqual({ told: [], result: 'done' });
});

test('a wait is reported when it begins and again when the work is done', async () => {
  const { told, result } = await conduct(async (_pulse, attempt) => {
    if (attempt === 1) throw away;
    return 'done';
  });
  expect({ told, result }).toEqual({ told: ['SEARCH_CONNECTION_FAILED', 'over'], result: 'done' });
});

test('a wait is over as soon as the work gets further, not when it is done', async () => {
  const { told } = await conduct(async (pulse, attempt) => {
    if (attempt === 1) throw away;
    pulse.done = 1;
    // The next heartbeat sees the progress.
    while (pulse.waitingFor !== undefined) await new Promise((resolve) => void setImmediate(resolve));
    throw new AppError('DOCUMENT_CORRUPT', 'It is damaged.');
  });
  expect(told).toEqual(['SEARCH_CONNECTION_FAILED', 'over']);
});

test('an attempt that succeeds reports the end of a wait during which an earlier process died', async () => {
  const since = '2026-01-02T12:03:00.000Z';
  expect((await conduct(async () => 'done', { waitingFor: 'SEARCH_CONNECTION_FAILED: away', since })).told).toEqual([
    'over',
  ]);
});

test('the wait of an earlier attempt is over as soon as this one gets further', async () => {
  const told: string[] = [];
  await conduct(
    async (pulse) => {
      pulse.done = 1;
      while (told.length === 0) await new Promise((resolve) => void setImmediate(resolve));
    },
    { waitingFor: 'SEARCH_CONNECTION_FAILED: away', since: '2026-01-02T12:03:00.000Z' },
    told,
  );
  expect(told).toEqual(['over']);
});

test('a wait ends when the work fails for another reason', async () => {
  const { told, result } = await conduct(async (_pulse, attempt) => {
    throw attempt === 1 ? away : new AppError('DOCUMENT_CORRUPT', 'It is damaged.');
  });
  expect(told).toEqual(['SEARCH_CONNECTION_FAILED', 'over']);
  expect(result).toMatchObject({ type: 'DOCUMENT_CORRUPT' });
});

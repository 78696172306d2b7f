import { ApiError } from '../../client/api-error';
import { persist } from './persist';

const failWith = (status: number) => new ApiError('EXTERNAL_SERVICE_ERROR', status, `failed with ${status}`);

/** An upload that fails with these statuses in turn, then succeeds; the server does not answer the first `silent` checks. */
async function uploadAgainst(statuses: readonly number[], silent = 0) {
  const failures = [...statuses];
  let checks = 0;
  const waits: (string | undefined)[] = [];
  const send = async () => {
    const status = failures.shift();
    if (status !== undefined) throw failWith(status);
  };
  const askServer = async () => {
    checks += 1;
    if (checks <= silent) throw failWith(0);
  };
  const onWait = (error?: unknown) => void waits.push(error instanceof Error ? error.message : undefined);
  const outcome = await persist(send, { askServer, onWait, pauseMs: 0 }).catch((error: unknown) => error);
  return { outcome, left: failures.length, waits };
}

test('a file that a reachable server does not take is given up after five attempts, with the last reason', async () => {
  const { outcome, left, waits } = await uploadAgainst([0, 504, 0, 502, 504, 502, 502]);
  expect(outcome).toMatchObject({ status: 504 });
  expect(left).toBe(2);
  expect(waits.at(-1)).toBeUndefined();
});

test('four such failures are overcome, and the reason is shown while the file waits', async () => {
  const { outcome, waits } = await uploadAgainst([504, 504, 504, 0]);
  expect(outcome).toBeUndefined();
  expect(waits).toEqual([...['504', '504', '504', '0'].flatMap((status) => [`failed with ${status}`, undefined])]);
});

test('a server that is away or asks to wait is waited for without a limit', async () => {
  expect((await uploadAgainst([0, 0, 0, 0, 0], 3)).outcome).toBeUndefined();
  expect((await uploadAgainst(Array.from({ length: 20 }, (_, index) => (index % 2 ? 429 : 503)))).outcome).toBe(
    undefined,
  );
});

test('a refusal ends the upload at once', async () => {
  expect(await uploadAgainst([413, 0])).toMatchObject({ outcome: { status: 413 }, left: 1, waits: [] });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { withAttempts } from './attempts';
import type { ModelHost } from './host';

const host: ModelHost = {
  type: 'local_api',
  protocol: 'openai',
  base: new URL('http://127.0.0.1:1/v1'),
  isConfigured: true,
  modelId: 'small',
  timeoutMs: 200,
  maxRetries: 3,
  maxWaitMs: 1_000,
  maxConcurrent: 1,
  limits: {},
  prices: { input: 0, output: 0 },
};

/** A host that sends a piece from time to time. */
async function drip(signal: AbortSignal, noteAlive: () => void): Promise<never> {
  for (;;) {
    await sleep(10, undefined, { signal });
    noteAlive();
  }
}

test('an answer that goes on without end fails once, although its host responds all the time', async () => {
  let turns = 0;
  const takeTurn = async () => {
    turns += 1;
    return () => undefined;
  };
  const { signal } = new AbortController();
  await expect(
    withAttempts({ host, purpose: 'chat', signal, takeTurn, work: drip, longestMs: 600 }),
  ).rejects.toMatchObject({
    message: 'The model host http://127.0.0.1:1 did not finish its answer within 0.6 s.',
  });
  expect(turns).toBe(1);
});

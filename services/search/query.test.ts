import type { User } from '../../model/access';
import type { SearchConnection } from './connection';
import { createQueries } from './query';

const alice: User = { username: 'alice', email: '', full_name: '', groups: [] };

/** A server that answers nothing: each call ends with the deadline of its search. */
const silent: SearchConnection = {
  address: '127.0.0.1:9200',
  send: (_call, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    }),
  close: async () => {},
};
const queries = createQueries(silent, 'documents', () => {
  throw new Error('A search by words has no embedder.');
});

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a search that waits for what another one reads of the index gets the same error when the server does not answer', async () => {
  const ask = () => queries.search(alice, { query: 'walrus' }).catch((error: unknown) => error);
  const first = ask();
  await jest.advanceTimersByTimeAsync(4_000);
  const second = ask();
  await jest.advanceTimersByTimeAsync(5_000);
  for (const error of await Promise.all([first, second]))
    expect(error).toMatchObject({
      code: 'SEARCH_CONNECTION_FAILED',
      message: expect.stringContaining('did not answer within 9 s'),
    });
});

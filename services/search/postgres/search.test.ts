import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { User } from '../../../model/access';
import type { AppError } from '../../../model/errors';
import { createPostgresSearch } from './search';

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5, type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const loggedIn = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const anna: User = { username: 'anna', email: '', full_name: '', groups: [] };
/** The searches that run at a time. Two more connections are for other reads. */
const searches = 8;

/** A server that answers the login and then nothing. `count` is the number of transactions that began. */
async function startSilentServer() {
  let queries = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(loggedIn);
      socket.on('data', (bytes) => (queries += Number(bytes.includes('BEGIN'))));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const postgres = createPostgresSearch(`postgres://docloom@127.0.0.1:${port}/docloom`, () => ({}) as never);
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await postgres.close();
  };
  return { postgres, count: () => queries, stop };
}

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

test('a caller that left while it waited for its turn starts no query', async () => {
  const { postgres, count, stop } = await startSilentServer();
  const start = () => {
    const caller = new AbortController();
    const ended = postgres.search(anna, { query: 'q' }, caller.signal).catch(({ name }: Error) => name);
    return { leave: () => caller.abort(), ended };
  };
  const running = Array.from({ length: searches }, start);
  await until(() => count() === searches);
  const waiting = start();
  await new Promise((resolve) => setImmediate(resolve));
  waiting.leave();
  for (const { leave } of running) leave();
  expect(await Promise.all(running.map(({ ended }) => ended))).toEqual(running.map(() => 'AbortError'));
  // The waiting one gets a connection now.
  const next = start();
  await until(() => count() > searches);
  next.leave();
  expect([await waiting.ended, await next.ended]).toEqual(['AbortError', 'AbortError']);
  expect(count()).toBe(searches + 1);
  await stop();
}, 20_000);

test('while the server hangs, searches that wait are refused after five seconds, and other reads find a connection', async () => {
  const { postgres, count, stop } = await startSilentServer();
  const startedAt = performance.now();
  const search = async () => {
    const code = await postgres.search(anna, { query: 'q' }).catch((error: unknown) => (error as AppError).code);
    return { code, afterMs: performance.now() - startedAt };
  };
  const all = Array.from({ length: searches + 3 }, search);
  await until(() => count() === searches);
  const read = postgres.get(anna, 'x').catch(({ code }: AppError) => code);
  await until(() => count() === searches + 1);
  const refused = await Promise.all(all.slice(searches));
  expect(refused.map(({ code }) => code)).toEqual(['SEARCH_BUSY', 'SEARCH_BUSY', 'SEARCH_BUSY']);
  expect(Math.max(...refused.map(({ afterMs }) => afterMs))).toBeLessThan(8_000);
  await stop();
  await Promise.all([...all, read]);
}, 20_000);

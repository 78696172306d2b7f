import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { User } from '../../../model/access';
import { createPostgresSearch } from './search';

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5, type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const loggedIn = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const anna: User = { username: 'anna', email: '', full_name: '', groups: [] };
/** The connections of a search, which are limited. */
const connections = 10;

test('a caller that left while it waited for a connection starts no query', async () => {
  // Answers the login and then nothing.
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
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const start = () => {
    const caller = new AbortController();
    const ended = postgres.search(anna, { query: 'q' }, caller.signal).catch(({ name }: Error) => name);
    return { leave: () => caller.abort(), ended };
  };
  const running = Array.from({ length: connections }, start);
  await until(() => queries === connections);
  const waiting = start();
  await new Promise((resolve) => setImmediate(resolve));
  waiting.leave();
  for (const { leave } of running) leave();
  expect(await Promise.all(running.map(({ ended }) => ended))).toEqual(running.map(() => 'AbortError'));
  // The waiting one gets a connection now.
  const next = start();
  await until(() => queries > connections);
  next.leave();
  expect([await waiting.ended, await next.ended]).toEqual(['AbortError', 'AbortError']);
  expect(queries).toBe(connections + 1);
  for (const socket of sockets) socket.destroy();
  server.close();
  await postgres.close();
}, 20_000);

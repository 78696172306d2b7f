import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, Server as NetServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { addAcceptors, type Acceptors } from './acceptors';

const backlog = 1_000;

/** The connections that acceptors took, once `count` connections are open. */
async function openMany(server: Server, count: number) {
  const { port } = server.address() as AddressInfo;
  const accepted: (Socket & { _server?: NetServer })[] = [];
  const note = (socket: Socket) => void accepted.push(socket);
  server.on('connection', note);
  const clients = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
  await Promise.all(clients.map((client) => once(client, 'connect')));
  while (accepted.length < count) await setImmediate();
  server.off('connection', note);
  return { clients, taken: accepted.filter(({ _server }) => (_server as unknown) !== server) };
}

async function start() {
  const server = createServer((_request, response) => response.end('done'));
  server.listen({ host: '127.0.0.1', port: 0, backlog });
  await once(server, 'listening');
  const acceptors = addAcceptors(server, backlog);
  for (const end = Date.now() + 20_000; Date.now() < end; await setTimeout(50)) {
    const { clients, taken } = await openMany(server, 40);
    for (const client of clients) client.destroy();
    if (taken.length > 20) return { server, acceptors };
  }
  throw new Error('The acceptors did not start.');
}

async function stop(server: Server, acceptors: Acceptors) {
  server.closeAllConnections();
  server.close();
  await acceptors.close();
}

test('connections of acceptors are like those of the server', async () => {
  const { server, acceptors } = await start();
  try {
    const { clients, taken } = await openMany(server, 40);
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.every(({ allowHalfOpen }) => allowHalfOpen)).toBe(true);
    // A client that has nothing more to send gets its answer.
    for (const client of clients) client.end('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const answers = await Promise.all(clients.map((client) => text(client)));
    expect(answers.every((answer) => answer.endsWith('done'))).toBe(true);
  } finally {
    await stop(server, acceptors);
  }
}, 60_000);

test('the queue of the socket stays as long as the server made it', async () => {
  const listen = jest.spyOn(NetServer.prototype, 'listen');
  const { server, acceptors } = await start();
  try {
    const [, ...calls] = listen.mock.calls as unknown[][];
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.every(([, length]) => length === backlog)).toBe(true);
  } finally {
    listen.mockRestore();
    await stop(server, acceptors);
  }
}, 60_000);

test('closing waits for the connections of acceptors', async () => {
  const { server, acceptors } = await start();
  const { clients, taken } = await openMany(server, 40);
  expect(taken.length).toBeGreaterThan(0);
  let isClosed = false;
  const closed = Promise.resolve(acceptors.close()).then(() => (isClosed = true));
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect(isClosed).toBe(false);
  for (const client of clients) client.destroy();
  await closed;
  server.close();
}, 60_000);

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createAddressGuard } from '../net/address-guard';
import { connect, withClient } from './pgvector-connection';

/** A server of PostgreSQL that answers what it likes. */
let server: Server;
let sent = 0;
afterEach(() => server.close());

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5, type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const ready = message('Z', Buffer.from('I'));
const loggedIn = Buffer.concat([message('R', Buffer.alloc(4)), ready]);

/** Sends a chunk again and again, as fast as the client reads. */
function flood(socket: Socket, chunk: Buffer): void {
  const send = () => {
    while (!socket.destroyed) {
      sent += chunk.length;
      if (!socket.write(chunk)) return void socket.once('drain', send);
    }
  };
  send();
}

async function listen(answer: (socket: Socket, turn: number) => void) {
  sent = 0;
  server = createServer((socket) => {
    let turn = 0;
    socket.on('error', () => undefined);
    socket.on('data', () => answer(socket, (turn += 1)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const limits = { maxConnections: 1, timeoutMs: 5_000, maxAnswerBytes: 1024 * 1024 };
  return connect({ host: '127.0.0.1', port, useSsl: false }, createAddressGuard(['127.0.0.1']), limits);
}

const select = (opened: Awaited<ReturnType<typeof connect>>) =>
  withClient(opened, (client) => client.query('SELECT 1'));
const tooLong = { code: 'SEARCH_CONNECTION_FAILED', message: expect.stringContaining('more than 1048576 bytes') };

test.each<[string, (socket: Socket) => void]>([
  [
    'one message of two gigabytes',
    (socket) => {
      const head = Buffer.alloc(5, 'D', 'latin1');
      head.writeInt32BE(2_000_000_000, 1);
      socket.write(head);
      flood(socket, Buffer.alloc(64 * 1024));
    },
  ],
  ['notices without end', (socket) => flood(socket, message('N', Buffer.from(`SNOTICE\0M${'x'.repeat(60_000)}\0\0`)))],
])('%s, as the answer to a query, end the connection', async (_what, answer) => {
  const opened = await listen((socket, turn) => (turn === 1 ? socket.write(loggedIn) : answer(socket)));
  await expect(select(opened)).rejects.toMatchObject(tooLong);
  expect(sent).toBeLessThan(16 * 1024 * 1024);
  await opened.pool.end();
});

test('a login is limited as well', async () => {
  const opened = await listen((socket) => flood(socket, message('S', Buffer.from(`name\0${'x'.repeat(60_000)}\0`))));
  await expect(select(opened)).rejects.toMatchObject(tooLong);
  await opened.pool.end();
});

test.each<[string, (socket: Socket) => void]>([
  ['resets', (socket) => void socket.resetAndDestroy()],
  ['closes', (socket) => void socket.destroy()],
  ['garbles', (socket) => void socket.end(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'))],
])('a server that %s the connection in the middle of a query does not end the process', async (_what, answer) => {
  const opened = await listen((socket, turn) => (turn === 1 ? socket.write(loggedIn) : answer(socket)));
  await expect(select(opened)).rejects.toMatchObject({ code: 'SEARCH_CONNECTION_FAILED' });
  await opened.pool.end();
});

test('many answers that are short together exceed no limit', async () => {
  const notice = message('N', Buffer.from(`SNOTICE\0M${'x'.repeat(400_000)}\0\0`));
  const done = Buffer.concat([notice, message('C', Buffer.from('SELECT 0\0')), ready]);
  const opened = await listen((socket, turn) => void socket.write(turn === 1 ? loggedIn : done));
  await withClient(opened, async (client) => {
    for (let count = 0; count < 5; count += 1) expect(await client.query('SELECT 1')).toMatchObject({ rows: [] });
  });
  await opened.pool.end();
});

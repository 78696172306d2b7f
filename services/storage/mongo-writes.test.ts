import { once } from 'node:events';
import net from 'node:net';
import { MongoNetworkError } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection';
import { failWritesToClosedSockets } from './mongo-writes';

const server = net.createServer((socket) => socket.on('error', () => undefined).resume());
const sockets: net.Socket[] = [];
let port: number;
beforeAll(async () => {
  failWritesToClosedSockets();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as net.AddressInfo).port;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function connected(): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

function write(socket: net.Socket, bytes = 16): Promise<void> {
  const connection = Object.create(Connection.prototype, {
    socket: { value: socket },
    id: { value: 7 },
    address: { value: 'db:1' },
  }) as Connection;
  return connection.writeCommand({ toBin: async () => [Buffer.alloc(bytes)] }, { agreedCompressor: 'none' });
}

test('a command on an open socket is written, also when the socket must drain', async () => {
  const socket = await connected();
  await write(socket);
  await write(socket, 8_000_000);
  expect(socket.bytesWritten).toBe(8_000_016);
  expect(socket.listenerCount('close')).toBe((await connected()).listenerCount('close'));
});

test('a command on a socket that is closing fails', async () => {
  const socket = await connected();
  socket.destroy();
  const failure = write(socket);
  await expect(failure).rejects.toThrow(MongoNetworkError);
  await expect(failure).rejects.toThrow('connection 7 to db:1 closed');
});

test('a command on a closed socket, or on one that closes before it has drained, fails', async () => {
  const closed = await connected();
  closed.destroy();
  await once(closed, 'close');
  await expect(write(closed)).rejects.toThrow(MongoNetworkError);
  const full = await connected();
  const failure = write(full, 64_000_000);
  setImmediate(() => full.destroy());
  await expect(failure).rejects.toThrow(MongoNetworkError);
});

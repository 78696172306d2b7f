import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { commands, headerBytes, SmbConnection } from './connection';

let server: Server;
let connection: SmbConnection;
/** The credits that each answer of the server grants, in order; then none. */
let grants: number[] = [];

/** Answers every request, each time with as many credits as the test says. */
function answer(request: Buffer): Buffer {
  const reply = Buffer.alloc(4 + headerBytes + 2);
  reply.writeUInt32BE(headerBytes + 2, 0);
  request.copy(reply, 4, 4, 4 + headerBytes);
  reply.writeUInt32LE(0, 4 + 8);
  reply.writeUInt16LE(grants.shift() ?? 0, 4 + 14);
  reply.writeUInt32LE(1, 4 + 16);
  return reply;
}

beforeEach(async () => {
  server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        const end = 4 + received.readUInt32BE(0);
        socket.write(answer(received.subarray(0, end)));
        received = received.subarray(end);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  connection = new SmbConnection(connect((server.address() as AddressInfo).port, '127.0.0.1'), 'The server');
});
afterEach(async () => {
  connection.close();
  await new Promise((resolve) => server.close(resolve));
});

const send = () => connection.send(commands.negotiate, Buffer.alloc(2));
const refusal = { code: 'CONNECTION_ERROR', message: expect.stringContaining('allows no further requests') as string };

test('requests that wait for a credit are sent when an answer grants it', async () => {
  grants = [1, 1, 1];
  await expect(Promise.all([send(), send(), send()])).resolves.toHaveLength(3);
});

test('requests that wait fail at once when the last answer grants no credit', async () => {
  grants = [1, 0];
  const [first, second, third] = await Promise.allSettled([send(), send(), send()]);
  expect([first?.status, second?.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(third).toMatchObject({ status: 'rejected', reason: refusal });
});

test('a request after an answer without credits fails at once', async () => {
  grants = [0];
  await send();
  await expect(send()).rejects.toMatchObject(refusal);
});

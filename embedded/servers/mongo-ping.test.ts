import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { answersPing } from './mongo-ping';

let server: Server | undefined;
afterEach(() => server?.close());

/** Sends back what `answer` makes of the bytes that arrive. */
async function listen(answer: (bytes: Buffer) => Buffer | undefined): Promise<{ host: string; port: number }> {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const reply = answer(bytes);
      if (reply) socket.end(reply);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

test('a server that replies is alive; the ping is a whole message of the protocol', async () => {
  let received: Buffer = Buffer.alloc(0);
  const address = await listen((bytes) => {
    received = bytes;
    return Buffer.from('reply');
  });
  expect(await answersPing(address)).toBe(true);
  expect(received.toString('hex')).toBe(
    '330000000100000000000000dd07000000000000001e0000001070696e67000100000002246462000600000061646d696e0000',
  );
});

test('a server that only accepts the connection, or none, is not alive', async () => {
  const address = await listen(() => undefined);
  expect(await answersPing(address, 100)).toBe(false);
  server?.close();
  await once(server as Server, 'close').catch(() => undefined);
  expect(await answersPing(address, 1_000)).toBe(false);
});

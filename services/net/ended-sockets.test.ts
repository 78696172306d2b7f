import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createAddressGuard } from './address-guard';
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch';

/** Servers that close the connection before anybody has read the response. */
let server: Server;
let guarded: GuardedFetch;
/** The raw response, and whether the connection is closed after it. */
let reply: Buffer;
beforeEach(async () => {
  guarded = createGuardedFetch(createAddressGuard(['127.0.0.1']), Number.MAX_SAFE_INTEGER);
  server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(reply));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  guarded.close();
  server.close();
});

const request = () => guarded.fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
const respond = (header: string, ...parts: (string | Buffer)[]) =>
  Buffer.concat([`HTTP/1.1 200 OK\r\nConnection: close\r\n${header}\r\n`, ...parts].map((part) => Buffer.from(part)));
/** Longer than the connection needs to end. */
const lateMs = 150;
const sizes = [20_000, 65_536, 200_000, 1_000_000];

describe.each(sizes)('%d bytes that are read after the connection has ended are complete', (size) => {
  const body = Buffer.alloc(size, 'a');
  test.each([
    ['with a length', () => respond(`Content-Length: ${size}\r\n`, body)],
    ['until the end of the connection', () => respond('', body)],
    [
      'in chunks',
      () => respond('Transfer-Encoding: chunked\r\n', `${size.toString(16)}\r\n`, body, '\r\n', '0\r\n\r\n'),
    ],
  ])('%s', async (_name, build) => {
    reply = build();
    const response = await request();
    await delay(lateMs);
    expect((await response.arrayBuffer()).byteLength).toBe(size);
  });
});

test.each(sizes)('%d bytes of a longer body are an error for a late reader, not a body', async (size) => {
  reply = respond(`Content-Length: ${size + 1}\r\n`, Buffer.alloc(size, 'a'));
  const response = await request();
  await delay(lateMs);
  await expect(response.arrayBuffer()).rejects.toThrow('terminated');
});

test.each(sizes)('%d bytes that nobody reads harm nobody', async (size) => {
  reply = respond(`Content-Length: ${size}\r\n`, Buffer.alloc(size, 'a'));
  await request();
  await delay(lateMs);
  const { status } = await request();
  expect(status).toBe(200);
});

import { type AddressInfo, createServer, type Server } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { httpStalls, useStallingServer } from '../../../test/support/sources/stalling-server';
import { createAddressGuard } from '../../net/address-guard';
import { createRequests } from './requests';

const { signal } = new AbortController();
const stalling = useStallingServer();
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A server that answers every request with these bytes. */
async function answer(bytes: string): Promise<{ server: Server; url: URL }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`) };
}

test.each(['Не найдено', '未找到', 'Zurückgewiesen'])(
  'the status of an answer counts, whatever its reason: %s',
  async (reason) => {
    const { server, url } = await answer(`HTTP/1.1 404 ${reason}\r\ncontent-length: 4\r\n\r\ngone`);
    const requests = createRequests(createAddressGuard([url.host]));
    try {
      const response = await requests.send({ url }, signal);
      expect([response.status, await response.text()]).toEqual([404, 'gone']);
    } finally {
      requests.close();
      server.close();
    }
  },
);

test('a status that is not defined is refused with a code', async () => {
  const { server, url } = await answer('HTTP/1.1 777 Lucky\r\ncontent-length: 4\r\n\r\ntext');
  const requests = createRequests(createAddressGuard([url.host]));
  try {
    await expect(requests.send({ url }, signal)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  } finally {
    requests.close();
    server.close();
  }
});

test('a body that stalls fails at the time limit of its request, although the garbage was collected meanwhile', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nhalf'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const requests = createRequests(createAddressGuard([url.host]));
  const collecting = setInterval(collectGarbage, 200);
  try {
    const text = requests.send({ url, timeoutMs: 1_500 }, signal).then((response) => response.text());
    await expect(text).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  } finally {
    clearInterval(collecting);
    requests.close();
    server.close();
  }
});

describe.each(['sends headers, then nothing', 'sends half of a body, then nothing'] as const)(
  'a server that %s',
  (stall) => {
    test('fails when it has been silent for long enough, whatever the time limit of the request', async () => {
      stalling.stall = httpStalls[stall];
      const requests = createRequests(createAddressGuard(['127.0.0.1']), 50);
      const response = await requests.send({ url: new URL(stalling.origin), timeoutMs: 3_600_000 }, signal);
      await expect(response.text()).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
        message: `The server ${stalling.origin} broke off its answer: nothing arrived for 0.05 s.`,
      });
      requests.close();
    });
  },
);

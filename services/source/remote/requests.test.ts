import { type AddressInfo, createServer, type Server } from 'node:net';
import { createAddressGuard } from '../../net/address-guard';
import { createRequests } from './requests';

const { signal } = new AbortController();

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

import net from 'node:net';
import { startApi, type TestApi } from '../../support/api/server';

/** Requests whose end or target a proxy and the api could read differently, over raw sockets. */
let api: TestApi;
beforeAll(async () => {
  api = await startApi({});
});
afterAll(() => api.close());

/** The status of each response on the connection. */
async function send(write: (host: string) => string): Promise<string[]> {
  const { host, port } = new URL(api.url);
  const socket = net.connect(Number(port), '127.0.0.1');
  const received: string[] = [];
  socket.on('data', (bytes) => received.push(String(bytes)));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(write(`Host: ${host}\r\n`));
  // Every request that the api takes for a second one asks for the end of the connection.
  socket.setTimeout(1_500, () => socket.destroy());
  await closed;
  return [...received.join('').matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status!);
}
const hidden = (host: string) => `GET /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
const post = (path: string, headers: string, body: string) => (host: string) =>
  `POST ${path} HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n\r\n${body}${hidden(host)}`;

describe.each(['/api/v1/documents/search', '/v1/convert/source', '/mcp'])('a request to %s', (path) => {
  test.each([
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4', '0\r\n\r\n'],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 60', ''],
    ['a list of lengths', 'Content-Length: 0, 60', ''],
    ['a length with a sign', 'Content-Length: +5', 'abcde'],
    ['a hexadecimal length', 'Content-Length: 0x5', 'abcde'],
    ['an unknown encoding', 'Transfer-Encoding: xchunked', '0\r\n\r\n'],
    ['two encodings', 'Transfer-Encoding: identity, chunked\r\nContent-Length: 3', '0\r\n\r\n'],
    ['a blank before the colon', 'Transfer-Encoding : chunked', '0\r\n\r\n'],
    ['a tab before the colon', 'Transfer-Encoding\t: chunked', '0\r\n\r\n'],
    ['a folded header', 'X-A: b\r\n Transfer-Encoding: chunked', '0\r\n\r\n'],
    ['a carriage return within a header', 'X-A: b\rContent-Length: 5', 'abcde'],
    ['a NUL within a header', 'X-A: b\u0000c\r\nContent-Length: 5', 'abcde'],
  ])('with %s hides no other request', async (_what, headers, body) => {
    expect(await send(post(path, headers, body))).toEqual(['400']);
  });
});

test.each([
  ['of another name', 'Host: evil.example\r\n'],
  ['of the same name', 'HOST: 127.0.0.1\r\n'],
  ['without a value', 'host:\r\n'],
  ['with an address', 'Host: 127.0.0.1:1\r\n'],
])('a second Host header %s is refused', async (_what, second) => {
  const statuses = await send((host) => `GET /health HTTP/1.1\r\n${host}${second}Connection: close\r\n\r\n`);
  expect(statuses).toEqual(['400']);
});

test('a usual request passes', async () => {
  expect(await send(hidden)).toEqual(['200']);
});

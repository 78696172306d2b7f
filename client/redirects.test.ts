import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, createConversionClient } from './index';

let seen: IncomingMessage[];
let other: Server;
let redirecting: Server;
beforeEach(async () => {
  seen = [];
  other = createServer((request, response) => {
    seen.push(request);
    response.setHeader('Content-Type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  redirecting = createServer((request, response) => {
    response.writeHead(307, { Location: `${getAddress(other)}${request.url}` }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => redirecting.once('listening', resolve));
});
afterEach(() => {
  other.closeAllConnections();
  other.close();
  redirecting.closeAllConnections();
  redirecting.close();
});

function getAddress(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('no client follows a redirect: neither token, key nor document reaches the other server', async () => {
  const baseUrl = getAddress(redirecting);
  const refused = { code: 'INVALID_RESPONSE', status: 307, message: expect.stringContaining(getAddress(other)) };
  const client = createClient({ baseUrl, token: 'secret' });
  await expect(client.me()).rejects.toMatchObject(refused);
  await expect(client.flows.create({ flow_name: 'x', flow: [{ type: 'noop', name: 'a' }] })).rejects.toMatchObject(
    refused,
  );
  await expect(client.graphs.result('g').next()).rejects.toMatchObject(refused);
  const conversion = createConversionClient({ baseUrl, apiKey: 'secret' });
  const files = [{ name: 'a.md', content: '# Private' }];
  await expect(conversion.convert({ files })).rejects.toMatchObject(refused);
  expect(seen).toEqual([]);
});

test('a conversion client with a token sends it as a bearer token', async () => {
  await createConversionClient({ baseUrl: getAddress(other), token: 'secret' }).list();
  expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret' });
  expect(seen[0]?.headers).not.toHaveProperty('x-api-key');
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressGuard } from '../net/address-guard';
import { checkIndex } from './index-check';

test('a server that sends a byte now and then does not keep a check for longer than its limit', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const target = {
      kind: 'elasticsearch',
      similarity: 'cosine',
      index: 'orders',
      server: { host: '127.0.0.1', port },
    } as const;
    expect(await checkIndex(target, createAddressGuard([`127.0.0.1:${port}`]), 500)).toMatchObject({
      reach: { outcome: 'denied', message: 'It answers too slowly.' },
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.each([
  [400, 'granted'],
  [405, 'granted'],
  [403, 'unknown'],
  [500, 'unknown'],
  [401, 'denied'],
])('a server that answers %i to a question about accounts: sign_in is %s', async (status, outcome) => {
  const server = createServer((request, response) => {
    response.setHeader('x-elastic-product', 'Elasticsearch').setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/_security')) return void response.writeHead(status).end('{}');
    response.writeHead(404).end(JSON.stringify({ error: { type: 'index_not_found_exception' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const guard = createAddressGuard([`127.0.0.1:${port}`]);
    const target = {
      kind: 'elasticsearch',
      similarity: 'cosine',
      index: 'orders',
      server: { host: '127.0.0.1', port },
    };
    const { sign_in, write } = await checkIndex(target as Parameters<typeof checkIndex>[0], guard);
    expect(sign_in?.outcome).toBe(outcome);
    expect(write?.outcome).toBe(outcome === 'denied' ? undefined : 'unknown');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AddressGuard } from './address-guard';
import { createGuardedAgents } from './guarded-connections';

let server: Server;
let requests = 0;

beforeAll(async () => {
  server = createServer((_request, response) => {
    requests += 1;
    response.end('found');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());
beforeEach(() => (requests = 0));

async function request(guard: AddressGuard): Promise<number | undefined> {
  const { http } = createGuardedAgents(guard);
  const { port } = server.address() as AddressInfo;
  try {
    const sent = get({ host: 'docs.example', port, agent: http });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  } finally {
    http.destroy();
  }
}

test('an agent connects to the checked address instead of resolving the name itself', async () => {
  const judged: unknown[] = [];
  const status = await request({
    judge: async (host, port) => {
      judged.push([host, port]);
      return [{ address: '127.0.0.1', family: 4 }];
    },
  });
  expect(status).toBe(200);
  expect(judged).toEqual([['docs.example', (server.address() as AddressInfo).port]]);
});

test('an agent does not connect to an address that the guard rejects', async () => {
  const rejected = request({ judge: () => Promise.reject(new Error('not allowed')) });
  await expect(rejected).rejects.toThrow('not allowed');
  expect(requests).toBe(0);
});

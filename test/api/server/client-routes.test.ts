import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routes } from '../../../api/routes';
import { createClient } from '../../../client';

/** Routes without a method of the client, and why. */
const withoutMethod: Readonly<Record<string, string>> = {
  'GET /health': 'a probe',
  'GET /metrics': 'read by Prometheus',
  'GET /protected': 'an example of the specification',
  'GET /auth/oauth2/authorize': 'opened in a browser',
  'GET /auth/oauth2/callback': 'opened by the provider',
  'GET /auth/oauth2/discovery/{provider}': 'a link in the list of providers',
  'POST /api/v1/temporal/codec/session': 'called by the Temporal UI',
  'POST /api/v1/temporal/codec/decode': 'called by the Temporal UI',
  'POST /api/v1/temporal/codec/encode': 'called by the Temporal UI',
  'GET /api/v1/openapi.json': 'read by generators',
  'GET /api/v1/document-libraries/{library_id}/uploads/{upload_id}': 'announcing the file again gives the same reply',
  'GET /api/v1/docs': 'a page for people',
  'GET /api/v1/redoc': 'a page for people',
  'GET /api/v1/docs/assets/{file}': 'a part of a page',
};

/** Values for the parameters of every method, or none; the server checks nothing. */
const argumentLists: readonly unknown[][] = [
  [],
  ['x'],
  ['x', 'x', {}],
  [{ question: 'x' }],
  ['x', ['x']],
  [['x'], {}],
  [{ name: 'x' }, {}],
  ['x', { name: 'x', content: new Blob(['x']) }, { attempts: 1 }],
];

test('the client has a method for every route that programs call', async () => {
  const requests = new Set<string>();
  const server = await recordRequests(requests);
  const { port } = server.address() as AddressInfo;
  await callEverything(createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 't', retries: 0 }));
  server.close();
  const uncalled = routes.filter(
    (route) => ![...requests].some((request) => getPattern(route.method, route.path).test(request)),
  );
  expect(uncalled.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    Object.keys(withoutMethod).toSorted(),
  );
});

async function recordRequests(requests: Set<string>): Promise<Server> {
  const reply = JSON.stringify({ status: 'COMPLETED', upload_id: 'x', part_size: 1, missing_parts: [1] });
  const server = createServer((request, response) => {
    requests.add(`${request.method} ${request.url?.split('?')[0]}`);
    request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Calls every method of the client and of its groups; calls with unsuitable arguments fail there and are ignored. */
async function callEverything(group: object): Promise<void> {
  for (const member of Object.values(group) as unknown[]) {
    if (typeof member === 'object' && member !== null) await callEverything(member);
    if (typeof member !== 'function') continue;
    for (const list of argumentLists) {
      try {
        const result: unknown = member(...list);
        await (isGenerator(result) ? result.next() : result);
      } catch {
        continue;
      }
    }
  }
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && 'next' in value;
}

function getPattern(method: string, path: string): RegExp {
  return new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

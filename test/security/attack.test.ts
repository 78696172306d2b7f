import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { conversionRoutes } from '../../api/conversion';
import { accountsBySigningKey, type SignedRole } from '../attack/accounts';
import { attack, describeReport } from '../attack/attack';
import { conversionMatrix } from '../attack/conversions';
import { createSystem, type System } from '../support/system/system';

const secret = 'signing key of the test of all attacks, long enough';
const signIn = (mark: string) => accountsBySigningKey(mark, { secret, audience: 'attacked', adminGroup: 'admins' });
let system: System;
let address: string;
beforeAll(async () => {
  system = createSystem({ DOCLOOM_ADMIN_GROUPS: 'admins', JWT_AUDIENCE: 'attacked' });
  [address] = await Promise.all([system.startApi({ JWT_SECRET_KEY: secret }), system.startWorker()]);
});
afterAll(() => system.stop());

test('every route of the conversion service has a row, and every row a route', () => {
  const routes = conversionRoutes.map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(conversionMatrix).toSorted()).toEqual(routes.toSorted());
});

// Thousands of requests: 80 s alone, and several times that beside other tests.
test('nothing leaks, every case is proven, and nothing is left behind', async () => {
  const { findings, left, routes, cases } = await attack(address, signIn);
  expect(findings).toEqual([]);
  expect(left).toEqual([]);
  expect({ isWhole: routes > 700, cases }).toEqual({ isWhole: true, cases: 20 });
}, 900_000);

/** Requests that the leaking server answers as if the owner had sent them. */
const leaking = [
  /^GET \/api\/v1\/flows\/[^/]+$/,
  /^GET \/api\/v1\/document-sets\/[^/]+\/preview$/,
  /^POST \/api\/v1\/documents\/search$/,
  /^DELETE \/v1\/tasks\//,
  /^GET \/auth\/me$/,
];
/** A proxy in front of the real server that leaks the owner's data and reveals which connections exist. */
async function startLeaking(ownerOf: () => Promise<string>): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void (async () => {
        const { method = '', url = '', headers } = request;
        const isLeak = leaking.some((item) => item.test(`${method} ${url}`));
        const authorization = isLeak ? `Bearer ${await ownerOf()}` : headers.authorization;
        const answer = await fetch(`${address}${url}`, {
          method,
          headers: { 'Content-Type': headers['content-type'] ?? '', ...(authorization ? { authorization } : {}) },
          body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
          redirect: 'manual',
        });
        const tells = method === 'GET' && url.startsWith('/api/v1/connections/') && answer.status === 404;
        response.writeHead(tells ? 403 : answer.status, { 'Content-Type': answer.headers.get('Content-Type') ?? '' });
        response.end(Buffer.from(await answer.arrayBuffer()));
      })().catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('leaks are found: on routes for users without the right, and by the cases', async () => {
  let getOwner = async (): Promise<string> => '';
  const server = await startLeaking(() => getOwner());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const chosen = [
    'GET /api/v1/flows/{flow_id}',
    'GET /api/v1/connections/{connection_id}',
    'GET /api/v1/document-sets/{set_id}/preview',
    'GET /api/v1/projects/{project_id}',
    'DELETE /v1/tasks/{task_id}',
    'forged tokens',
    'foreign host names (DNS rebinding)',
    "searches for another user's document",
  ];
  try {
    const report = await attack(
      url,
      (mark) => {
        const signs = signIn(mark);
        getOwner = async () => (await signs('owner')).token;
        return async (role: SignedRole) => await signs(role);
      },
      (name) => chosen.includes(name),
    );
    const through = report.findings.filter(({ kind }) => kind === 'through').map((finding) => finding.attack);
    const as = (operation: string, ...roles: string[]) => roles.map((role) => `${operation} as ${role}`);
    expect([...new Set(through)].toSorted()).toEqual(
      [
        ...as('GET /api/v1/flows/{flow_id}', 'nobody', 'other'),
        ...as('GET /api/v1/connections/{connection_id}', 'other', 'reader', 'member'),
        ...as('GET /api/v1/document-sets/{set_id}/preview', 'nobody', 'other', 'reader', 'member', 'admin'),
        ...as('DELETE /v1/tasks/{task_id}', 'nobody', 'other', 'reader', 'member', 'admin'),
        ...['forged tokens', 'foreign host names (DNS rebinding)', "searches for another user's document"],
      ].toSorted(),
    );
    expect(describeReport(report)).toContain('GOT THROUGH  GET /api/v1/flows/{flow_id} as other: expected 404: 200');
  } finally {
    server.close();
  }
});

import { createDestinationInspector } from '../../../api/export/inspector';
import type { DestinationCheckReply } from '../../../model/export/wire-check';
import { createDestinationChecks } from '../../../services/export/check';
import { createAddressGuard } from '../../../services/net/address-guard';
import { alice, bob, startApi, type TestApi } from '../../support/api/server';
import { connection, secret } from '../../support/export/connection-of-alice';
import { useLyingServer } from '../../support/sources/lying-server';

/** What the check of a destination in Elasticsearch sends and tells, whatever its server answers. */
const server = useLyingServer();
let api: TestApi;

async function start({ hosts = ['127.0.0.1'] }: { hosts?: string[] } = {}) {
  const destinationInspector = createDestinationInspector({
    destinations: createDestinationChecks({
      guard: createAddressGuard(hosts),
      limits: { roots: [], closed: [] },
    }),
    connections: { open: async () => [connection] },
    exportPrincipals: [],
    adminGroups: ['admins'],
  });
  api = await startApi({ destinationInspector });
}
afterEach(() => api.close());

async function check(config: object, user = alice) {
  const { status, body } = await api.call('POST', '/api/v1/destinations/check', { user, body: { config } });
  for (const value of Object.values(secret)) expect(JSON.stringify(body)).not.toContain(value);
  return { status, body: body as DestinationCheckReply };
}
const listOutcomes = ({ rights }: DestinationCheckReply) => rights.map(({ right, outcome }) => `${right} ${outcome}`);

describe('an Elasticsearch', () => {
  const elastic = (change: object = {}) => ({
    destination: 'elasticsearch',
    connection_params: {
      index: 'handbook',
      alias: 'current',
      endpoint_url: server.origin,
      api_key: '${connection:bucket.secret_key}',
      ...change,
    },
  });

  test('is not contacted at an address that flows may not reach, and gets no secret of another type or user', async () => {
    await start({ hosts: [] });
    let contacts = 0;
    server.answer = (_request, response) => ((contacts += 1), response.end());
    const { body } = await check(elastic({ api_key: 'own' }), alice);
    expect(body.rights[0]).toMatchObject({ right: 'reach', outcome: 'denied', code: 'ADDRESS_NOT_ALLOWED' });
    await api.close();
    await start();
    expect((await check(elastic(), alice)).status).toBe(403);
    expect((await check(elastic(), bob)).status).toBe(404);
    expect(contacts).toBe(0);
  });

  test.each([
    ['a page', 200, 'text/html', '<p>internal page</p>'],
    ['a page that is missing', 404, 'text/html', '<p>internal page</p>'],
    ['a list', 200, 'application/json', '["internal page"]'],
    ['broken JSON', 200, 'application/json', '{"internal page'],
    ['nothing', 200, 'application/json', ''],
    ['null', 200, 'application/json', 'null'],
    ['an error', 400, 'application/json', '{"error":{"type":"internal page","reason":"internal page"}}'],
    ['strange members', 200, 'application/json', '{"handbook":{"settings":7,"mappings":"internal page"}}'],
    ['a redirect', 302, 'text/html', 'internal page'],
  ])('whose server answers with %s is not usable, and its text is not shown', async (_name, status, type, text) => {
    await start();
    server.answer = (_request, response) =>
      response.writeHead(status, { 'content-type': type, location: `${server.otherOrigin}/` }).end(text);
    const { status: replied, body } = await check(elastic({ api_key: 'own' }), alice);
    expect(replied).toBe(200);
    expect(body.usable).toBe(false);
    expect(JSON.stringify(body)).not.toContain('internal page');
    expect(server.stolen).toEqual([]);
  });

  test('gets no key that a header cannot contain, and its TLS problem is named', async () => {
    await start();
    for (const key of ['a\r\nX-Other: b', 'schlüssel', 'two words']) {
      const { body } = await check(elastic({ api_key: key }), alice);
      expect(listOutcomes(body)).toEqual(['reach unknown', 'sign_in denied', 'write unknown']);
    }
    const secure = server.origin.replace('http:', 'https:');
    const { body } = await check(elastic({ api_key: 'own', endpoint_url: secure }), alice);
    expect(body.rights[0]?.message).toMatch(/\(ERR_SSL_[A-Z_]+\)/);
  });

  test('whose server grants everything without being asked for an alias is only read', async () => {
    await start();
    const methods: string[] = [];
    server.answer = (request, response) => {
      methods.push(`${request.method} ${request.url}`);
      const held = { create_index: true, manage: true, read: true, write: true };
      const body = String(request.url).startsWith('/_security')
        ? { index: { handbook: held, current: held } }
        : { handbook: { settings: {}, mappings: { _meta: { made_by: 'docloom', purpose: 'export' } } } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const { body } = await check(elastic({ api_key: 'own' }), alice);
    expect(listOutcomes(body)).toEqual(['reach granted', 'sign_in granted', 'write granted']);
    expect(methods).toEqual(['POST /_security/user/_has_privileges', 'GET /handbook', 'GET /current']);
  });
});

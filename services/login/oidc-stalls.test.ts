import { generateKeyPairSync } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import { readConfig } from '../../model/config';
import { createOidc, type Oidc } from './oidc';

const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
const secrets = { state: 's'.repeat(43), nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) };
const endpoints = ['/.well-known/openid-configuration', '/token', '/keys', '/userinfo'] as const;
type Endpoint = (typeof endpoints)[number];
const ways = ['silent', 'in the middle', 'in drops'] as const;
type Way = (typeof ways)[number];

const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

/** A provider one of whose endpoints stalls while `stalls` is set. */
async function startProvider(): Promise<{ oidc: Oidc; stalls: { at?: Endpoint; way?: Way } }> {
  const stalls: { at?: Endpoint; way?: Way } = {};
  const server = createServer((request, response) => {
    const at = endpoints.find((each) => request.url === each);
    if (!at) return void response.writeHead(404).end();
    const body = JSON.stringify(answers[at]());
    response.setHeader('content-type', 'application/json');
    if (stalls.at === at) stall(response, body, stalls.way);
    else response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = { iss: issuer, aud: 'docloom', sub: 'hella', nonce: secrets.nonce };
  const answers: Record<Endpoint, () => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/userinfo`,
    }),
    '/token': () => ({
      access_token: 'opaque',
      token_type: 'bearer',
      id_token: jwt.sign(claims, key.privateKey, { algorithm: 'RS256', keyid: 'one', expiresIn: 60 }),
    }),
    '/keys': () => ({ keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] }),
    '/userinfo': () => ({ sub: 'hella', name: 'Hella', email: 'hella@harbour.example', preferred_username: 'hella' }),
  };
  const config = readConfig({
    OAUTH2_ENABLED: 'true',
    OAUTH2_CLIENT_ID: 'docloom',
    OAUTH2_CLIENT_SECRET: 'secret',
    OAUTH2_REDIRECT_URI: 'http://127.0.0.1/auth/oauth2/callback',
    OAUTH2_DISCOVERY_URL: issuer,
    OAUTH2_ISSUER: issuer,
  });
  return { oidc: createOidc(config, () => new Date()), stalls };
}

function stall(response: ServerResponse, body: string, way: Way = 'silent'): void {
  if (way === 'silent') return;
  response.writeHead(200, { 'content-length': body.length });
  if (way === 'in the middle') return void response.write(body.slice(0, 20));
  let sent = 0;
  const timer = setInterval(() => response.write(body.slice(sent, (sent += 1))), 100);
  response.on('close', () => clearInterval(timer));
}

const login = (oidc: Oidc) => oidc.finish(`?code=abc&state=${secrets.state}`, secrets);

test('a login ends within seconds wherever and however the provider stalls, and the next one succeeds', async () => {
  const cases = endpoints.flatMap((at) => ways.map((way) => ({ at, way })));
  const outcomes = await Promise.all(
    cases.map(async ({ at, way }) => {
      const { oidc, stalls } = await startProvider();
      Object.assign(stalls, { at, way });
      const startedAt = performance.now();
      const [first, beside] = await Promise.allSettled([login(oidc), login(oidc)]);
      const tookMs = performance.now() - startedAt;
      Reflect.deleteProperty(stalls, 'at');
      const after = await login(oidc);
      return { at, way, codes: [first, beside].map((each) => each.status === 'rejected' ? (each.reason as { code: string }).code : each.status), isInTime: tookMs < 20_000, after: after.username }; // prettier-ignore
    }),
  );
  const codes = ['CONNECTION_ERROR', 'CONNECTION_ERROR'];
  expect(outcomes).toEqual(cases.map((each) => ({ ...each, codes, isInTime: true, after: 'hella' })));
}, 60_000);

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  exportSPKI,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { readConfig } from '../../model/config';
import { type AgentLogins, createAgentLogins } from './agent-logins';

const resource = 'https://docs.example.org/mcp';
let provider: Server;
let issuer: string;
let keys: GenerateKeyPairResult;
let requests = 0;
let logins: AgentLogins;

beforeAll(async () => {
  keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'first', use: 'sig' };
  provider = createServer((_request, response) => {
    requests += 1;
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => provider.once('listening', resolve));
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  logins = loginsWith({}) as AgentLogins;
});
afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});

function loginsWith(change: Record<string, string>): AgentLogins | undefined {
  const env = {
    OAUTH2_ENABLED: 'true',
    OAUTH2_CLIENT_ID: 'docloom-client',
    OAUTH2_REDIRECT_URI: 'https://docs.example.org/auth/oauth2/callback',
    OAUTH2_DISCOVERY_URL: issuer,
    DOCLOOM_OAUTH2_RESOURCE: resource,
    ...change,
  };
  return createAgentLogins(readConfig(env), { readMetadata: async () => ({ issuer, jwks_uri: `${issuer}/keys` }) });
}

const good = { preferred_username: 'alice', groups: ['staff'], sub: 'a1' };

interface Change {
  claims?: JWTPayload;
  audience?: string | string[];
  from?: string;
  expires?: string | undefined;
  header?: Record<string, string>;
  key?: Parameters<SignJWT['sign']>[0];
}

async function tokenWith({ claims = {}, audience = resource, from = issuer, header = {}, key, ...rest }: Change = {}) {
  const signed = new SignJWT({ ...good, ...claims }).setIssuer(from).setAudience(audience).setIssuedAt();
  const expires = 'expires' in rest ? rest.expires : '5m';
  if (expires !== undefined) signed.setExpirationTime(expires);
  return signed.setProtectedHeader({ alg: 'ES256', kid: 'first', ...header }).sign(key ?? keys.privateKey);
}

test('a token that the provider issued for this installation yields its user and groups', async () => {
  expect(await logins.verify(await tokenWith())).toMatchObject({ username: 'alice', groups: ['staff'] });
  const typed = await tokenWith({ header: { typ: 'at+jwt' }, audience: ['other', resource] });
  expect(await logins.verify(typed)).toMatchObject({ username: 'alice' });
  expect(requests).toBe(1);
});

test.each<[string, () => Promise<string>]>([
  ['for another service', () => tokenWith({ audience: 'https://other.example.org' })],
  ['for the client, as ID tokens are', () => tokenWith({ audience: 'docloom-client' })],
  ['with a nonce, as ID tokens have', () => tokenWith({ claims: { nonce: 'n' } })],
  ['of another type', () => tokenWith({ header: { typ: 'logout+jwt' } })],
  ['of another issuer', () => tokenWith({ from: 'https://evil.example.org' })],
  ['that has expired', () => tokenWith({ expires: '-1m' })],
  ['without an expiry', () => tokenWith({ expires: undefined })],
  ['of an unknown key', async () => tokenWith({ key: (await generateKeyPair('ES256')).privateKey })],
  ['whose key is not published', () => tokenWith({ header: { kid: 'second' } })],
  [
    'without a signature',
    async () => new UnsecuredJWT(good).setIssuer(issuer).setAudience(resource).setExpirationTime('5m').encode(),
  ],
  [
    'signed with the public key as a secret',
    async () =>
      tokenWith({ header: { alg: 'HS256' }, key: new TextEncoder().encode(await exportSPKI(keys.publicKey)) }),
  ],
  ['that names nobody', () => tokenWith({ claims: { preferred_username: '', sub: '' } })],
  [
    'with an address that nobody verified',
    () => tokenWith({ claims: { preferred_username: ' alice', email: 'x@y', sub: ' ' } }),
  ],
  ['that is not a token', async () => 'a.b.c'],
])('a token %s is rejected', async (_name, make) => {
  await expect(logins.verify(await make())).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('only allowed domains may log in', async () => {
  const limited = loginsWith({ DOCLOOM_OAUTH2_ALLOWED_DOMAINS: 'example.org' });
  const claims = (name: string) => ({ claims: { preferred_username: name } });
  await expect(limited?.verify(await tokenWith(claims('eve@evil.org')))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await limited?.verify(await tokenWith(claims('al@example.org')))).toMatchObject({
    username: 'al@example.org',
  });
});

test('an unavailable provider does not reject the token', async () => {
  const readMetadata = async () => ({ issuer, jwks_uri: 'http://127.0.0.1:1/keys' });
  const config = readConfig({
    OAUTH2_ENABLED: 'true',
    OAUTH2_CLIENT_ID: 'c',
    OAUTH2_REDIRECT_URI: 'https://docs.example.org/cb',
    OAUTH2_DISCOVERY_URL: issuer,
    DOCLOOM_OAUTH2_RESOURCE: resource,
  });
  const away = createAgentLogins(config, { readMetadata });
  await expect(away?.verify(await tokenWith())).rejects.toMatchObject({ code: 'EXTERNAL_SERVICE_ERROR' });
});

test('without the setting, agents cannot log in; an invalid address is a problem', () => {
  expect(loginsWith({ DOCLOOM_OAUTH2_RESOURCE: '' })).toBeUndefined();
  expect(loginsWith({ OAUTH2_ENABLED: 'false' })).toBeUndefined();
  expect(() => loginsWith({ DOCLOOM_OAUTH2_RESOURCE: 'docs' })).toThrow(/DOCLOOM_OAUTH2_RESOURCE is 'docs'/);
  expect(() => loginsWith({ DOCLOOM_OAUTH2_RESOURCE: 'https://a.org/mcp?x' })).toThrow('DOCLOOM_OAUTH2_RESOURCE');
});

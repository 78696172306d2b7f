import { generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { readConfig } from '../../model/config';
import { createOidc } from './oidc';

const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
const secrets = { state: 's'.repeat(43), nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) };
const client = {
  OAUTH2_ENABLED: 'true',
  OAUTH2_CLIENT_ID: 'docloom',
  OAUTH2_CLIENT_SECRET: 'secret',
  OAUTH2_REDIRECT_URI: 'https://docs.example/auth/oauth2/callback',
};
const tenant = '11111111-2222-3333-4444-555555555555';
const microsoft = 'https://login.microsoftonline.com';

/** Stands in for the vendors as documented. Returns the requested addresses, in order. */
function startVendors(claims: Record<string, unknown> = {}) {
  const requested: string[] = [];
  const metadata = (issuer: string, host: string) => ({
    issuer,
    authorization_endpoint: `${host}/authorize`,
    token_endpoint: `${host}/token`,
    jwks_uri: `${host}/keys`,
  });
  const answers: Record<string, () => unknown> = {
    'https://accounts.google.com/.well-known/openid-configuration': () =>
      metadata('https://accounts.google.com', 'https://google.example'),
    [`${microsoft}/common/v2.0/.well-known/openid-configuration`]: () =>
      metadata(`${microsoft}/{tenantid}/v2.0`, `${microsoft}/common`),
    [`${microsoft}/common/keys`]: () => ({
      keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
    }),
    [`${microsoft}/common/token`]: () => ({
      access_token: 'opaque',
      token_type: 'bearer',
      id_token: jwt.sign(claims, key.privateKey, { algorithm: 'RS256', keyid: 'one', expiresIn: 60 }),
    }),
  };
  globalThis.fetch = async (address) => {
    const url = address instanceof Request ? address.url : String(address);
    requested.push(url);
    const answer = answers[url];
    return answer ? Response.json(answer()) : new Response('', { status: 404 });
  };
  return requested;
}
const { fetch: realFetch } = globalThis;
afterEach(() => {
  globalThis.fetch = realFetch;
});

test('google is found by discovery, and its discovery document is read every ten minutes at most', async () => {
  const requested = startVendors();
  let now = 0;
  const oidc = createOidc(readConfig({ ...client, OAUTH2_PROVIDER: 'google' }), () => new Date(now));
  expect(oidc.listProviders()).toEqual([{ name: 'google', display_name: 'Google' }]);
  expect(await oidc.buildAuthorizeAddress(secrets)).toMatch(/^https:\/\/google\.example\/authorize\?/);
  await oidc.buildAuthorizeAddress(secrets);
  expect(requested).toHaveLength(1);
  now = 600_000;
  await oidc.readMetadata();
  expect(requested).toHaveLength(2);
});

const common = () =>
  createOidc(
    readConfig({ ...client, OAUTH2_PROVIDER: 'microsoft', OAUTH2_AZURE_TENANT_ID: 'common' }),
    () => new Date(),
  );
const claims = {
  iss: `${microsoft}/${tenant}/v2.0`,
  tid: tenant,
  aud: 'docloom',
  sub: '1',
  nonce: secrets.nonce,
  preferred_username: 'nora@example.org',
};

test('the common tenant of azure accepts the issuer of the tenant in the token', async () => {
  startVendors(claims);
  const oidc = common();
  expect([oidc.resolve('azure'), oidc.resolve('microsoft'), oidc.resolve(undefined)]).toEqual(Array(3).fill('azure'));
  expect(await oidc.finish(`?code=c&state=${secrets.state}`, secrets)).toMatchObject({ username: 'nora@example.org' });
});

test('a token with a tenant different from its issuer is rejected', async () => {
  startVendors({ ...claims, tid: 'another' });
  await expect(common().finish(`?code=c&state=${secrets.state}`, secrets)).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  });
});

test('a tenant that does not exist is reported as a failure of the provider', async () => {
  startVendors();
  const env = { ...client, OAUTH2_PROVIDER: 'azure', OAUTH2_AZURE_TENANT_ID: tenant };
  await expect(createOidc(readConfig(env), () => new Date()).buildAuthorizeAddress(secrets)).rejects.toMatchObject({
    code: 'EXTERNAL_SERVICE_ERROR',
    message: expect.stringContaining('404'),
  });
});

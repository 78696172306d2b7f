import { readConfig } from '../../../model/config';
import { AppError } from '../../../model/errors';
import { createOidc } from '../../../services/login/oidc';
import { createTokens } from '../../../services/login/tokens';
import { alice, startApi, type TestApi } from '../../support/api/server';

const clock = () => new Date();
const getOidc = (env: Record<string, string>) => createOidc(readConfig(env), clock);
// Its endpoints are configured, so that starting a login sends no request.
const manual = {
  OAUTH2_ENABLED: 'true',
  OAUTH2_CLIENT_ID: 'docloom',
  OAUTH2_REDIRECT_URI: 'https://docs.example/auth/oauth2/callback',
  OIDC_ISSUER: 'https://id.example',
  OAUTH2_AUTHORIZATION_ENDPOINT: 'https://id.example/authorize',
  OAUTH2_TOKEN_ENDPOINT: 'https://id.example/token',
  OAUTH2_JWKS_URI: 'https://id.example/keys',
};
const authorize = '/auth/oauth2/authorize';
const code = (name: string, message = '') => ({ errors: [{ code: name, message: expect.stringContaining(message) }] });

let api: TestApi;
beforeEach(async () => {
  api = await startApi(
    { oidc: getOidc(manual) },
    { corsOrigins: ['https://app.example', '*'], trustedProxies: ['127.0.0.1'] },
  );
});
afterEach(() => api.close());

test.each([
  ['switched off', {}, 'not enabled'],
  ['incomplete', { ...manual, OAUTH2_CLIENT_ID: '' }, 'OAUTH2_CLIENT_ID'],
])('a provider that is %s is 503 everywhere, and not listed', async (_name, env, message) => {
  const off = await startApi({ oidc: getOidc(env) });
  for (const path of [authorize, '/auth/oauth2/callback?code=a&state=b', '/auth/oauth2/discovery/generic'])
    expect(await off.call('GET', path)).toMatchObject({ status: 503, body: code('SERVICE_UNAVAILABLE', message) });
  expect((await off.call('GET', '/auth/oauth2/providers')).body).toEqual({ providers: [] });
  await off.close();
});

test('without a secret for tokens no login begins', async () => {
  const open = await startApi({
    oidc: getOidc(manual),
    tokens: createTokens({ secret: undefined, expireMinutes: 5 }),
  });
  for (const [method, path, body] of [
    ['GET', authorize, undefined],
    ['GET', '/auth/oauth2/callback?code=a&state=b', undefined],
    ['POST', '/auth/oauth2/token', { code: 'x' }],
  ] as const)
    expect(await open.call(method, path, { body })).toMatchObject({
      status: 503,
      body: code('SERVICE_UNAVAILABLE', 'JWT_SECRET_KEY'),
    });
  await open.close();
});

test('a login begins with a redirect to the provider, with a cookie that the browser must return', async () => {
  const plain = await api.call('GET', authorize);
  expect(plain.status).toBe(307);
  expect(plain.headers.get('Location')).toMatch(/^https:\/\/id\.example\/authorize\?.*code_challenge_method=S256/);
  expect(plain.headers.get('Set-Cookie')).toMatch(/^docloom_login=/);
  const back = await api.call('GET', `${authorize}?provider=generic&redirect_after=https://app.example/`);
  expect(back.status).toBe(307);
  expect(back.headers.get('Set-Cookie')).toMatch(/^docloom_login=/);
});

test.each(['https://evil.example/', '//evil.example', 'javascript:alert(1)'])(
  'redirect_after=%s is rejected',
  async (address) => {
    const response = await api.call('GET', `${authorize}?redirect_after=${encodeURIComponent(address)}`);
    expect(response).toMatchObject({ status: 400, body: code('VALIDATION_ERROR', 'redirect_after') });
    expect(response.headers.get('Location')).toBeNull();
  },
);

test('started logins are counted per client, as the trusted proxy names it', async () => {
  const from = (address: string) =>
    api.call('GET', authorize, { headers: { 'X-Forwarded-For': `9.9.9.9, ${address}` } });
  for (let attempt = 0; attempt < 60; attempt += 1) expect((await from('198.51.100.1')).status).toBe(307);
  expect(await from('198.51.100.1')).toMatchObject({ status: 429, body: code('TOO_MANY_REQUESTS') });
  expect((await from('198.51.100.2')).status).toBe(307);
});

test('an unknown code for a token is rejected, and a missing code is 400', async () => {
  const send = (body: unknown) => api.call('POST', '/auth/oauth2/token', { body });
  expect(await send({ code: 'made-up' })).toMatchObject({ status: 401, body: code('UNAUTHORIZED') });
  expect(await send({})).toMatchObject({ status: 400, body: code('VALIDATION_ERROR', 'code') });
});

describe('POST /auth/logout', () => {
  test('revokes one token and no other of the same user', async () => {
    const [one, another] = [api.tokenOf(alice), api.tokenOf(alice)];
    const headers = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
    expect((await api.call('POST', '/auth/logout', headers(one))).status).toBe(204);
    for (const [method, path] of [
      ['GET', '/auth/me'],
      ['POST', '/auth/logout'],
      ['GET', '/api/v1/flows'],
    ] as const)
      expect(await api.call(method, path, headers(one))).toMatchObject({ status: 401, body: code('UNAUTHORIZED') });
    expect((await api.call('GET', '/auth/me', headers(another))).status).toBe(200);
  });

  test('if the revocation of a token cannot be checked, the token is rejected', async () => {
    const away = () => Promise.reject(new AppError('DATABASE_UNAVAILABLE', 'The database cannot be reached.'));
    const unsure = await startApi({ revocations: { revoke: away, isRevoked: away } });
    expect(await unsure.call('GET', '/auth/me', { user: alice })).toMatchObject({
      status: 503,
      body: code('DATABASE_UNAVAILABLE'),
    });
    await unsure.close();
  });
});

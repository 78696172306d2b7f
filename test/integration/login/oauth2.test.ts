import { readConfig } from '../../../model/config';
import { createLoginStates } from '../../../services/login/login-states';
import { createOidc } from '../../../services/login/oidc';
import { createRevocations } from '../../../services/login/revocations';
import { startApi, type TestApi } from '../../support/api/server';
import {
  browse,
  clientSecret,
  redirectUri,
  startProvider,
  type TestProvider,
} from '../../support/servers/oidc-fixture';
import { useDatabase } from '../../support/system/database';

const mongo = useDatabase(['login_states', 'revoked_tokens']);
const application = 'http://localhost:3000';
const nora = {
  preferred_username: 'nora',
  name: 'Nora North',
  email: 'nora@example.org',
  email_verified: true,
  groups: ['finance'],
};
let provider: TestProvider;
let api: TestApi;
let now = Date.now();
const clock = () => new Date(now);

const environment = (change: Record<string, string> = {}) => ({
  OAUTH2_ENABLED: 'true',
  OAUTH2_CLIENT_ID: 'docloom',
  OAUTH2_CLIENT_SECRET: clientSecret,
  OAUTH2_REDIRECT_URI: redirectUri,
  OAUTH2_DISCOVERY_URL: `${provider.url}/.well-known/openid-configuration`,
  ...change,
});
const apiWith = (change?: Record<string, string>) =>
  startApi(
    {
      oidc: createOidc(readConfig(environment(change)), clock),
      loginStates: createLoginStates(mongo, clock),
      revocations: createRevocations(mongo, clock),
    },
    { corsOrigins: [application], loginSeconds: 600 },
  );

beforeAll(async () => {
  provider = await startProvider();
  api = await apiWith();
});
beforeEach(() => {
  now = Date.now();
  provider.account = nora;
  provider.refuses = false;
});
afterAll(async () => {
  await api.close();
  await provider.close();
});

/** The cookie of the browser, which every login sets again. */
let jar = '';
const begin = async (query = '', at = api) => {
  const { status, headers } = await at.call('GET', `/auth/oauth2/authorize${query}`, { headers: { Cookie: jar } });
  expect(status).toBe(307);
  const cookie = headers.get('Set-Cookie')?.split(';')[0] ?? '';
  jar = cookie;
  return { address: new URL(headers.get('Location') ?? ''), cookie, setCookie: headers.get('Set-Cookie') };
};
const callback = (search: string, at = api, cookie = jar) =>
  at.call('GET', `/auth/oauth2/callback${search}`, { headers: { Cookie: cookie } });
const logIn = async (at = api) => callback((await browse((await begin('', at)).address.href)).search, at);
const tokenIn = (reply: { body: unknown }) => (reply.body as { access_token: string }).access_token;
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const refused = (status: number, code: string) => ({ status, body: { errors: [{ code }] } });

describe('a login at the provider', () => {
  test('begins with PKCE, a state and a nonce, all new each time', async () => {
    const [one, another] = [(await begin()).address, (await begin()).address];
    expect(one.origin).toBe(provider.url);
    const asked = Object.fromEntries(one.searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      client_id: 'docloom',
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked[name]).toMatch(/^[\w-]{43}$/);
      expect(another.searchParams.get(name)).not.toBe(asked[name]);
    }
  });

  test('ends with a token like one of the directory, with the groups of the provider', async () => {
    const reply = await logIn();
    expect(reply).toMatchObject({ status: 200, body: { token_type: 'bearer' } });
    expect((await api.call('GET', '/auth/me', bearer(tokenIn(reply)))).body).toEqual({
      username: 'nora',
      email: 'nora@example.org',
      full_name: 'Nora North',
    });
    const [, claims = ''] = tokenIn(reply).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ groups: ['finance'] });
  });

  test('uses the next claim as the name, and never an unverified mail address', async () => {
    const getName = async (account: Record<string, unknown>) => {
      provider.account = account;
      return (await api.call('GET', '/auth/me', bearer(tokenIn(await logIn())))).body as { username: string };
    };
    expect((await getName({ email: 'a@example.org', email_verified: true })).username).toBe('a@example.org');
    expect((await getName({ email: 'a@example.org', email_verified: false })).username).toBe('user-1');
  });

  test('works with endpoints given by hand, and with the secret in the body', async () => {
    const manual = await apiWith({
      OAUTH2_CLIENT_ID: 'docloom-post',
      DOCLOOM_OAUTH2_CLIENT_AUTH: 'post',
      OAUTH2_DISCOVERY_URL: '',
      OIDC_ISSUER: provider.url,
      OAUTH2_AUTHORIZATION_ENDPOINT: `${provider.url}/auth`,
      OAUTH2_TOKEN_ENDPOINT: `${provider.url}/token`,
      OAUTH2_USERINFO_ENDPOINT: `${provider.url}/me`,
      OAUTH2_JWKS_URI: `${provider.url}/jwks`,
    });
    expect(await logIn(manual)).toMatchObject({ status: 200 });
    expect((await manual.call('GET', '/auth/oauth2/discovery/generic')).body).toMatchObject({ issuer: provider.url });
    await manual.close();
  });

  test('continues when the keys of the provider change, also in the middle of the use of the same process', async () => {
    expect((await logIn()).status).toBe(200);
    provider.rotateKeys();
    expect((await logIn()).status).toBe(200);
  });

  test('is rejected for another audience, and for a domain that is not allowed', async () => {
    const strict = await apiWith({ OIDC_AUDIENCE: 'somebody-else' });
    expect(await logIn(strict)).toMatchObject(refused(401, 'UNAUTHORIZED'));
    await strict.close();
    const domain = await apiWith({
      DOCLOOM_OAUTH2_USERNAME_CLAIM: 'email',
      DOCLOOM_OAUTH2_ALLOWED_DOMAINS: 'example.com',
    });
    expect(await logIn(domain)).toMatchObject(refused(403, 'FORBIDDEN'));
    await domain.close();
  });

  test('that the user denies is 401, and its state is used up', async () => {
    provider.refuses = true;
    const back = await browse((await begin()).address.href);
    expect(back.searchParams.get('error')).toBe('access_denied');
    const reply = await callback(back.search);
    expect(reply).toMatchObject(refused(401, 'UNAUTHORIZED'));
    expect(JSON.stringify(reply.body)).toContain('access_denied');
    expect(await callback(back.search)).toMatchObject(refused(400, 'VALIDATION_ERROR'));
  });
});

describe('a state', () => {
  test('is valid once, even for concurrent callbacks', async () => {
    const { search } = await browse((await begin()).address.href);
    const replies = await Promise.all([callback(search), callback(search)]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]));
    expect(await callback(search)).toMatchObject(refused(400, 'VALIDATION_ERROR'));
  });

  test('is valid in every process, because it is stored in the database', async () => {
    const another = await apiWith();
    const { search } = await browse((await begin()).address.href);
    expect(await callback(search, another)).toMatchObject({ status: 200 });
    await another.close();
  });

  test('is rejected when it is too old, unknown or missing', async () => {
    const { search } = await browse((await begin()).address.href);
    now += 601_000;
    expect(await callback(search)).toMatchObject(refused(400, 'VALIDATION_ERROR'));
    expect(await callback('?code=x&state=made-up')).toMatchObject(refused(400, 'VALIDATION_ERROR'));
    expect(await callback('?code=x')).toMatchObject(refused(400, 'VALIDATION_ERROR'));
    expect(await callback('?state=x')).toMatchObject(refused(400, 'VALIDATION_ERROR'));
  });

  test('of one login does not work with the code of another: the code verifier differs', async () => {
    const first = await browse((await begin()).address.href);
    const second = await browse((await begin()).address.href);
    first.searchParams.set('state', second.searchParams.get('state') ?? '');
    expect(await callback(first.search)).toMatchObject(refused(401, 'UNAUTHORIZED'));
  });

  test('is in the database as a digest only', async () => {
    const { address } = await begin();
    const stored = await mongo.collection('login_states').find().toArray();
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(address.searchParams.get('state'));
  });
});

describe('redirect_after', () => {
  const target = `?redirect_after=${encodeURIComponent(`${application}/home?tab=1`)}`;
  const comeBack = async () => {
    const { address, cookie, setCookie } = await begin(target);
    return { search: (await browse(address.href)).search, cookie, setCookie };
  };

  test('gets a code that is exchanged once for a token, and never the token', async () => {
    const { search, cookie, setCookie } = await comeBack();
    expect(setCookie).toMatch(/^docloom_login=[\w-]{43}; Path=\/auth\/oauth2; Max-Age=600; HttpOnly; SameSite=Lax$/);
    const { status, headers } = await callback(search, api, cookie);
    expect(status).toBe(307);
    const location = new URL(headers.get('Location') ?? '');
    expect(location.href).toMatch(/^http:\/\/localhost:3000\/home\?tab=1&code=[\w-]{43}$/);
    const exchange = () =>
      api.call('POST', '/auth/oauth2/token', { body: { code: location.searchParams.get('code') } });
    const reply = await exchange();
    expect((await api.call('GET', '/auth/me', bearer(tokenIn(reply)))).body).toMatchObject({ username: 'nora' });
    expect(await exchange()).toMatchObject(refused(401, 'UNAUTHORIZED'));
  });

  test('two logins in one browser work side by side', async () => {
    const first = await begin(target);
    const { headers } = await api.call('GET', `/auth/oauth2/authorize${target}`, { headers: { Cookie: first.cookie } });
    expect(headers.get('Set-Cookie')?.split(';')[0]).toBe(first.cookie);
    for (const address of [headers.get('Location') ?? '', first.address.href])
      expect((await callback((await browse(address)).search, api, first.cookie)).status).toBe(307);
  });

  test('its code is valid for a minute', async () => {
    const { search, cookie } = await comeBack();
    const { headers } = await callback(search, api, cookie);
    const code = new URL(headers.get('Location') ?? '').searchParams.get('code');
    now += 60_001;
    expect(await api.call('POST', '/auth/oauth2/token', { body: { code } })).toMatchObject(
      refused(401, 'UNAUTHORIZED'),
    );
  });

  test.each(['', 'docloom_login=another'])('is rejected in a browser with the cookie "%s"', async (cookie) => {
    const { search } = await comeBack();
    expect(await callback(search, api, cookie)).toMatchObject(refused(400, 'VALIDATION_ERROR'));
  });
});

describe('a browser', () => {
  const html = (cookie = jar) => ({ Accept: 'text/html,application/xhtml+xml', Cookie: cookie });
  const target = '?redirect_after=/console/login%3Fto%3D%252Fruns';
  const getPlace = async (search: string, headers: Record<string, string>) => {
    const { status, headers: answer } = await api.call('GET', `/auth/oauth2/callback${search}`, { headers });
    expect(status).toBe(307);
    const { origin, pathname, searchParams } = new URL(answer.get('Location') ?? '');
    expect(origin).toBe(new URL(api.url).origin);
    return { pathname, ...Object.fromEntries(searchParams) };
  };

  test('in which a login fails returns to where it came from, with the reason and nothing else of the provider', async () => {
    provider.refuses = true;
    const refusedAtProvider = (await browse((await begin(target)).address.href)).search;
    const back = { pathname: '/console/login', to: '/runs' };
    const told = `${refusedAtProvider}&error_description=%3Cscript%3E`;
    expect(await getPlace(told, html())).toEqual({ ...back, login_error: 'refused' });
    provider.refuses = false;
    const { search } = await browse((await begin(target)).address.href);
    expect(await getPlace(search, html('docloom_login=another'))).toEqual({ ...back, login_error: 'expired' });
    // The place of an unknown login is unknown, too.
    const unknown = { pathname: '/console/login', login_error: 'expired' };
    expect(await getPlace(search, html())).toEqual(unknown);
    expect(await getPlace('?code=x&state=made-up&to=//evil.example', html())).toEqual(unknown);
  });

  test('alone exchanges the code of its login: no link logs another browser in', async () => {
    const { search } = await browse((await begin(target)).address.href);
    const exchange = async (cookie: string) => {
      const { code } = (await getPlace(search, html())) as { code?: string };
      return api.call('POST', '/auth/oauth2/token', { body: { code }, headers: { Cookie: cookie } });
    };
    expect(await exchange('docloom_login=another')).toMatchObject(refused(401, 'UNAUTHORIZED'));
    const again = await browse((await begin(target)).address.href);
    const { code } = (await getPlace(again.search, html())) as { code?: string };
    const own = { body: { code }, headers: { Cookie: jar } };
    expect((await api.call('POST', '/auth/oauth2/token', own)).status).toBe(200);
  });
});

describe('the provider', () => {
  test('is listed, and its metadata are shown', async () => {
    expect((await api.call('GET', '/auth/oauth2/providers')).body).toEqual({
      providers: [
        {
          name: 'generic',
          display_name: 'Single sign-on',
          authorize_url: '/auth/oauth2/authorize?provider=generic',
        },
      ],
    });
    expect((await api.call('GET', '/auth/oauth2/discovery/generic')).body).toMatchObject({
      issuer: provider.url,
      token_endpoint: `${provider.url}/token`,
    });
    expect(await api.call('GET', '/auth/oauth2/discovery/google')).toMatchObject(refused(404, 'NOT_FOUND'));
    expect(await api.call('GET', '/auth/oauth2/authorize?provider=azure')).toMatchObject(refused(404, 'NOT_FOUND'));
    expect(await api.call('GET', '/auth/oauth2/authorize?provider=x')).toMatchObject(refused(400, 'VALIDATION_ERROR'));
  });

  test('that is unavailable is 503, and login continues when it is back', async () => {
    const { search } = await browse((await begin()).address.href);
    await provider.close();
    const fresh = await apiWith();
    for (const reply of [
      await callback(search),
      await fresh.call('GET', '/auth/oauth2/authorize'),
      await fresh.call('GET', '/auth/oauth2/discovery/generic'),
    ])
      expect(reply).toMatchObject(refused(503, 'CONNECTION_ERROR'));
    await provider.open();
    expect((await logIn(fresh)).status).toBe(200);
    await fresh.close();
  });

  test('that rejects the secret of this server is 502, without the secret in the answer', async () => {
    const wrong = await apiWith({ OAUTH2_CLIENT_SECRET: 'the secret of another client, long' });
    const reply = await logIn(wrong);
    expect(reply).toMatchObject(refused(502, 'EXTERNAL_SERVICE_ERROR'));
    expect(JSON.stringify(reply.body)).not.toContain('another client');
    await wrong.close();
  });

  test('whose address serves something else is 502', async () => {
    const wrong = await apiWith({ OAUTH2_DISCOVERY_URL: `${provider.url}/nowhere/.well-known/openid-configuration` });
    expect(await wrong.call('GET', '/auth/oauth2/authorize')).toMatchObject(refused(502, 'EXTERNAL_SERVICE_ERROR'));
    await wrong.close();
    const other = await apiWith({ OIDC_ISSUER: `${provider.url}/another` });
    expect(await other.call('GET', '/auth/oauth2/authorize')).toMatchObject(refused(502, 'EXTERNAL_SERVICE_ERROR'));
    await other.close();
  });
});

test('a logout revokes the token everywhere, at once here and soon in other processes, and is idempotent', async () => {
  const another = await apiWith();
  const token = tokenIn(await logIn());
  expect((await another.call('GET', '/auth/me', bearer(token))).status).toBe(200);
  expect((await api.call('POST', '/auth/logout', bearer(token))).status).toBe(204);
  expect(await api.call('GET', '/auth/me', bearer(token))).toMatchObject(refused(401, 'UNAUTHORIZED'));
  now += 5_001;
  expect(await another.call('GET', '/auth/me', bearer(token))).toMatchObject(refused(401, 'UNAUTHORIZED'));
  expect((await api.call('GET', '/auth/me', bearer(tokenIn(await logIn())))).status).toBe(200);
  await another.close();
});

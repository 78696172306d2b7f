import { createClient } from '../../client';
import { browse, clientSecret, redirectUri, startProvider, type TestProvider } from '../support/servers/oidc-fixture';
import { createSystem, type System } from '../support/system/system';

let provider: TestProvider;
let system: System;
let value: string;
let another: string;
beforeAll(async () => {
  provider = await startProvider();
  provider.account = { preferred_username: 'nora', name: 'Nora North', groups: ['staff'] };
  system = createSystem({
    OAUTH2_ENABLED: 'true',
    OAUTH2_CLIENT_ID: 'docloom',
    OAUTH2_CLIENT_SECRET: clientSecret,
    OAUTH2_REDIRECT_URI: redirectUri,
    OAUTH2_DISCOVERY_URL: `${provider.url}/.well-known/openid-configuration`,
    CORS_ORIGINS: 'https://app.example',
  });
  [value, another] = await Promise.all([system.startApi(), system.startApi()]);
});
afterAll(async () => {
  await system.stop();
  await provider.close();
});

test('a login can begin in one process and end in another; its code is exchanged for a token, which a logout revokes', async () => {
  const begun = await fetch(`${value}/auth/oauth2/authorize?redirect_after=https://app.example/home`, {
    redirect: 'manual',
  });
  const back = await browse(begun.headers.get('Location') ?? '');
  const ended = await fetch(`${another}/auth/oauth2/callback${back.search}`, {
    redirect: 'manual',
    headers: { cookie: begun.headers.getSetCookie()[0]?.split(';')[0] ?? '' },
  });
  const home = new URL(ended.headers.get('Location') ?? '');
  expect([home.origin, home.pathname, [...home.searchParams.keys()]]).toEqual([
    'https://app.example',
    '/home',
    ['code'],
  ]);

  const anonymous = createClient({ baseUrl: value });
  expect((await anonymous.oauth2.providers()).providers.map(({ name }) => name)).toEqual(['generic']);
  const { access_token } = await anonymous.oauth2.exchange(home.searchParams.get('code') ?? '');
  const nora = createClient({ baseUrl: value, token: access_token });
  expect(await nora.me()).toEqual({ username: 'nora', email: '', full_name: 'Nora North' });
  await nora.logout();
  await expect(nora.me()).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
});

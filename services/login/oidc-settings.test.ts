import { readConfig } from '../../model/config';
import { readConfiguredProvider } from './oidc-settings';

const client = {
  OAUTH2_CLIENT_ID: 'docloom',
  OAUTH2_CLIENT_SECRET: 'secret',
  OAUTH2_REDIRECT_URI: 'https://docs.example/auth/oauth2/callback',
};
const read = (env: Record<string, string>) => readConfiguredProvider(readConfig({ ...client, ...env }));
const endpoints = {
  OIDC_ISSUER: 'https://id.example/',
  OAUTH2_AUTHORIZATION_ENDPOINT: 'https://id.example/authorize',
  OAUTH2_TOKEN_ENDPOINT: 'https://id.example/token',
  OAUTH2_JWKS_URI: 'https://id.example/keys',
};

test('google needs its client only', () => {
  expect(read({ OAUTH2_PROVIDER: 'google' })).toMatchObject({
    provider: {
      name: 'google',
      displayName: 'Google',
      issuer: new URL('https://accounts.google.com'),
      discoveryUrl: new URL('https://accounts.google.com/.well-known/openid-configuration'),
      usernameClaims: ['email'],
    },
  });
});

test.each(['azure', 'microsoft'])('%s needs the tenant too', (name) => {
  expect(read({ OAUTH2_PROVIDER: name })).toEqual({ problem: 'not set: OAUTH2_AZURE_TENANT_ID' });
  expect(read({ OAUTH2_PROVIDER: name, OAUTH2_AZURE_TENANT_ID: 'a/b' })).toMatchObject({
    provider: { name: 'azure', issuer: new URL('https://login.microsoftonline.com/a%2Fb/v2.0') },
  });
});

test('generic derives the issuer from the discovery address unless it is given', () => {
  const discovery = { OAUTH2_DISCOVERY_URL: 'https://id.example/realm/.well-known/openid-configuration' };
  expect(read(discovery)).toMatchObject({ provider: { issuer: new URL('https://id.example/realm'), given: {} } });
  expect(read({ ...discovery, OIDC_ISSUER: 'https://id.example/realm/' })).toMatchObject({
    provider: { issuer: new URL('https://id.example/realm/') },
  });
});

test('generic accepts endpoints by hand, which take precedence over the discovery document', () => {
  expect(read(endpoints)).toMatchObject({
    provider: {
      discoveryUrl: undefined,
      given: {
        issuer: 'https://id.example/',
        token_endpoint: 'https://id.example/token',
        jwks_uri: 'https://id.example/keys',
      },
    },
  });
  expect(
    read({ OAUTH2_DISCOVERY_URL: 'https://id.example', OAUTH2_JWKS_URI: 'https://id.example/keys' }),
  ).toMatchObject({ provider: { given: { jwks_uri: 'https://id.example/keys' } } });
});

test.each([
  [
    'no client',
    { OAUTH2_CLIENT_ID: '', OAUTH2_REDIRECT_URI: '' },
    /OAUTH2_CLIENT_ID, OAUTH2_REDIRECT_URI, OAUTH2_DISCOVERY_URL/,
  ],
  ['a vendor without a secret', { OAUTH2_PROVIDER: 'google', OAUTH2_CLIENT_SECRET: '' }, /OAUTH2_CLIENT_SECRET/],
  ['half of the endpoints', { ...endpoints, OAUTH2_JWKS_URI: '' }, /not set: OAUTH2_JWKS_URI$/],
  [
    'an address that is not a URL',
    { OAUTH2_DISCOVERY_URL: 'id.example' },
    /no https or http address: OAUTH2_DISCOVERY_URL/,
  ],
  [
    'a redirect address with a query',
    { ...endpoints, OAUTH2_REDIRECT_URI: 'https://a.example/?b' },
    /OAUTH2_REDIRECT_URI/,
  ],
  ['a scope without openid', { ...endpoints, OAUTH2_SCOPE: 'profile' }, /OAUTH2_SCOPE/],
])('%s is detected by its settings', (_name, env, problem) => {
  expect(read(env)).toEqual({ problem: expect.stringMatching(problem) });
});

test('a generic public client has no secret', () => {
  expect(read({ ...endpoints, OAUTH2_CLIENT_SECRET: '' })).toMatchObject({ provider: { clientSecret: undefined } });
});

import { alice } from '../../support/api/server';
import { createSpecClient, type EndpointRow, testEndpoints } from '../../support/api/spec-client';

const { send, sendAnonymously } = createSpecClient();

const rows: EndpointRow[] = [
  [
    'GET /',
    'root endpoint, without a token',
    async () => expect(await (await sendAnonymously('/')).json()).toHaveProperty('message'),
  ],
  [
    'GET /health',
    'health check',
    async () => expect(await (await sendAnonymously('/health')).json()).toEqual({ status: 'ok' }),
  ],
  [
    'GET /api/v1/docs',
    'interactive API reference UI',
    async () => expect(await (await sendAnonymously('/api/v1/docs')).text()).toContain('swagger-ui'),
  ],
  [
    'GET /api/v1/redoc',
    'alternative reference UI',
    async () => expect(await (await sendAnonymously('/api/v1/redoc')).text()).toContain('start-reading.js'),
  ],
  [
    'GET /api/v1/openapi.json',
    'raw OpenAPI schema',
    async () =>
      expect(await (await sendAnonymously('/api/v1/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' }),
  ],
  [
    'POST /auth/login',
    'JSON login request; token response',
    async () => {
      const token = await send('POST /auth/login', 200, { username: 'alice', password: 'right' });
      expect(token).toEqual({ access_token: expect.any(String), token_type: 'bearer' });
      const headers = { Authorization: `Bearer ${String(token['access_token'])}` };
      expect((await sendAnonymously('/auth/me', { headers })).status).toBe(200);
    },
  ],
  [
    'GET /auth/me',
    'user info of the Bearer token',
    async () => {
      const { username, email, full_name } = alice;
      expect(await send('GET /auth/me', 200)).toEqual({ username, email, full_name });
    },
  ],
  [
    'GET /auth/oauth2/authorize',
    "redirect to the provider's authorization endpoint",
    async () => {
      const reply = await sendAnonymously('/auth/oauth2/authorize?provider=generic', { redirect: 'manual' });
      expect(reply.headers.get('Location')).toMatch(/^https:\/\/login\.example\/\?state=/);
    },
  ],
  [
    'GET /auth/oauth2/callback',
    'token response; the state works once',
    async () => {
      const redirect = await sendAnonymously('/auth/oauth2/authorize', { redirect: 'manual' });
      const secret = new URL(redirect.headers.get('Location') ?? '').searchParams.get('state');
      const callback = `/auth/oauth2/callback?code=c&state=${secret}&provider=generic`;
      // Only the browser that started the login can complete it.
      const headers = { Cookie: (redirect.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '' };
      expect(await (await sendAnonymously(callback, { headers })).json()).toMatchObject({ token_type: 'bearer' });
      expect((await sendAnonymously(callback, { headers })).status).toBe(400);
    },
  ],
  [
    'GET /auth/oauth2/providers',
    'list of configured OAuth2 providers',
    async () =>
      expect(await (await sendAnonymously('/auth/oauth2/providers')).json()).toMatchObject({
        providers: [{ name: 'generic' }],
      }),
  ],
  [
    'GET /auth/oauth2/discovery/{provider}',
    "the provider's OIDC discovery document",
    async () =>
      expect(await (await sendAnonymously('/auth/oauth2/discovery/generic')).json()).toEqual({
        issuer: 'https://login.example',
      }),
  ],
  [
    'GET /protected',
    'example protected endpoint',
    async () => {
      expect(await send('GET /protected', 200)).toMatchObject({ message: 'Hello alice' });
      expect((await sendAnonymously('/protected')).status).toBe(401);
    },
  ],
];

testEndpoints(rows, 5 + 7);

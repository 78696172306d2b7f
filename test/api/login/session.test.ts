import { alice, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

/** The cookies of a new session, and the value of the cookie that scripts may read. */
async function logIn(): Promise<{ cookie: string; csrf: string }> {
  const { headers } = await api.call('POST', '/auth/login', { body: { username: 'alice', password: 'right' } });
  const pairs = headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  return { cookie: pairs.join('; '), csrf: /docloom_csrf=([\w-]+)/.exec(pairs.join(';'))?.[1] ?? '' };
}

describe('the session of a browser', () => {
  test('reads with the cookie alone, event streams too', async () => {
    const { cookie } = await logIn();
    expect(await api.call('GET', '/auth/me', { headers: { cookie } })).toMatchObject({
      status: 200,
      body: { username: 'alice' },
    });
  });

  test('writes with the cookie and its CSRF token, and is rejected without', async () => {
    const { cookie, csrf } = await logIn();
    const write = (headers: Record<string, string>) =>
      api.call('POST', '/api/v1/projects', { body: { name: `p${Math.random()}` }, headers: { cookie, ...headers } });
    expect((await write({ 'X-CSRF-Token': csrf })).status).toBe(201);
    for (const headers of [{}, { 'X-CSRF-Token': '' }, { 'X-CSRF-Token': 'x'.repeat(43) }])
      expect(await write(headers as Record<string, string>)).toMatchObject({
        status: 403,
        body: { errors: [{ code: 'FORBIDDEN', target: { type: 'header', name: 'X-CSRF-Token' } }] },
      });
  });

  test('the CSRF token of another session is rejected', async () => {
    const [one, other] = [await logIn(), await logIn()];
    const headers = { cookie: one.cookie, 'X-CSRF-Token': other.csrf };
    expect((await api.call('POST', '/api/v1/projects', { body: { name: 'p' }, headers })).status).toBe(403);
  });

  test('a bearer token needs no CSRF token, and takes precedence over the cookie', async () => {
    const { cookie } = await logIn();
    const reply = await api.call('POST', '/api/v1/projects', { user: alice, body: { name: 'p' }, headers: { cookie } });
    expect(reply.status).toBe(201);
    const headers = { cookie, Authorization: 'Bearer nonsense' };
    expect((await api.call('GET', '/auth/me', { headers })).status).toBe(401);
  });

  test('ends with a logout, also for a kept cookie', async () => {
    const { cookie, csrf } = await logIn();
    const left = await api.call('POST', '/auth/logout', { headers: { cookie, 'X-CSRF-Token': csrf } });
    expect(left.status).toBe(204);
    expect(left.headers.getSetCookie().every((line) => line.includes('Max-Age=0'))).toBe(true);
    expect((await api.call('GET', '/auth/me', { headers: { cookie } })).status).toBe(401);
  });

  test('at an https address it has cookies that no other host can set, and takes no others', async () => {
    const secure = await startApi({}, { publicUrl: 'https://docs.example' });
    const { headers } = await secure.call('POST', '/auth/login', { body: { username: 'alice', password: 'right' } });
    const pairs = headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    expect(pairs.map((pair) => pair.split('=')[0])).toEqual(['__Host-docloom_session', '__Host-docloom_csrf']);
    const cookie = pairs.join('; ');
    expect((await secure.call('GET', '/auth/me', { headers: { cookie } })).status).toBe(200);
    const planted = cookie.replaceAll('__Host-', '');
    expect((await secure.call('GET', '/auth/me', { headers: { cookie: planted } })).status).toBe(401);
    const csrf = /docloom_csrf=([\w-]+)/.exec(cookie)?.[1] ?? '';
    const left = await secure.call('POST', '/auth/logout', { headers: { cookie, 'X-CSRF-Token': csrf } });
    expect(left.status).toBe(204);
    expect((await secure.call('GET', '/auth/me', { headers: { cookie } })).status).toBe(401);
    await secure.close();
  });

  test('ends with the next login of the browser, and with no other', async () => {
    const [mine, elsewhere] = [await logIn(), await logIn()];
    const read = async (cookie: string) => (await api.call('GET', '/auth/me', { headers: { cookie } })).status;
    const again = async (password: string) =>
      (
        await api.call('POST', '/auth/login', {
          body: { username: 'alice', password },
          headers: { cookie: mine.cookie },
        })
      ).status;
    expect(await again('wrong')).toBe(401);
    expect(await read(mine.cookie)).toBe(200);
    expect(await again('right')).toBe(200);
    expect(await read(mine.cookie)).toBe(401);
    expect(await read(elsewhere.cookie)).toBe(200);
    // A session that has ended, or is none, is no obstacle to a login.
    expect(await again('right')).toBe(200);
  });

  test('a cookie that is not a token counts as none', async () => {
    expect((await api.call('GET', '/auth/me', { headers: { cookie: 'docloom_session=a.b.c' } })).status).toBe(401);
    expect((await api.call('GET', '/health', { headers: { cookie: 'docloom_session=a.b.c' } })).status).toBe(200);
  });
});

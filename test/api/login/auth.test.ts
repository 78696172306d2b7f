import jwt from 'jsonwebtoken';
import { createLoginLimit } from '../../../api/login/login-limit';
import { AppError } from '../../../model/errors';
import { createTokens } from '../../../services/login/tokens';
import { alice, secret, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

const login = (username: unknown, password: unknown) =>
  api.call('POST', '/auth/login', { body: { username, password } });
const withToken = (token: string) => api.call('GET', '/auth/me', { headers: { Authorization: token } });
const inAnHour = Math.floor(Date.now() / 1000) + 3600;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('POST /auth/login', () => {
  test('returns a token that the other routes accept', async () => {
    const { status, body } = await login('alice', 'right');
    expect(status).toBe(200);
    const { access_token, token_type } = body as { access_token: string; token_type: string };
    expect(token_type).toBe('bearer');
    expect((await withToken(`Bearer ${access_token}`)).body).toEqual({
      username: 'alice',
      email: 'alice@example.org',
      full_name: 'Alice A',
    });
  });

  test('rejects a wrong password with 401', async () => {
    expect(await login('alice', 'wrong')).toMatchObject({
      status: 401,
      body: { errors: [{ code: 'UNAUTHORIZED', message: 'Invalid username or password.' }] },
    });
  });

  test.each([
    ['no password', { username: 'alice' }, 'password'],
    ['a number as name', { username: 1, password: 'x' }, 'username'],
    ['nothing', {}, 'username'],
  ])('rejects %s with 400 and the name of the field', async (_name, body, name) => {
    const response = await api.call('POST', '/auth/login', { body });
    expect(response.status).toBe(400);
    expect(JSON.stringify(response.body)).toContain(name);
  });

  test('allows ten attempts a minute per name, then returns a Retry-After', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await login('mallory', 'guess')).status).toBe(401);
    const { status, headers, body } = await login('MALLORY', 'guess');
    expect(status).toBe(429);
    expect(body).toMatchObject({ errors: [{ code: 'TOO_MANY_REQUESTS' }] });
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(50);
    expect((await login('alice', 'right')).status).toBe(200);
  });

  test('returns 503 if the directory is unavailable', async () => {
    const away = await startApi({
      directory: { login: () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'The directory does not answer.')) },
    });
    expect(await away.call('POST', '/auth/login', { body: { username: 'a', password: 'b' } })).toMatchObject({
      status: 503,
      body: { errors: [{ code: 'SERVICE_UNAVAILABLE', message: 'The directory does not answer.' }] },
    });
    await away.close();
  });

  test('returns 503 without checking the password if JWT_SECRET_KEY is not set', async () => {
    let logins = 0;
    const directory = { login: async () => ((logins += 1), alice) };
    const open = await startApi({ tokens: createTokens({ secret: undefined, expireMinutes: 5 }), directory });
    for (const [method, path, body] of [
      ['POST', '/auth/login', { username: 'alice', password: 'right' }],
      ['GET', '/auth/me', undefined],
    ] as const) {
      const response = await open.call(method, path, { body });
      expect(response).toMatchObject({
        status: 503,
        body: { errors: [{ message: expect.stringContaining('JWT_SECRET_KEY is not set') }] },
      });
    }
    expect(logins).toBe(0);
    await open.close();
  });
});

describe('a token', () => {
  test.each([
    ['none', ''],
    ['of another scheme', 'Basic YWxpY2U6eA=='],
    ['without a scheme', jwt.sign({ username: 'alice', exp: inAnHour }, secret)],
    ['empty', 'Bearer '],
    ['nonsense', 'Bearer nonsense'],
    ['with a further word', `Bearer ${jwt.sign({ username: 'alice', exp: inAnHour }, secret)} x`],
    ['expired', `Bearer ${jwt.sign({ username: 'alice', exp: 1 }, secret)}`],
    ['unsigned', `Bearer ${jwt.sign({ username: 'alice', exp: inAnHour }, secret).replace(/[^.]*$/, '')}`],
    ['with alg none', `Bearer ${encode({ alg: 'none', typ: 'JWT' })}.${encode({ username: 'alice', exp: inAnHour })}.`],
    [
      'of another algorithm',
      `Bearer ${jwt.sign({ username: 'alice', exp: inAnHour }, secret, { algorithm: 'HS384' })}`,
    ],
    [
      'of another secret',
      `Bearer ${jwt.sign({ username: 'alice', exp: inAnHour }, 'another secret of thirty-two characters')}`,
    ],
    ['without a user name', `Bearer ${jwt.sign({ email: 'x', exp: inAnHour }, secret)}`],
  ])('%s is rejected with 401 and WWW-Authenticate', async (_name, header) => {
    const { status, headers, body } = await withToken(header);
    expect(status).toBe(401);
    expect(headers.get('WWW-Authenticate')).toBe('Bearer');
    expect(body).toMatchObject({ errors: [{ code: 'UNAUTHORIZED' }] });
  });

  test('with the minimum of claims is accepted, in any spelling of the scheme', async () => {
    const token = jwt.sign({ username: 'dave', exp: inAnHour, iss: 'docloom', aud: 'docloom' }, secret);
    expect((await withToken(`bearer ${token}`)).body).toEqual({ username: 'dave', email: '', full_name: '' });
  });
});

test('/protected greets the user of the token', async () => {
  expect((await api.call('GET', '/protected', { user: alice })).body).toEqual({
    message: 'Hello alice',
    user: { username: 'alice', email: 'alice@example.org', full_name: 'Alice A' },
  });
});

test('the login limit forgets names after a minute, and never keeps more than its maximum', () => {
  let now = 0;
  const limit = createLoginLimit(1, () => new Date(now));
  limit('1.2.3.4', 'alice');
  expect(() => limit('1.2.3.4', 'alice')).toThrow(
    expect.objectContaining({ code: 'TOO_MANY_REQUESTS', details: { retryAfterMs: 60_000 } }),
  );
  limit('1.2.3.5', 'alice');
  now = 60_000;
  limit('1.2.3.4', 'alice');
  for (let index = 0; index < 10_001; index += 1) limit('1.2.3.4', `name-${index}`);
  limit('1.2.3.4', 'alice');
});

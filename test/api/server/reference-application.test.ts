import jwt from 'jsonwebtoken';
import { AppError } from '../../../model/errors';
import { createTokens } from '../../../services/login/tokens';
import { type Answer, type Body, type Reference, startReference, toError } from '../../support/api/reference-client';
import { bob, secret, startApi } from '../../support/api/server';

let reference: Reference;
beforeAll(async () => {
  reference = await startReference();
});
afterAll(() => reference.api.close());
const call: Reference['call'] = (...args) => reference.call(...args);

describe('tokens', () => {
  const me = async (token: string) => {
    const response = await fetch(`${reference.api.url}/auth/me`, { headers: { Authorization: `Bearer ${token}` } });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const signed = (claims: Body, expiresIn: jwt.SignOptions['expiresIn'] = 60) =>
    jwt.sign(claims, secret, { expiresIn, issuer: 'docloom', audience: 'docloom' });
  test('a token has username, email and exp', () => {
    const claims = jwt.decode(createTokens({ secret, expireMinutes: 5 }).issue(bob)) as Body;
    expect(claims).toMatchObject({ username: 'bob', email: 'bob@example.org', exp: expect.any(Number) });
  });
  test('a minimal token: email and full_name are empty; further claims are ignored; it works more than once', async () => {
    const token = signed({ username: 'zoe', extra: { deep: 1 } });
    for (let i = 0; i < 2; i += 1)
      expect(await me(token)).toEqual({ status: 200, body: { username: 'zoe', email: '', full_name: '' } });
  });
  test.each([
    ['without a username', () => signed({ email: 'x' })],
    ['that has expired', () => signed({ username: 'x' }, -1)],
    ['that is malformed', () => 'a.b'],
    ['of another key', () => jwt.sign({ username: 'x' }, 'y'.repeat(32), { expiresIn: 60 })],
  ])('a token %s: 401 unauthorized', async (_name, token) => {
    expect(await me(token())).toMatchObject({ status: 401, body: { errors: [{ code: 'unauthorized' }] } });
  });
  test('login: 200 with access_token and bearer; 401 unauthorized; 503 service_unavailable', async () => {
    expect((await call('POST /auth/login', { username: 'alice', password: 'right' })).body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
    });
    expect(toError(await call('POST /auth/login', { username: 'alice', password: 'wrong' }))).toEqual([
      401,
      'unauthorized',
    ]);
    expect(toError(await call('POST /auth/login', { username: 'alice' }))[0]).toBe(400);
    const login = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'LDAP is not configured.'));
    const own = await startApi({ directory: { login } }, { codeCase: 'lower' });
    const body = { username: 'alice', password: 'right' };
    expect(toError((await own.call('POST', '/auth/login', { body })) as Answer)).toEqual([503, 'service_unavailable']);
    await own.close();
  });
  test('/protected names the user', async () => {
    expect((await call('GET /protected')).body).toMatchObject({ message: expect.stringContaining('alice') });
  });
  test('oauth2 switched off: providers are empty, authorize and discovery 503', async () => {
    expect((await call('GET /auth/oauth2/providers')).body).toEqual({ providers: [] });
    expect(toError(await call('GET /auth/oauth2/authorize'))[0]).toBe(503);
    expect(toError(await call('GET /auth/oauth2/discovery/generic'))[0]).toBe(503);
  });
});

describe('the application', () => {
  test('/ and /health answer, docs are HTML, the description is JSON', async () => {
    for (const [path, type] of [
      ['/', 'application/json'],
      ['/health', 'application/json'],
      ['/api/v1/docs', 'text/html'],
      ['/api/v1/openapi.json', 'application/json'],
    ]) {
      const response = await fetch(`${reference.api.url}${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toContain(type);
    }
  });
  test('headers: nosniff, DENY, a transaction id; a given one is returned', async () => {
    const { headers } = await call('GET /flows', undefined, { 'X-Global-Transaction-Id': 'mine-1' });
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('X-Transaction-ID')).toBe('mine-1');
  });
  test('413 names 5.0MB in detail', async () => {
    const answer = await call('POST /flows', { description: 'x'.repeat(5_242_880) });
    expect(toError(answer)).toEqual([413, 'payload_too_large']);
    expect(answer.body['detail']).toContain('5.0MB');
  });
});

test('an unknown provider of models: 400 unsupported_provider', async () => {
  expect(toError(await call('GET /providers/nobody/models'))).toEqual([400, 'unsupported_provider']);
});

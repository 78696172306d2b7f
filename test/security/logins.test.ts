import jwt from 'jsonwebtoken';
import { findFirstValue } from '../../services/login/ldap-names';
import type { Oidc } from '../../services/login/oidc';
import { createUser } from '../../services/login/oidc-user';
import { createTokens } from '../../services/login/tokens';
import { alice, secret, startApi, type TestApi } from '../support/api/server';

/** Attacks on logins: guessing passwords, foreign tokens, names that look like others, and logins that another browser finishes. */
let api: TestApi;
const proxies = { trustedProxies: ['127.0.0.1'] };
beforeEach(async () => {
  api = await startApi({}, proxies);
});
afterEach(() => api.close());

const login = async (username: string, from = '198.51.100.1', password = 'wrong') =>
  (
    await api.call('POST', '/auth/login', {
      body: { username, password },
      headers: { 'X-Forwarded-For': from },
    })
  ).status;

describe('guessing passwords', () => {
  test.each([
    ['blanks', (turn: number) => `${' '.repeat(turn)}alice${' '.repeat(turn % 3)}`],
    [
      'letter case',
      (turn: number) => Array.from('alice', (c, at) => ((turn >> at) & 1 ? c.toUpperCase() : c)).join(''),
    ],
    ['other kinds of blanks', (turn: number) => `alice${'\u00a0\u2003 \u3000'.charAt(turn % 4).repeat(turn)}`],
    ['invisible characters', (turn: number) => `al${'\u200b'.repeat(turn)}ice\u00ad`],
    ['full-width letters', (turn: number) => (turn % 2 ? 'ａｌｉｃｅ' : 'alice')],
    ['letters of mathematics', (turn: number) => (turn % 2 ? '𝐚𝗅𝒾𝖼𝕖' : 'alice')],
    ['variation selectors and joiners', (turn: number) => `ali${'\ufe0f\u034f\u200d'.charAt(turn % 3).repeat(turn)}ce`],
    // RFC 4518 lets directories ignore these two.
    ['object replacement characters', (turn: number) => `a${'\ufffc'.repeat(turn)}lice`],
    ['soft hyphens of Mongolian', (turn: number) => `alice${'\u1806'.repeat(turn)}`],
  ])('of one name in many spellings is limited: %s', async (_name, spelling) => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 11; turn += 1) statuses.push(await login(spelling(turn)));
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
    expect(statuses.at(-1)).toBe(429);
  });

  test.each([
    ['an address', () => '198.51.100.7'],
    ['an IPv6 network', (turn: number) => `2001:db8:0:1::${turn.toString(16)}`],
    ['an IPv6 network in other spellings', (turn: number) => `2001:0DB8::1:${turn}:0:0:${turn}`],
    ['an address in IPv6', (turn: number) => (turn % 2 ? '::ffff:198.51.100.7' : '::FFFF:c633:6407')],
    ['an address that names others before it', (turn: number) => `203.0.113.${turn}, 198.51.100.7`],
  ])('of many names from %s is limited', async (_name, address) => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 31; turn += 1) statuses.push(await login(`user-${turn}`, address(turn)));
    expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 401));
    expect(statuses.at(-1)).toBe(429);
    expect(await login('alice', address(99), 'right')).toBe(429);
    expect(await login('alice', '192.0.2.9', 'right')).toBe(200);
  });

  test('in bodies of other forms is limited together with the others', async () => {
    const attempt = async (type: string, body: string) => {
      const headers = { 'Content-Type': type, 'X-Forwarded-For': '198.51.100.8' };
      return (await fetch(`${api.url}/auth/login`, { method: 'POST', headers, body })).status;
    };
    const forms: [string, string][] = [
      ['application/json', '{"username":"alice","password":"wrong"}'],
      ['application/json', '{"username":"bob","username":"\\u0061lice","password":"wrong"}'],
      ['application/json; charset=utf-8', '{"password":"wrong","username":"alice ","more":1}'],
      ['application/x-www-form-urlencoded', 'username=%61lice&password=wrong'],
    ];
    const statuses: number[] = [];
    for (let turn = 0; turn < 24; turn += 1) statuses.push(await attempt(...(forms[turn % 4] as [string, string])));
    // Requests that are not valid logins are refused before the password is checked.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.slice(-4)).not.toContain(401);
    expect(statuses).toContain(429);
    for (const username of [['alice'], { $ne: '' }, null, 5])
      expect([400, 422]).toContain(await attempt('application/json', JSON.stringify({ username, password: 'wrong' })));
  });

  test('does not count successful logins', async () => {
    const others = await startApi({ directory: { login: async (username) => ({ ...alice, username }) } });
    for (let turn = 0; turn < 40; turn += 1) {
      const body = { username: `user-${turn}`, password: 'right' };
      expect((await others.call('POST', '/auth/login', { body })).status).toBe(200);
    }
    await others.close();
  });
});

describe('a token of another installation', () => {
  const claims = { username: 'alice', groups: ['admins'], exp: Math.floor(Date.now() / 1000) + 60 };
  const status = async (token: string) =>
    (await fetch(`${api.url}/auth/me`, { headers: { Authorization: `Bearer ${token}` } })).status;

  test.each([
    ['without issuer and audience', {}],
    ['of another issuer', { iss: 'wiki', aud: 'docloom' }],
    ['for another audience', { iss: 'docloom', aud: 'wiki' }],
    ['for several others', { iss: 'docloom', aud: ['wiki', 'docloom-2', ''] }],
    ['without audience', { iss: 'docloom' }],
    ['without issuer', { aud: 'docloom' }],
  ])('that shares the secret is rejected: %s', async (_name, more) => {
    expect(await status(jwt.sign({ ...claims, ...more }, secret))).toBe(401);
    expect(await status(jwt.sign({ ...claims, iss: 'docloom', aud: 'docloom' }, secret))).toBe(200);
  });

  test('is rejected if the installations have names', async () => {
    const [tokens, two] = ['one', 'two'].map((audience) => createTokens({ secret, expireMinutes: 5, audience }));
    expect(tokens?.verify(tokens.issue(alice)).user.username).toBe('alice');
    expect(() => two?.verify(tokens?.issue(alice) ?? '')).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  });
});

describe('a name that resembles another', () => {
  const rules = { usernameClaims: ['preferred_username'], groupsClaim: 'groups', allowedDomains: [] };
  test.each([
    ' alice ',
    'alice ',
    '\u00a0alice',
    '\talice',
    'alice\u3000',
    'al\u200bice',
    '\u202ealice',
    'alice\ufeff',
  ])('from a provider is not a name: %j', (preferred_username) => {
    expect(() => createUser({ preferred_username }, rules)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  });

  test('of a group in a directory is not that group', () => {
    expect(findFirstValue('cn=\\20docloom-admins\\20,ou=groups')).toBe(' docloom-admins ');
    expect(findFirstValue('cn=docloom-admins\\ ,ou=groups')).toBe('docloom-admins ');
    expect(findFirstValue('cn=\\ docloom-admins,ou=groups')).toBe(' docloom-admins');
    expect(findFirstValue('cn= docloom-admins ,ou=groups')).toBe('docloom-admins');
  });
});

describe('a login that another browser finishes', () => {
  const provider: Oidc = {
    listProviders: () => [{ name: 'generic', display_name: 'Single sign-on' }],
    resolve: () => 'generic',
    readMetadata: async () => ({}),
    buildAuthorizeAddress: async ({ state }) => `https://id.example/authorize?state=${state}`,
    finish: async () => alice,
  };
  const begin = async (at: TestApi, query = '') => {
    const { headers } = await at.call('GET', `/auth/oauth2/authorize${query}`);
    const state = new URL(headers.get('Location') ?? '').searchParams.get('state') ?? '';
    return { state, cookie: headers.get('Set-Cookie')?.split(';')[0] ?? '' };
  };

  test.each(['', '?redirect_after=%2Fhome', '?provider=generic'])('is rejected if it began with %j', async (query) => {
    const own = await startApi({ oidc: provider });
    const finish = async (state: string, cookie: string) =>
      (await own.call('GET', `/auth/oauth2/callback?code=x&state=${state}`, { headers: { Cookie: cookie } })).status;
    const stranger = await begin(own);
    for (const cookie of ['', stranger.cookie, 'docloom_login=', `x${stranger.cookie}`]) {
      const attacker = await begin(own, query);
      expect(await finish(attacker.state, cookie)).toBe(400);
      // The state is used up, so its own browser is too late.
      expect(await finish(attacker.state, attacker.cookie)).toBe(400);
    }
    // In other spellings: the states of both, cookies of both, a form that a page posts, and a state after its end.
    const victim = await begin(own);
    const other = await begin(own, query);
    const finishAs = async (path: string, init: RequestInit) =>
      (await fetch(`${own.url}/auth/oauth2/callback${path}`, { redirect: 'manual', ...init })).status;
    const Cookie = victim.cookie;
    const both = `${victim.cookie}; ${other.cookie.replace(/=.*/, '=x')}`;
    for (const [path, init] of [
      [`?code=x&state=${other.state}&state=${victim.state}`, { headers: { Cookie } }],
      [`?code=x&state=${other.state}%00`, { headers: { Cookie } }],
      [`?code=x&state=${other.state}`, { headers: { Cookie: both } }],
      [`?code=x&state[]=${other.state}`, { headers: { Cookie } }],
      ['', { method: 'POST', headers: { Cookie }, body: new URLSearchParams({ code: 'x', state: other.state }) }],
    ] as [string, RequestInit][])
      expect([400, 404, 405]).toContain(await finishAs(path, init));
    const honest = await begin(own, query);
    expect(await finish(honest.state, honest.cookie)).toBe(query.includes('redirect') ? 307 : 200);
    await own.close();
  });
});

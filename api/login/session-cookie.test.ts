import { createEndedSessionCookies, isCsrfToken, createSessionCookies, findSessionToken } from './session-cookie';

const token = 'head.body.sign-ature_1';
const secure = 'https://example.org';
const expiresAt = new Date(Date.now() + 60_000);

describe('the cookies of a session', () => {
  test('the token is hidden from scripts and other sites; the CSRF token is readable by our scripts', () => {
    const [session = '', csrf = ''] = createSessionCookies(token, { baseUrl: 'http://127.0.0.1', expiresAt });
    expect(session).toMatch(
      /^docloom_session=head\.body\.sign-ature_1; HttpOnly; Path=\/; Max-Age=\d+; SameSite=Strict$/,
    );
    expect(csrf).toMatch(/^docloom_csrf=[\w-]{43}; Path=\/; Max-Age=\d+; SameSite=Strict$/);
  });

  test('over https they are sent over https only, and no other host can set them', () => {
    const cookies = createSessionCookies(token, { baseUrl: secure, expiresAt });
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['__Host-docloom_session', '__Host-docloom_csrf']);
    // What browsers demand for the prefix.
    for (const cookie of [...cookies, ...createEndedSessionCookies(secure)])
      expect(cookie).toMatch(/^__Host-(?!.*Domain).*; Path=\/; .*; Secure$/);
    expect(findSessionToken(`docloom_session=planted.by.subdomain; ${cookies[0]}`, secure)).toBe(token);
    expect(findSessionToken('docloom_session=planted.by.subdomain', secure)).toBeUndefined();
  });

  test('the token is found among other cookies', () => {
    expect(findSessionToken(`a=b; docloom_session=${token}; c=d`, undefined)).toBe(token);
    expect(findSessionToken('xdocloom_session=a.b.c', undefined)).toBeUndefined();
    expect(findSessionToken('docloom_session="a b"', undefined)).toBeUndefined();
    expect(findSessionToken(undefined, undefined)).toBeUndefined();
  });

  test('a CSRF token is valid for its session only', () => {
    const [, cookie = ''] = createSessionCookies(token, { baseUrl: 'http://127.0.0.1', expiresAt });
    const csrf = /docloom_csrf=([^;]+)/.exec(cookie)?.[1];
    expect(isCsrfToken(csrf, token)).toBe(true);
    expect(isCsrfToken(csrf, `${token}x`)).toBe(false);
    expect(isCsrfToken(undefined, token)).toBe(false);
    expect(isCsrfToken('', token)).toBe(false);
  });

  test('ended sessions clear their cookies', () => {
    expect(
      createEndedSessionCookies('http://127.0.0.1').every(
        (cookie) => cookie.includes('=; ') && cookie.includes('Max-Age=0'),
      ),
    ).toBe(true);
  });
});

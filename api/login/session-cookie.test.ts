import { createEndedSessionCookies, isCsrfToken, createSessionCookies, findSessionToken } from './session-cookie';

const token = 'head.body.sign-ature_1';
const expiresAt = new Date(Date.now() + 60_000);

describe('the cookies of a session', () => {
  test('the token is hidden from scripts and other sites; the CSRF token is readable by our scripts', () => {
    const [session = '', csrf = ''] = createSessionCookies(token, { baseUrl: 'http://127.0.0.1', expiresAt });
    expect(session).toMatch(
      /^docloom_session=head\.body\.sign-ature_1; HttpOnly; Path=\/; Max-Age=\d+; SameSite=Strict$/,
    );
    expect(csrf).toMatch(/^docloom_csrf=[\w-]{43}; Path=\/; Max-Age=\d+; SameSite=Strict$/);
  });

  test('over https they are sent over https only', () => {
    const cookies = createSessionCookies(token, { baseUrl: 'https://example.org', expiresAt });
    expect(cookies.every((cookie) => cookie.endsWith('; Secure'))).toBe(true);
  });

  test('the token is found among other cookies', () => {
    expect(findSessionToken(`a=b; docloom_session=${token}; c=d`)).toBe(token);
    expect(findSessionToken('xdocloom_session=a.b.c')).toBeUndefined();
    expect(findSessionToken('docloom_session="a b"')).toBeUndefined();
    expect(findSessionToken(undefined)).toBeUndefined();
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

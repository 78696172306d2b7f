import { loginCookie, loginCookieIn } from './login-cookie';

test('the cookie is for the callback only, out of reach of scripts, and over TLS where we are reached by it', () => {
  expect(loginCookie('v', { baseUrl: 'https://docs.example', seconds: 60 })).toBe(
    'docloom_login=v; Path=/auth/oauth2; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  );
  expect(loginCookie('v', { baseUrl: 'http://127.0.0.1:8080', seconds: 60 })).not.toContain('Secure');
});

test.each([
  ['docloom_login=v', 'v'],
  ['a=1; docloom_login=v; b=2', 'v'],
  ['a_docloom_login=v', undefined],
  ['', undefined],
  [undefined, undefined],
])('of the header %s', (header, value) => {
  expect(loginCookieIn(header)).toBe(value);
});

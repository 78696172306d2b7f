import { formatLoginCookie, findLoginCookie } from './login-cookie';

const value = 'Az09-_'.repeat(7) + 'x';

test('the cookie is for the callback only, hidden from scripts, and secure if the address uses TLS', () => {
  expect(formatLoginCookie('v', { baseUrl: 'https://docs.example', seconds: 60 })).toBe(
    '__Secure-docloom_login=v; Path=/auth/oauth2; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  );
  expect(formatLoginCookie('v', { baseUrl: 'http://127.0.0.1:8080', seconds: 60 })).not.toContain('Secure');
});

test.each([
  [`docloom_login=${value}`, value],
  [`a=1; docloom_login=${value}; b=2`, value],
  ['docloom_login=v', undefined],
  [`a_docloom_login=${value}`, undefined],
  ['', undefined],
  [undefined, undefined],
])('of the header %s', (header, found) => {
  expect(findLoginCookie(header, 'http://127.0.0.1:8080')).toBe(found);
});

test('over https a cookie without the prefix, which another host may have set, does not count', () => {
  const baseUrl = 'https://docs.example';
  expect(findLoginCookie(`__Secure-docloom_login=${value}`, baseUrl)).toBe(value);
  expect(findLoginCookie(`docloom_login=${value}`, baseUrl)).toBeUndefined();
});

import { type Claims, createUser } from './oidc-user';

const rules = { usernameClaims: ['preferred_username', 'email', 'sub'], groupsClaim: 'groups', allowedDomains: [] };
const nora = {
  aud: 'docloom',
  sub: '1',
  preferred_username: 'nora',
  email: 'n@example.org',
  name: 'Nora',
  groups: 'staff',
};
const getName = (claims: Claims) => createUser(claims, rules).username;

test('claims become a user; a single group may be a string', () => {
  expect(createUser(nora, rules)).toEqual({
    username: 'nora',
    email: 'n@example.org',
    full_name: 'Nora',
    groups: ['staff'],
  });
  expect(createUser({ ...nora, roles: ['a', 1, 'b'] }, { ...rules, groupsClaim: 'roles' }).groups).toEqual(['a', 'b']);
});

test('a mail address is used as a name only if the provider verified it', () => {
  const { preferred_username: _left, ...rest } = nora;
  expect(getName(rest)).toBe('1');
  expect(getName({ ...rest, email_verified: 'true' })).toBe('1');
  expect(getName({ ...rest, email_verified: true })).toBe('n@example.org');
});

test.each([
  ['', 'empty'],
  ['  ', 'blank'],
  ['a\u0000b', 'with a control character'],
  ['x'.repeat(257), 'too long'],
  [7, 'no text'],
])('the name %j (%s) is ignored', (preferred_username, _name) => {
  expect(getName({ ...nora, preferred_username })).toBe('1');
  expect(() => createUser({ preferred_username }, { ...rules, usernameClaims: ['preferred_username'] })).toThrow(
    expect.objectContaining({ code: 'UNAUTHORIZED' }),
  );
});

test('a domain that is not allowed is FORBIDDEN, and so is a name without a domain', () => {
  const strict = { ...rules, allowedDomains: ['Example.org'] };
  expect(createUser({ ...nora, preferred_username: 'nora@EXAMPLE.org' }, strict).username).toBe('nora@EXAMPLE.org');
  for (const preferred_username of ['nora', 'nora@example.org.evil', 'nora@example.org@evil.example'])
    expect(() => createUser({ ...nora, preferred_username }, strict)).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN' }),
    );
});

test('a required audience must be among those of the token', () => {
  expect(createUser({ ...nora, aud: ['docloom', 'b'] }, { ...rules, audience: 'b' }).username).toBe('nora');
  expect(() => createUser(nora, { ...rules, audience: 'b' })).toThrow(
    expect.objectContaining({ code: 'UNAUTHORIZED' }),
  );
});

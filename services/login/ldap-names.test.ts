import { findAccountName, escapeDnValue, findFirstValue, isImpossibleName } from './ldap-names';

test.each([
  ['alice', 'alice'],
  ['alice,dc=evil', 'alice\\,dc\\=evil'],
  ['*)(uid=*', '*)(uid\\=*'],
  ['a+b"c\\d<e>f;g#h', 'a\\+b\\"c\\\\d\\<e\\>f\\;g\\#h'],
  [' padded ', '\\ padded\\ '],
  [' ', '\\ '],
  ['a\\ ', 'a\\\\\\ '],
  ['a\u0085', 'a\\c2\\85'],
  ['a\u0000b\u001fc', 'a\\00b\\1fc'],
  ['Zoë', 'Zoë'],
])('%j is escaped in a distinguished name as %s', (value, escaped) => {
  expect(escapeDnValue(value)).toBe(escaped);
});

test('names with control characters, blank names and very long names match no user', () => {
  for (const name of ['', '  ', 'alice\u0000', 'a\nb', 'a\u0085', 'x'.repeat(257)])
    expect(isImpossibleName(name)).toBe(true);
  for (const name of ['alice', "o'neil", 'Zoë', 'a b']) expect(isImpossibleName(name)).toBe(false);
});

test('an account name may have its own domain and no other bind syntax', () => {
  expect(findAccountName('alice', 'example.org')).toBe('alice');
  expect(findAccountName('alice@EXAMPLE.org', 'example.org')).toBe('alice');
  for (const name of ['alice@evil.org', 'EVIL\\alice', 'cn=alice,dc=evil', '*', '@example.org']) {
    expect(findAccountName(name, 'example.org')).toBeUndefined();
  }
});

test('the name of a group is the first value of its distinguished name', () => {
  expect(findFirstValue('cn=docloom-users,ou=groups,dc=example,dc=org')).toBe('docloom-users');
  expect(findFirstValue('CN=Sales\\, North,OU=x')).toBe('Sales, North');
  expect(findFirstValue('cn=Z\\c3\\bcrich,ou=x')).toBe('Zürich');
  expect(findFirstValue('nonsense')).toBeUndefined();
});

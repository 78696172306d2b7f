import type { IdentityMapInput, SourceAccount, SourceGroup } from './map';
import { flattenGroups, type LoginsByMail, matchAccounts } from './match';

const accounts: SourceAccount[] = [
  { id: '1001', name: 'ACME\\alice', mail: 'Alice@acme.example' },
  { id: '1002', name: 'ACME\\Bob', mail: 'bob@acme.example' },
  { id: '1003', name: 'OTHER\\bob' },
];
const noLogins: LoginsByMail = new Map();

function getLogins(
  rules: Pick<IdentityMapInput, 'match' | 'pairs'>,
  { given = accounts, logins = noLogins }: { given?: SourceAccount[]; logins?: LoginsByMail } = {},
) {
  const identities = matchAccounts(rules, { accounts: given, groups: [], logins });
  return Object.fromEntries(identities.map(({ account, state, login }) => [account, login ?? state]));
}

test('without rules and pairs, no account has a login', () => {
  expect(getLogins({})).toEqual({ '1001': 'unmapped', '1002': 'unmapped', '1003': 'unmapped' });
});

test('a rule extracts the login from the name; accounts of another domain do not match', () => {
  expect(getLogins({ match: [{ by: 'name', prefix: 'acme\\', lower_case: true }] })).toEqual({
    '1001': 'alice',
    '1002': 'bob',
    '1003': 'unmapped',
  });
});

test('without lower_case, letter case counts in the prefix and in the login', () => {
  expect(getLogins({ match: [{ by: 'name', prefix: 'ACME\\' }] })).toMatchObject({ '1002': 'Bob' });
  expect(getLogins({ match: [{ by: 'name', prefix: 'acme\\' }] })).toMatchObject({ '1001': 'unmapped' });
});

test('two accounts that rules join with the same login are ambiguous, and neither gets it', () => {
  const match = [
    { by: 'name' as const, prefix: 'ACME\\', lower_case: true },
    { by: 'name' as const, prefix: 'OTHER\\' },
  ];
  expect(getLogins({ match })).toEqual({ '1001': 'alice', '1002': 'ambiguous', '1003': 'ambiguous' });
});

test('a pair takes precedence; an account that a rule joins with the same login gets nothing', () => {
  const match = [{ by: 'name' as const, prefix: 'OTHER\\' }];
  expect(getLogins({ match, pairs: [{ account: '1002', login: 'bob' }] })).toMatchObject({
    '1002': 'bob',
    '1003': 'ambiguous',
  });
});

test('pairs may give several accounts to one login, take a login away, and name unlisted accounts', () => {
  const pairs = [
    { account: '1002', login: 'bob' },
    { account: '1003', login: 'bob' },
    { account: '1001', login: null },
    { account: '4711', login: 'carol' },
  ];
  const match = [{ by: 'name' as const, prefix: 'ACME\\' }];
  expect(getLogins({ match, pairs })).toEqual({ '1001': 'unmapped', '1002': 'bob', '1003': 'bob', '4711': 'carol' });
});

test('mail addresses match case-insensitively; an address of two logins or two accounts matches nobody', () => {
  const logins = new Map([
    ['alice@acme.example', ['alice']],
    ['bob@acme.example', ['bob', 'mallory']],
  ]);
  const given = [...accounts, { id: '1004', mail: 'ALICE@acme.example' }];
  expect(getLogins({ match: [{ by: 'mail' }] }, { logins })).toMatchObject({ '1001': 'alice', '1002': 'ambiguous' });
  expect(getLogins({ match: [{ by: 'mail' }] }, { given, logins })).toMatchObject({
    '1001': 'ambiguous',
    '1004': 'ambiguous',
  });
});

test('members of an inner group are members of the outer groups, even in a cycle', () => {
  const groups: SourceGroup[] = [
    { id: 'all', groups: ['finance', 'sales'] },
    { id: 'finance', members: ['1001'], groups: ['audit'] },
    { id: 'audit', members: ['1002'], groups: ['all'] },
    { id: 'sales', members: ['1003'] },
  ];
  const memberships = flattenGroups(groups);
  expect([...memberships.get('1001')!].toSorted()).toEqual(['all', 'audit', 'finance']);
  expect([...memberships.get('1003')!].toSorted()).toEqual(['all', 'audit', 'finance', 'sales']);
});

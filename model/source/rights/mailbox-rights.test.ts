import { mayRead } from '../../access-list';
import { computeMailboxList, type MailboxFacts } from './mailbox-rights';

const members = new Map([
  ['$team', new Set(['bob', 'carol'])],
  ['$staff', new Set(['bob', 'dave'])],
  ['group:cyrus', new Set(['carol'])],
  ['Accounting', new Set(['dave'])],
]);
const accounts = ['alice', 'bob', 'carol', 'dave'];

/** The accounts that may read a mailbox with this list, written as servers send it: identifier and rights in turns. */
function readersOf(text: string, facts: MailboxFacts = {}): string[] {
  const words = text.split(' ').filter(Boolean);
  const list = words.flatMap((identifier, at) => (at % 2 === 0 ? [{ identifier, rights: words[at + 1] ?? '' }] : []));
  const { allowed, denied } = computeMailboxList(list, facts, { map: 'mail', members });
  return accounts.filter((account) => {
    const groups = [...members].filter(([, own]) => own.has(account)).map(([id]) => `g:mail:${id}`);
    const principals = ['i:mail:*', `i:mail:${account}`, ...groups];
    return mayRead({ username: 'login', principals }, { allowed_principals: allowed, denied_principals: denied });
  });
}
const dovecot = { isDovecot: true };

test.each<[string, string, string[]]>([
  ['nobody without an entry', '', []],
  ['an account with `r`', 'alice lr bob lws', ['alice']],
  ['everybody', 'anyone lr', accounts],
  ['a group in the spelling of Dovecot', '$team lrs', ['bob', 'carol']],
  ['a group in the spelling of Cyrus', 'group:cyrus lr', ['carol']],
  ['a group that only the map knows', 'Accounting r', ['dave']],
  ['an entry of the account without `r`, although its group has it', '$team lr bob l', ['carol']],
  ['one of several groups is enough', '$team l $staff r', ['bob', 'dave']],
  ['a group without `r`, although everybody has it', 'anyone lr $team l', ['alice', 'dave']],
  ['a negative right of an account', 'anyone lr -bob r', ['alice', 'carol', 'dave']],
  ['a negative right of a group, for an account that has `r` itself', 'bob lr dave lr -$team r', ['dave']],
  ['a negative right of everybody', 'alice lr -anyone r', []],
  ['a negative entry without `r` takes nothing away', 'anyone lr -bob w', accounts],
  ['rights are letters in lower case', 'alice LR', []],
  ['an account and a group of the same id', 'alice lr $unknown lr', ['alice']],
])('%s', (_, list, readers) => expect(readersOf(list)).toEqual(readers));

test.each<[string, string, string[]]>([
  ['an override of a group comes before accounts', 'bob lr carol lr !$team l', []],
  ['everybody who is signed in', 'authenticated lr -bob r', ['alice', 'carol', 'dave']],
  ['global lists replace the own one', 'alice lr #anyone l', []],
  ['global groups', 'alice lr #$team lr', ['alice', 'bob', 'carol']],
  ['a negative right of a global account', 'anyone lr -#bob r', ['alice', 'carol', 'dave']],
])('Dovecot: %s', (_, list, readers) => expect(readersOf(list, dovecot)).toEqual(readers));

test('the spellings of Dovecot are names for other servers', () => {
  for (const list of ['authenticated lr', '!$team lr', '#anyone lr']) expect(readersOf(list)).toEqual([]);
});

test('the owner is the account whose mailbox it is; without one, the entry gives access to nobody', () => {
  expect(readersOf('owner lr', { owner: 'carol' })).toEqual(['carol']);
  expect(readersOf('owner lr')).toEqual([]);
  expect(readersOf('anyone lr owner l', { owner: 'carol' })).toEqual(['alice', 'bob', 'dave']);
  expect(readersOf('owner lr carol l', { owner: 'carol' })).toEqual([]);
});

test.each(['*', '-*', '-', '-#', '#*'])('nobody may read a mailbox with the identifier %s', (identifier) => {
  const list = [
    { identifier: 'anyone', rights: 'lr' },
    { identifier, rights: 'lr' },
  ];
  const compute = () => computeMailboxList(list, dovecot, { map: 'mail', members });
  expect(compute).toThrow(expect.objectContaining({ code: 'ACCESS_LIST_INVALID' }));
});

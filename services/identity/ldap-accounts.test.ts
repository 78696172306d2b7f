import type { Entry } from 'ldapts';
import { joinEntries } from './ldap-accounts';

/** S-1-5-21-1-2-3-RID. */
function sid(rid: number): Buffer {
  const bytes = Buffer.alloc(8 + 5 * 4);
  bytes[0] = 1;
  bytes[1] = 5;
  bytes.writeUIntBE(5, 2, 6);
  for (const [at, part] of [21, 1, 2, 3, rid].entries()) bytes.writeUInt32LE(part, 8 + at * 4);
  return bytes;
}
const person = (name: string, more: object = {}): Entry => ({
  dn: `CN=${name},OU=People,DC=acme`,
  sAMAccountName: name,
  ...more,
});

test('of an Active Directory, security identifiers, primary groups, and groups in groups', () => {
  const accounts = [
    person('erika', {
      objectSid: sid(1104),
      primaryGroupID: '513',
      mail: 'erika@acme.example',
      userAccountControl: '512',
    }),
    person('gone', { objectSid: sid(1105), primaryGroupID: '513', userAccountControl: '514' }),
    person('noid'),
  ];
  const groups: Entry[] = [
    {
      dn: 'CN=Sales,DC=acme',
      cn: 'Sales',
      objectSid: sid(1201),
      member: ['cn=ERIKA, ou=people, dc=acme', 'CN=gone,OU=People,DC=acme'],
    },
    { dn: 'CN=All,DC=acme', cn: 'All', objectSid: sid(1202), member: 'CN=Sales,DC=acme' },
    { dn: 'CN=Domain Users,DC=acme', cn: 'Domain Users', objectSid: sid(513) },
  ];
  const [erika, sales, all, users] = [1104, 1201, 1202, 513].map((rid) => `S-1-5-21-1-2-3-${rid}`);
  expect(joinEntries({ accounts, groups }, 'sid')).toEqual({
    accounts: [{ id: erika, name: 'erika', mail: 'erika@acme.example' }],
    groups: [
      { id: sales, name: 'Sales', members: [erika], groups: [] },
      { id: all, name: 'All', members: [], groups: [sales] },
      { id: users, name: 'Domain Users', members: [erika], groups: [] },
    ],
  });
});

test('POSIX numbers: a primary group needs no entry of its own, and members are listed by name', () => {
  const accounts: Entry[] = [
    { dn: 'uid=a,dc=x', uid: 'a', uidNumber: '1001', gidNumber: '200' },
    { dn: 'uid=b,dc=x', uid: 'b', uidNumber: '1002', gidNumber: '999' },
    { dn: 'uid=c,dc=x', uid: 'c', uidNumber: '-1' },
  ];
  const groups: Entry[] = [{ dn: 'cn=g,dc=x', cn: 'g', gidNumber: '200', memberUid: ['b', 'nobody'] }];
  expect(joinEntries({ accounts, groups }, 'number')).toEqual({
    accounts: [
      { id: '1001', name: 'a' },
      { id: '1002', name: 'b' },
    ],
    groups: [
      { id: '200', name: 'g', members: ['1002', '1001'], groups: [] },
      { id: '999', members: ['1002'] },
    ],
  });
});

test('a value that is not a security identifier is not an id', () => {
  for (const objectSid of ['S-1-5-21', Buffer.alloc(3), Buffer.from([1, 200, 0, 0, 0, 0, 0, 5]), []])
    expect(joinEntries({ accounts: [person('x', { objectSid })], groups: [] }, 'sid').accounts).toEqual([]);
});

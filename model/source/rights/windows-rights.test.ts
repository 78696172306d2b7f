import { mayRead } from '../../access-list';
import { filesystem } from '../kinds/filesystem';
import { smb } from '../kinds/smb';
import { computeWindowsList, type WindowsEntry } from './windows-rights';

const [alice, bob, sales] = ['S-1-5-21-1-2-3-1001', 'S-1-5-21-1-2-3-1002', 'S-1-5-21-1-2-3-1100'] as const;
const naming = { map: 'ad', members: new Map([[sales, new Set([alice, bob])]]) };
const read = 0x1200a9;
const everyone = 'S-1-1-0';

function allow(sid: string, mask: number = read, more: Partial<WindowsEntry> = {}): WindowsEntry {
  return { sid, allows: true, mask, isInheritOnly: false, isConditional: false, ...more };
}
const deny = (sid: string, mask: number = read, more: Partial<WindowsEntry> = {}): WindowsEntry => ({
  ...allow(sid, mask, more),
  allows: false,
});
function getReaders(entries: readonly WindowsEntry[] | undefined, owner = 'S-1-5-32-544'): string[] {
  const { allowed, denied } = computeWindowsList({ owner, entries }, 'read', naming);
  const people = { alice: [alice, sales], bob: [bob, sales], carol: ['S-1-5-21-1-2-3-1003'] };
  return Object.entries(people).flatMap(([name, [account = '', ...groups]]) => {
    const principals = ['i:ad:*', `i:ad:${account}`, ...groups.map((group) => `g:ad:${group}`)];
    const list = { allowed_users: [], allowed_principals: allowed, denied_principals: denied };
    return mayRead({ username: name, principals }, list) ? [name] : [];
  });
}

test('a source refuses the rights of another', () => {
  const params = { paths: ['/srv'], host: 'files', share: 'docs' };
  const credentials = { username: 'alice', password: 'secret' };
  expect(filesystem.problems({ connection_params: { ...params, rights: 'windows' } })).toHaveLength(1);
  expect(filesystem.problems({ connection_params: { ...params, rights: 'posix' } })).toEqual([]);
  expect(smb.problems({ connection_params: { ...params, rights: 'posix' }, credentials })).toHaveLength(1);
  expect(smb.problems({ connection_params: { ...params, rights: 'windows' }, credentials })).toEqual([]);
});

test('no list admits everybody, an empty list nobody, not even the owner', () => {
  expect(getReaders(undefined)).toEqual(['alice', 'bob', 'carol']);
  expect(getReaders([], alice)).toEqual([]);
});

test('the first entry that applies decides, for a member of a group too', () => {
  expect(getReaders([deny(alice), allow(sales)])).toEqual(['bob']);
  expect(getReaders([allow(alice), deny(sales), allow(everyone)])).toEqual(['alice', 'carol']);
  expect(getReaders([allow(alice), deny(everyone), allow(bob)])).toEqual(['alice']);
});

test('an entry allows only if it grants all that a reader requests, and denies if it denies any of it', () => {
  expect(getReaders([allow(alice, 0x1), allow(bob, 0x80000000), allow(sales, 0x116)])).toEqual(['bob']);
  expect(getReaders([deny(alice, 0x8), deny(bob, 0x116), allow(everyone, 0x10000000)])).toEqual(['bob', 'carol']);
});

test('entries for what is created in a folder, for programs on the server and for the creator admit nobody', () => {
  const entries = [allow(alice, read, { isInheritOnly: true }), allow('S-1-5-4'), allow('S-1-3-0'), allow('S-1-3-1')];
  expect(getReaders(entries, alice)).toEqual([]);
});

test('a condition never allows, and always denies', () => {
  const entries = [
    deny(alice, read, { isConditional: true }),
    allow(sales),
    allow(everyone, read, { isConditional: true }),
  ];
  expect(getReaders(entries)).toEqual(['bob']);
});

test('owner rights are those of the owner', () => {
  expect(getReaders([allow('S-1-3-4')], bob)).toEqual(['bob']);
});

test('passing through a folder needs a separate right', () => {
  const list = computeWindowsList({ owner: '', entries: [allow(alice), allow(bob, 0x120089)] }, 'traverse', naming);
  expect(list.allowed).toContain(`i:ad:${alice}`);
  expect(list.allowed).not.toContain(`i:ad:${bob}`);
});

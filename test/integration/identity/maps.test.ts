import { randomUUID } from 'node:crypto';
import type { IdentityMapInput } from '../../../model/identity/map';
import { createIdentityMaps, describeSync } from '../../../services/identity/maps';
import { createAccounts } from '../../../services/login/accounts';
import { createReaders } from '../../../services/login/readers';
import { useDatabase } from '../../support/system/database';

const mongo = useDatabase(['identity_maps', 'identities', 'people']);
let now = Date.now();
const clock = () => new Date(now);

const accounts = () => createAccounts(mongo);
const maps = () => createIdentityMaps(mongo, { accounts: accounts(), clock });
const by = () => ({ user: 'root', at: clock() });
const sync = (name: string) => maps().sync(name, { newId: randomUUID });
const twoGroups: IdentityMapInput = {
  places: [],
  accounts: [
    { id: '1001', name: 'alice' },
    { id: '1002', name: 'bob' },
    { id: '1003', name: 'nobody-here' },
  ],
  groups: [
    { id: '200', name: 'finance', members: ['1001'] },
    { id: '300', name: 'all', members: ['1002'], groups: ['200'] },
  ],
  match: [{ by: 'name' }],
};

test('accounts count from the sync on, with their groups and the groups around them', async () => {
  await maps().put('one', twoGroups, by());
  expect(await maps().findPrincipals('alice')).toEqual([]);
  const { changed, counts } = await sync('one');
  expect(counts).toEqual({ mapped: 3, unmapped: 0, ambiguous: 0, groups: 2 });
  expect(changed.map(({ login }) => login)).toEqual(['alice', 'bob', 'nobody-here']);
  expect((await maps().findPrincipals('alice')).toSorted()).toEqual([
    'g:one:200',
    'g:one:300',
    'i:one:*',
    'i:one:1001',
  ]);
  expect(await maps().findPrincipals('carol')).toEqual([]);
  expect(await maps().listMembers('one')).toEqual(
    new Map([
      ['200', new Set(['1001'])],
      ['300', new Set(['1001', '1002'])],
    ]),
  );
});

test('a sync reports who gained and who lost access, and nothing if nothing changed', async () => {
  await maps().put('two', twoGroups, by());
  await sync('two');
  expect((await sync('two')).changed).toEqual([]);
  const groups = [{ id: '200', members: ['1002'] }];
  await maps().put('two', { ...twoGroups, groups, pairs: [{ account: '1003', login: null }] }, by());
  expect((await sync('two')).changed).toEqual([
    { login: 'alice', gained: [], lost: ['g:two:200', 'g:two:300'] },
    { login: 'bob', gained: ['g:two:200'], lost: ['g:two:300'] },
    { login: 'nobody-here', gained: [], lost: ['i:two:1003', 'i:two:*'] },
  ]);
  expect(await maps().listIdentities('two', { limit: 10, offset: 0, state: 'unmapped' })).toMatchObject({
    total: 1,
    items: [{ account: '1003', login: null }],
  });
});

test('accounts of an outdated map are not used unless the map allows it; a removed map has none', async () => {
  await maps().put('strict', { ...twoGroups, max_staleness_minutes: 10 }, by());
  await maps().put('lenient', { ...twoGroups, max_staleness_minutes: 10, when_stale: 'serve' }, by());
  await sync('strict');
  await sync('lenient');
  now += 11 * 60_000;
  const principals = await maps().findPrincipals('alice');
  expect(principals).toContain('i:lenient:1001');
  expect(principals).not.toContain('i:strict:1001');
  const strict = (await maps().get('strict'))!;
  expect(describeSync(strict, clock())).toMatchObject({ is_closed: true, is_fresh: false, age_seconds: 660 });
  await sync('strict');
  expect(await maps().findPrincipals('alice')).toContain('i:strict:1001');
  expect(await maps().remove('lenient')).toBe(true);
  expect(await maps().findPrincipals('alice')).not.toContain('i:lenient:1001');
  expect(await maps().remove('lenient')).toBe(false);
});

test('a failing directory is recorded, and the earlier accounts stay until they are too old', async () => {
  await maps().put('broken', { ...twoGroups, directory: 'system' }, by());
  const deps = { newId: randomUUID, readSystem: async () => ({ accounts: [{ id: '7', name: 'alice' }], groups: [] }) };
  await maps().sync('broken', deps);
  const failing = { newId: randomUUID, readSystem: () => Promise.reject(new Error('no answer')) };
  await expect(maps().sync('broken', failing)).rejects.toThrow('no answer');
  expect((await maps().get('broken'))?.state.error).toMatchObject({ message: 'no answer' });
  expect(await maps().findPrincipals('alice')).toContain('i:broken:7');
});

test('mail addresses connect accounts only with logins whose address is verified', async () => {
  const person = (username: string, email: string) => ({ username, email, full_name: '', groups: [] });
  await accounts().noteLogin(person('ann', 'ann@acme.example'), {
    via: 'directory',
    at: clock(),
    mail: 'Ann@acme.example',
  });
  await accounts().noteLogin(person('eve', 'ceo@acme.example'), { via: 'provider', at: clock() });
  const mails = [
    { id: 'a', mail: 'ann@ACME.example' },
    { id: 'b', mail: 'ceo@acme.example' },
  ];
  await maps().put('mail', { places: [], accounts: mails, match: [{ by: 'mail' }] }, by());
  await sync('mail');
  expect(await maps().findPrincipals('ann')).toEqual(['i:mail:a', 'i:mail:*']);
  expect(await maps().findPrincipals('eve')).toEqual([]);
});

test('a reader has the principals of the maps beside those of the login; without known groups, none at all', async () => {
  await maps().put('reader', twoGroups, by());
  await sync('reader');
  const limits = { cacheSeconds: 0, maxStalenessSeconds: 0 };
  const readers = createReaders({ accounts: accounts(), directory: {}, identities: maps(), clock, limits });
  const token = { groups: ['staff'], issuedAt: clock() };
  expect((await readers.find('bob', token)).principals).toEqual(
    expect.arrayContaining(['u:bob', 'p:*', 'g:login:staff', 'i:reader:1002', 'g:reader:300']),
  );
  expect(await readers.find('bob')).toEqual({ username: 'bob' });
});

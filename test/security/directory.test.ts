import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Attribute, Change, Client, Control, EqualityFilter } from 'ldapts';
import { readCacheFolder } from '../../embedded/paths';
import { type RunningServers, startServers } from '../../embedded/servers';

/** Attacks on the directory of sample users, as anybody on the machine and as one of its users. */
let running: RunningServers;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-directory-'));
  const { LDAP_SERVER: _given, ...env } = process.env;
  running = await startServers({
    dataDir: folder,
    cacheDir: readCacheFolder(process.env),
    env,
    log: () => undefined,
    which: { temporal: false, mongo: false, search: false, ldap: true, s3: false },
  });
});
afterAll(async () => {
  await running.stop();
  rmSync(folder, { recursive: true, force: true });
});

const base = 'dc=example,dc=org';
const getDn = (name: string) => `uid=${name},ou=people,${base}`;
type Who = 'nobody' | 'bob' | 'administrator';
async function as<T>(who: Who, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ url: running.env['LDAP_SERVER'] ?? '' });
  try {
    if (who === 'bob') await client.bind(getDn('bob'), 'bob-secret');
    if (who === 'administrator') await client.bind('cn=admin', running.env['LDAP_BIND_PASSWORD']);
    return await work(client);
  } finally {
    await client.unbind();
  }
}
const refused = { code: 50 };

describe.each<Who>(['nobody', 'bob', 'administrator'])('as %s', (who) => {
  test.each([[[]], [['*']], [['userPassword']], [['USERPASSWORD']], [['*', '+']], [['userPassword;lang-en', 'uid']]])(
    'a search for the attributes %j shows no password',
    async (attributes) => {
      const { searchEntries } = await as(who, (client) => client.search(base, { attributes }));
      expect(searchEntries.length).toBeGreaterThan(3);
      // The client returns an empty list for attributes that are missing.
      expect(JSON.stringify(searchEntries)).not.toMatch(/secret|"userpassword[^"]*":(?!\[\])/i);
    },
  );

  test.each([
    '(userPassword=alice-secret)',
    '(userpassword=a*)',
    '(userPassword>=a)',
    '(&(uid=alice)(|(uid=x)(!(userPassword=b*))))',
    new EqualityFilter({ attribute: 'userPassword;lang-en', value: 'alice-secret' }),
    new EqualityFilter({ attribute: '2.5.4.35', value: 'alice-secret' }),
    '(userPassword:caseExactMatch:=alice-secret)',
    '(:caseExactMatch:=alice-secret)',
    '(userPassword=*)',
    '(USERPASSWORD~=alice-secret)',
    '(userPassword<=z)',
    '(!(!(userPassword=a*t)))',
    '(|(uid=bob)(&(uid=alice)(userPassword=*secret)))',
  ])('nothing is found by a password: %p', async (filter) => {
    await expect(as(who, (client) => client.search(base, { filter }))).rejects.toMatchObject(refused);
  });

  test.each([
    ['of one person', getDn('alice'), 'base'],
    ['of the people', `ou=people,${base}`, 'one'],
    ['of the whole directory', '', 'sub'],
  ] as const)('a guess in the place %s finds the same as a wrong one', async (_what, place, scope) => {
    const find = (filter: string) =>
      as(who, (client) => client.search(place, { scope, filter })).then(
        ({ searchEntries }) => searchEntries.length,
        ({ code }: { code: number }) => code,
      );
    const right = [
      '(userPassword=alice-secret)',
      '(userPassword=alice*)',
      '(&(uid=alice)(userPassword>=alice-secret))',
    ];
    const wrong = [
      '(userPassword=other-secret)',
      '(userPassword=other*)',
      '(&(uid=alice)(userPassword>=other-secret))',
    ];
    expect(await Promise.all(right.map(find))).toEqual(await Promise.all(wrong.map(find)));
    // Each place exists, or is the root, in which nothing is found.
    expect(await find('(uid=*)')).toBeGreaterThanOrEqual(place === '' ? 0 : 1);
  });

  test('an order or an assertion over passwords is refused', async () => {
    for (const oid of ['1.2.840.113556.1.4.473', '1.3.6.1.1.12', '2.16.840.1.113730.3.4.18', '1.2.826.0.1.3344810.2.3'])
      await expect(as(who, (client) => client.search(base, {}, new Control(oid)))).rejects.toMatchObject(refused);
  });
});

describe.each<Who>(['nobody', 'bob'])('as %s', (who) => {
  test('nothing can be changed, and no password compared', async () => {
    const group = `cn=docloom-admins,ou=groups,${base}`;
    const addition = new Change({
      operation: 'add',
      modification: new Attribute({ type: 'member', values: [getDn('bob')] }),
    });
    const password = new Change({
      operation: 'replace',
      modification: new Attribute({ type: 'userPassword', values: ['mine'] }),
    });
    const attempts: ((client: Client) => Promise<unknown>)[] = [
      (client) => client.modify(group, addition),
      (client) => client.modify(getDn('alice'), password),
      (client) => client.add(getDn('mallory'), { objectClass: 'inetOrgPerson', uid: 'mallory', cn: 'm', sn: 'm' }),
      (client) => client.del(getDn('alice')),
      (client) => client.modifyDN(getDn('bob'), `uid=alice2,ou=people,${base}`),
      (client) => client.compare(getDn('alice'), 'userPassword', 'alice-secret'),
      (client) => client.exop('1.3.6.1.4.1.4203.1.11.1'),
    ];
    for (const attempt of attempts) await expect(as(who, attempt)).rejects.toMatchObject(refused);
    await as('bob', async () => undefined);
  });
});

test('the password of the administrator is regenerated, differs from the source, and appears in no process list', async () => {
  const password = running.env['LDAP_BIND_PASSWORD'] ?? '';
  expect(password).toMatch(/^[\w-]{32}$/);
  await expect(as('nobody', (client) => client.bind('cn=admin', 'directory-admin'))).rejects.toMatchObject({
    code: 49,
  });
  expect(execFileSync('ps', ['-ef']).toString()).not.toContain(password);
});

test('the former administrator is no longer one after another bind', async () => {
  await as('administrator', async (client) => {
    await client.bind(getDn('bob'), 'bob-secret');
    await expect(client.del(getDn('alice'))).rejects.toMatchObject(refused);
  });
});

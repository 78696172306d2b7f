import { createServer, type Server, type Socket } from 'node:net';
import { Client } from 'ldapts';
import { type Config, readConfig } from '../../../model/config';
import { createDirectory } from '../../../services/login/directory';

const env = readConfig(process.env);
const people = env.LDAP_USER_DN ?? '';
const byBind: Config = { ...env, LDAP_BIND_DN: undefined, LDAP_BIND_PASSWORD: undefined };
const unauthorized = expect.objectContaining({ code: 'UNAUTHORIZED', message: 'Invalid username or password.' });
const unavailable = (text: RegExp) =>
  expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', message: expect.stringMatching(text) });

describe.each([
  ['binding the user directly', byBind],
  ['searching with LDAP_BIND_DN first', env],
])('%s', (_how, config) => {
  const directory = createDirectory(config);

  test('a correct password returns the user with mail, name and groups', async () => {
    await expect(directory.login('alice', 'alice-secret')).resolves.toMatchObject({
      username: 'alice',
      email: 'alice@example.org',
      full_name: 'Alice Archer',
      groups: expect.arrayContaining(['docloom-users']),
    });
  });

  test('groups that list the user as member are groups of the user', async () => {
    const { groups } = await directory.login('carol', 'carol-secret');
    expect(groups).toEqual(['docloom-admins', 'docloom-users']);
  });

  test('the identity is the name in the directory, not the typed one', async () => {
    await expect(directory.login('ALICE', 'alice-secret')).resolves.toMatchObject({ username: 'alice' });
  });

  test.each([
    ['a wrong password', 'alice', 'wrong'],
    ['an unknown name', 'nobody', 'alice-secret'],
    ['an empty password', 'alice', ''],
    ['an empty name', '', 'alice-secret'],
    ['a filter in the name', '*)(uid=*', 'alice-secret'],
    ['a filter that is true in the name', 'alice)(|(uid=*', 'alice-secret'],
    ['a star', '*', 'alice-secret'],
    ['further parts of a distinguished name', 'alice,dc=evil', 'alice-secret'],
    ['a whole distinguished name', `alice,${people}`, 'alice-secret'],
    ['a second value in the name', 'alice+cn=Alice Archer', 'alice-secret'],
    ['a NUL at the end', 'alice\u0000', 'alice-secret'],
    ['a NUL in the middle', 'alice\u0000,dc=evil', 'alice-secret'],
    ['a newline', 'alice\n', 'alice-secret'],
  ])('%s is rejected like any wrong login', async (_name, username, password) => {
    await expect(directory.login(username, password)).rejects.toEqual(unauthorized);
  });
});

describe('groups of a user whose password is not known', () => {
  const { readGroups } = createDirectory(env);

  test('are those of a login', async () => {
    const { groups: own } = await createDirectory(env).login('carol', 'carol-secret');
    expect(await readGroups?.('carol')).toEqual(own);
  });

  test('a removed membership is gone at once', async () => {
    const admin = new Client({ url: env.LDAP_SERVER ?? '' });
    await admin.bind(env.LDAP_BIND_DN ?? '', env.LDAP_BIND_PASSWORD ?? '');
    const dn = `cn=passing-${process.pid},${env.LDAP_BASE_DN}`;
    const member = `uid=carol,${people}`;
    await admin.add(dn, { objectClass: ['top', 'groupOfNames'], cn: `passing-${process.pid}`, member });
    try {
      expect(await readGroups?.('carol')).toContain(`passing-${process.pid}`);
    } finally {
      await admin.del(dn);
      await admin.unbind();
    }
    expect(await readGroups?.('carol')).not.toContain(`passing-${process.pid}`);
  });

  test('of groups within groups count only with LDAP_NESTED_GROUPS, and circles end', async () => {
    const admin = new Client({ url: env.LDAP_SERVER ?? '' });
    await admin.bind(env.LDAP_BIND_DN ?? '', env.LDAP_BIND_PASSWORD ?? '');
    const name = (level: number) => `nested-${level}-${process.pid}`;
    const getDn = (level: number) => `cn=${name(level)},${env.LDAP_BASE_DN}`;
    // carol is in the innermost group; each group contains the next inner one, and the innermost contains the outermost.
    const getMembers = (level: number) => (level === 0 ? [`uid=carol,${people}`, getDn(3)] : [getDn(level - 1)]);
    const levels = [0, 1, 2, 3];
    for (const level of levels)
      await admin.add(getDn(level), {
        objectClass: ['top', 'groupOfNames'],
        cn: name(level),
        member: getMembers(level),
      });
    const nested: Config = { ...env, LDAP_NESTED_GROUPS: true };
    try {
      expect((await readGroups?.('carol'))?.filter((value) => levels.map(name).includes(value))).toEqual([name(0)]);
      expect(await createDirectory(nested).readGroups?.('carol')).toEqual(expect.arrayContaining(levels.map(name)));
      const { groups: atLogin } = await createDirectory(nested).login('carol', 'carol-secret');
      expect(atLogin).toEqual(await createDirectory(nested).readGroups?.('carol'));
      expect(await createDirectory(nested).readGroups?.('alice')).not.toContain(name(3));
      await admin.del(getDn(1));
      expect(await createDirectory(nested).readGroups?.('carol')).not.toContain(name(2));
    } finally {
      for (const level of levels) await admin.del(getDn(level)).catch(() => undefined);
      await admin.unbind();
    }
  });

  test.each(['nobody', 'CAROL', 'carol ', '*', 'carol)(uid=*', '', 'carol\u0000'])(
    '%j is not a user of exactly that name',
    async (name) => {
      expect(await readGroups?.(name)).toBeNull();
    },
  );

  test('cannot be queried without the password of LDAP_BIND_DN', () => {
    expect(createDirectory(byBind).readGroups).toBeUndefined();
    expect(createDirectory({ ...env, LDAP_BIND_PASSWORD: undefined }).readGroups).toBeUndefined();
  });

  test('an unreachable directory is an error, not an empty list', async () => {
    const directory = createDirectory({ ...env, LDAP_SERVER: 'ldap://127.0.0.1:1' });
    await expect(directory.readGroups?.('carol')).rejects.toEqual(unavailable(/cannot be used/));
  });
});

test('a name with the characters of filters and distinguished names logs in only as itself', async () => {
  const admin = new Client({ url: env.LDAP_SERVER ?? '' });
  await admin.bind(env.LDAP_BIND_DN ?? '', env.LDAP_BIND_PASSWORD ?? '');
  const uid = `odd, (name)*\\ #${process.pid}`;
  const dn = `cn=odd-${process.pid},${people}`;
  await admin.add(dn, {
    objectClass: ['top', 'inetOrgPerson'],
    cn: `odd-${process.pid}`,
    sn: 'Odd',
    uid,
    userPassword: 'odd-secret',
  });
  try {
    const directory = createDirectory(env);
    await expect(directory.login(uid, 'odd-secret')).resolves.toMatchObject({ username: uid });
    await expect(directory.login('odd*', 'odd-secret')).rejects.toEqual(unauthorized);
  } finally {
    await admin.del(dn);
    await admin.unbind();
  }
});

describe('a missing directory', () => {
  test('without LDAP_SERVER the login returns an explanation', async () => {
    const directory = createDirectory({ ...env, LDAP_SERVER: undefined });
    await expect(directory.login('alice', 'alice-secret')).rejects.toEqual(unavailable(/LDAP_SERVER is not set/));
  });

  test('an address without a listener is unavailable', async () => {
    const directory = createDirectory({ ...env, LDAP_SERVER: 'ldap://127.0.0.1:1' });
    await expect(directory.login('alice', 'alice-secret')).rejects.toEqual(unavailable(/ldap:\/\/127\.0\.0\.1:1/));
  });

  test('an address that is not a URL is unavailable', async () => {
    const directory = createDirectory({ ...env, LDAP_SERVER: 'http://127.0.0.1' });
    await expect(directory.login('alice', 'alice-secret')).rejects.toEqual(unavailable(/invalid LDAP URL/));
  });

  test('a wrong password of LDAP_BIND_DN is the fault of the server, not of the user', async () => {
    const directory = createDirectory({ ...env, LDAP_BIND_PASSWORD: 'wrong' });
    await expect(directory.login('alice', 'alice-secret')).rejects.toEqual(unavailable(/cannot be used/));
  });

  test('StartTLS that the server does not support fails before a password is sent', async () => {
    const directory = createDirectory({ ...env, LDAP_USE_SSL: true });
    await expect(directory.login('alice', 'alice-secret')).rejects.toEqual(unavailable(/cannot be used/));
  });
});

describe('a server that accepts and never answers', () => {
  const sockets = new Set<Socket>();
  let silent: Server;
  beforeAll(async () => {
    silent = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
      socket.resume();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => silent.close(resolve)));

  test('is given up within seconds, and the connection is closed', async () => {
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const directory = createDirectory({ ...env, LDAP_SERVER: `ldap://127.0.0.1:${port}` });
    await expect(directory.login('alice', 'alice-secret')).rejects.toEqual(unavailable(/cannot be used/));
    for (const socket of sockets) await new Promise((resolve) => socket.once('close', resolve));
    expect(sockets.size).toBe(0);
  }, 20_000);
});

describe('names by their beginning', () => {
  const { search } = createDirectory(env);
  const find = async (kind: 'user' | 'group', text: string, limit = 10) => {
    const found = await search?.({ kind, text, limit });
    return { names: found?.names.map(({ name }) => name), isCut: found?.isCut };
  };

  test('are those of users and groups, also by full name and address', async () => {
    expect(await search?.({ kind: 'user', text: 'ali', limit: 10 })).toEqual({
      names: [{ name: 'alice', full_name: 'Alice Archer', email: 'alice@example.org' }],
      isCut: false,
    });
    expect(await find('user', 'Bob B')).toEqual({ names: ['bob'], isCut: false });
    expect(await find('user', 'carol@')).toEqual({ names: ['carol'], isCut: false });
    expect((await find('group', 'docloom-a')).names).toEqual(['docloom-admins']);
    expect((await find('user', '')).names).toEqual(expect.arrayContaining(['alice', 'bob', 'carol']));
  });

  test('end at the limit and say so', async () => {
    const { names, isCut } = await find('user', '', 2);
    expect([names?.length, isCut]).toEqual([2, true]);
  });

  test.each(['*', 'ali*', 'x)(uid=*', '*)(objectClass=*', '\\2a', 'ali\u0000'])(
    '%j is text, not a filter',
    async (text) => {
      expect((await find('user', text)).names).toEqual([]);
    },
  );

  test('are not searched without LDAP_BIND_DN and its password', () => {
    expect(createDirectory(byBind).search).toBeUndefined();
    expect(createDirectory({ ...env, LDAP_BIND_PASSWORD: undefined }).search).toBeUndefined();
  });
});

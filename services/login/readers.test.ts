import { AppError } from '../../model/errors';
import type { KnownGroups } from './accounts';
import { createReaders } from './readers';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds));

/** Readers with a directory, logins and a clock that the test sets. */
function setting({ isLive = true }: { isLive?: boolean } = {}) {
  const state = {
    now: at(0),
    directory: {} as Record<string, string[]>,
    logins: {} as Record<string, KnownGroups>,
    isDown: false,
    asked: 0,
  };
  const readers = createReaders({
    accounts: {
      findGroups: async (name) => state.logins[name],
      noteGroups: async (name, groups) => void (state.logins[name] = { ...state.logins[name], groups }),
    },
    directory: isLive
      ? {
          readGroups: async (name) => {
            state.asked += 1;
            if (state.isDown) throw new AppError('SERVICE_UNAVAILABLE', 'down');
            return state.directory[name] ?? null;
          },
        }
      : {},
    clock: () => state.now,
    limits: { cacheSeconds: 10, maxStalenessSeconds: 60 },
  });
  const groups = async (name: string, token?: { groups: string[]; issuedAt: Date }) =>
    (await readers.find(name, token)).principals
      ?.filter((principal) => principal.startsWith('g:login:'))
      .map((principal) => principal.slice('g:login:'.length));
  return { state, readers, groups };
}

test('principals are the name, everybody and the groups', async () => {
  const { state, readers } = setting();
  state.directory = { alice: ['staff', 'u:bob'] };
  expect(await readers.find('alice')).toEqual({
    username: 'alice',
    principals: ['g:login:staff', 'g:login:u:bob', 'p:*', 'u:alice'],
  });
});

test('a group that was removed from the directory disappears within the cache time, regardless of the token', async () => {
  const { state, groups } = setting();
  state.directory = { alice: ['staff', 'board'] };
  const token = { groups: ['staff', 'board'], issuedAt: at(0) };
  expect(await groups('alice', token)).toEqual(['board', 'staff']);
  state.directory = { alice: ['staff'] };
  state.now = at(9);
  expect(await groups('alice', token)).toEqual(['board', 'staff']);
  state.now = at(10);
  expect(await groups('alice', token)).toEqual(['staff']);
});

test('one query serves all requests within that time, including concurrent ones', async () => {
  const { state, groups } = setting();
  state.directory = { alice: [] };
  await Promise.all([groups('alice'), groups('alice'), groups('alice')]);
  expect(state.asked).toBe(1);
});

test('a frequent caller is answered at once while the groups are refreshed', async () => {
  const { state, groups } = setting();
  state.directory = { alice: ['staff'] };
  await groups('alice');
  state.directory = { alice: ['board'] };
  state.now = at(6);
  expect(await groups('alice')).toEqual(['staff']);
  await new Promise(setImmediate);
  expect(await groups('alice')).toEqual(['board']);
  expect(state.asked).toBe(2);
});

test('while the directory is unavailable, its last answer is used for a limited time; then the groups are unknown, not empty', async () => {
  const { state, groups, readers } = setting();
  state.directory = { alice: ['staff'] };
  state.logins = { alice: { groups: ['staff'], at: at(0).toISOString(), via: 'directory' } };
  await groups('alice');
  state.isDown = true;
  state.now = at(60);
  expect(await groups('alice')).toEqual(['staff']);
  state.now = at(80);
  expect(await readers.find('alice', { groups: ['staff'], issuedAt: at(70) })).toEqual({ username: 'alice' });
  state.isDown = false;
  state.now = at(90);
  expect(await groups('alice')).toEqual(['staff']);
});

test('a user removed from the directory has no groups; a user of a provider keeps those of the login', async () => {
  const { state, groups } = setting();
  state.logins = {
    alice: { groups: ['staff'], at: at(0).toISOString(), via: 'directory' },
    petra: { groups: ['partners'], at: at(0).toISOString(), via: 'provider' },
  };
  expect(await groups('alice', { groups: ['staff'], issuedAt: at(1) })).toEqual([]);
  expect(await groups('petra')).toEqual(['partners']);
});

test('without a directory to ask, a later login overrules an earlier token', async () => {
  const { state, groups } = setting({ isLive: false });
  state.logins = { petra: { groups: ['staff'], at: at(30).toISOString(), via: 'provider' } };
  expect(await groups('petra', { groups: ['staff', 'board'], issuedAt: at(0) })).toEqual(['staff']);
  expect(await groups('petra', { groups: ['staff', 'legal'], issuedAt: at(40) })).toEqual(['legal', 'staff']);
  expect(await groups('petra')).toEqual(['staff']);
});

test('the groups of a user who never logged in are unknown unless a token contains them', async () => {
  const { readers, groups } = setting({ isLive: false });
  expect(await readers.find('nobody')).toEqual({ username: 'nobody' });
  expect(await groups('nobody', { groups: ['ops'], issuedAt: at(0) })).toEqual(['ops']);
});

test('groups from the directory are stored for processes that cannot query it', async () => {
  const { state, groups } = setting();
  state.logins = { alice: { groups: ['old'], at: at(0).toISOString(), via: 'directory' } };
  state.directory = { alice: ['new'] };
  await groups('alice');
  expect(state.logins['alice']?.groups).toEqual(['new']);
});

test('a failing login record is an error, and is tried again', async () => {
  const { state } = setting();
  let isDown = true;
  const readers = createReaders({
    accounts: {
      findGroups: async () => {
        if (isDown) throw new AppError('DATABASE_UNAVAILABLE', 'down');
        return { groups: ['a'] };
      },
      noteGroups: async () => undefined,
    },
    directory: {},
    clock: () => state.now,
    limits: { cacheSeconds: 10, maxStalenessSeconds: 60 },
  });
  await expect(readers.find('alice')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  isDown = false;
  expect((await readers.find('alice')).principals).toContain('g:login:a');
});

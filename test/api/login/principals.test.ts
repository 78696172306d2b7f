import jwt from 'jsonwebtoken';
import type { User } from '../../../model/access';
import type { Directory } from '../../../services/login/directory';
import { createReaders } from '../../../services/login/readers';
import { alice, bob, emptyState, memoryServices, startApi, type TestApi } from '../../support/api/server';

/** Principals of a request: those of its user at that moment, regardless of the request, the token or a name. */
let api: TestApi;
let seen: User[];
afterEach(() => api.close());

async function start(groupsNow?: () => string[], directory?: Directory): Promise<void> {
  seen = [];
  const services = memoryServices(emptyState());
  const accounts = {
    ...services.accounts,
    findGroups: async () => ({ groups: groupsNow?.() ?? [], at: '2999-01-01T00:00:00Z' }),
  };
  const limits = { cacheSeconds: 0, maxStalenessSeconds: 0 };
  api = await startApi({
    ...services,
    ...(groupsNow ? { readers: createReaders({ accounts, directory: {}, clock: () => new Date(), limits }) } : {}),
    ...(directory ? { directory } : {}),
    search: {
      ...services.search,
      search: async (user) => {
        seen.push(user);
        return { documents: [], total: 0, limit: 10, offset: 0, has_more: false };
      },
    },
  });
}

const principals = () => seen.at(-1)?.principals;

test('a search uses the name, everybody and the groups of the token', async () => {
  await start();
  await api.call('POST', '/api/v1/documents/search', { user: { ...alice, groups: ['staff'] }, body: {} });
  expect(principals()).toEqual(['g:login:staff', 'p:*', 'u:alice']);
});

test('names of users and groups are not confused', async () => {
  await start();
  const named = { ...bob, username: 'g:login:staff', groups: ['u:alice', 'p:*', 'login:board', 'g:login:board'] };
  await api.call('POST', '/api/v1/documents/search', { user: named, body: {} });
  expect(principals()).toEqual(
    [
      'g:login:g:login:board',
      'g:login:login:board',
      'g:login:p:*',
      'g:login:u:alice',
      'p:*',
      'u:g:login:staff',
    ].toSorted(),
  );
});

test('neither a body, a query, a header nor a claim sets principals', async () => {
  await start();
  const claims = { principals: ['g:login:board'], allowed_principals: ['g:login:board'] };
  for (const body of [{ principals: ['g:login:board'] }, { user: claims }, { scope: claims }]) {
    const { status } = await api.call('POST', '/api/v1/documents/search', { user: alice, body });
    expect(status).toBe(422);
  }
  const headers = { 'X-Principals': 'g:login:board', 'X-Forwarded-User': 'root', 'X-Forwarded-Groups': 'board' };
  await api.call('POST', '/api/v1/documents/search?principals=g:login:board', { user: alice, body: {}, headers });
  await api.call('POST', '/api/v1/documents/search', { user: { ...alice, ...claims }, body: {} });
  const token = jwt.decode(api.tokenOf({ ...alice, ...claims })) as object;
  expect(Object.keys(token)).not.toContain('principals');
  for (const user of seen) expect(user.principals).toEqual(['g:login:staff', 'p:*', 'u:alice']);
});

test('a membership that ended no longer applies, although the token still has it', async () => {
  let groups = ['staff'];
  await start(() => groups);
  const user = { ...alice, groups: ['staff'] };
  await api.call('POST', '/api/v1/documents/search', { user, body: {} });
  expect(principals()).toContain('g:login:staff');
  groups = [];
  await api.call('POST', '/api/v1/documents/search', { user, body: {} });
  expect(principals()).toEqual(['p:*', 'u:alice']);
});

test('a user in thousands of groups logs in with a short token, and has them all', async () => {
  const groups = Array.from({ length: 5_000 }, (_, index) => `group-${index}`);
  await start(undefined, { login: async () => ({ ...alice, groups }) });
  const { body, status } = await api.call('POST', '/auth/login', { body: { username: 'alice', password: 'x' } });
  const { access_token: token } = body as { access_token: string };
  expect([status, token.length < 3_000]).toEqual([200, true]);
  const headers = { Authorization: `Bearer ${token}` };
  await api.call('POST', '/api/v1/documents/search', { body: {}, headers });
  expect(principals()).toHaveLength(5_002);
  expect(seen.at(-1)?.groups.toSorted()).toEqual(groups.toSorted());
});

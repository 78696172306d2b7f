import { AppError } from '../../../model/errors';
import { alice, bob, carol, startApi, type TestApi } from '../../support/api/server';

/** Who learns which names: the directory has people of whom nobody here may know. */
let api: TestApi;
let requests: string[] = [];
const directory = {
  login: () => Promise.reject(new AppError('UNAUTHORIZED', 'Not used.')),
  search: async ({ kind, text }: { kind: string; text: string }) => {
    requests.push(`${kind} ${text}`);
    const names =
      kind === 'user' ? [{ name: 'secretary', full_name: 'Sec Retary' }, { name: 'bob' }] : [{ name: 'board' }];
    return { names: names.filter(({ name }) => name.startsWith(text)), isCut: false };
  },
};
beforeEach(async () => {
  requests = [];
  api = await startApi({ directory }, { adminGroups: ['admins'] });
});
afterEach(() => api.close());

const get = async (query: string, user: typeof alice) => {
  const { status, body } = await api.call('GET', `/api/v1/names${query}`, { user });
  expect(status).toBe(200);
  return body as { names: { kind: string; name: string }[]; directory: string; is_cut: boolean };
};
const namesIn = ({ names }: Awaited<ReturnType<typeof get>>) => names.map(({ kind, name }) => `${kind} ${name}`);

test('administrators get the names of the directory, each once', async () => {
  const found = await get('', carol);
  expect(found.directory).toBe('searched');
  expect(namesIn(found)).toEqual(expect.arrayContaining(['user secretary', 'user bob', 'group board']));
  expect(new Set(namesIn(found)).size).toBe(found.names.length);
  expect(namesIn(await get('?text=sec&kind=user', carol))).toEqual(['user secretary']);
});

test('others get themselves, the people of their projects and their own groups, and the directory is not asked', async () => {
  const project = { name: 'Ships', members: ['bob', 'dave'] };
  await api.call('POST', '/api/v1/projects', { user: alice, body: project });
  const own = await get('', alice);
  expect(own.directory).toBe('for_administrators');
  expect(namesIn(own)).toEqual([
    'user alice',
    'user bob',
    'user dave',
    ...alice.groups.map((group) => `group ${group}`),
  ]);
  expect(namesIn(await get('?text=DA', bob))).toEqual(['user dave']);
  for (const text of ['', 's', 'sec', 'secretary', 'board'])
    expect(JSON.stringify(await get(`?text=${text}`, bob))).not.toMatch(/secretary|board/);
  expect(requests).toEqual([]);
});

test('a directory that does not answer, or that may not be asked, hides nobody who logged in', async () => {
  await api.close();
  const down = { ...directory, search: () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'It is down.')) };
  api = await startApi({ directory: down }, { adminGroups: ['admins'] });
  await get('', alice);
  expect((await get('', carol)).directory).toBe('unavailable');
  await api.close();
  api = await startApi({ directory: { login: directory.login } }, { adminGroups: ['admins'] });
  expect((await get('', carol)).directory).toBe('not_configured');
});

test.each(['?limit=0', '?limit=101', '?kind=all', `?text=${'x'.repeat(101)}`])('%s is refused', async (query) => {
  expect((await api.call('GET', `/api/v1/names${query}`, { user: carol })).status).toBe(400);
});

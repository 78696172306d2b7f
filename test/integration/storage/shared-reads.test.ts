import { createProjectsStore } from '../../../services/flow/projects-store';
import { createAccounts } from '../../../services/login/accounts';
import { createRunsStore } from '../../../services/run/runs-store';
import { readPage } from '../../../services/storage/read-page';
import { useDatabase } from '../../support/system/database';
import { runRecord } from '../../support/system/run-record';

const mongo = useDatabase(['projects', 'people', 'service_accounts', 'job_runs', 'items']);
const userNamed = (username: string) => ({ username, email: '', full_name: '', groups: [] });

test('each of many concurrent users gets their own projects, whatever their names are', async () => {
  const projects = createProjectsStore(mongo);
  const make = (project_id: string, owner: string, members: string[]) =>
    projects.create({
      project_id,
      name: project_id,
      description: null,
      tags: [],
      owner,
      members,
      created_on: '2026-01-01T00:00:00.000Z',
      modified_on: '2026-01-01T00:00:00.000Z',
      created_by: owner,
      modified_by: owner,
    });
  await make('one', 'alice', ['bob', 'alice', '$members']);
  await make('two', 'bob', []);
  await make('three', '$owner', ['carol']);
  const names = ['alice', 'bob', 'carol', 'dave', '$owner', '$members', 'alice'];
  const found = await Promise.all(names.map((name) => projects.listIds(userNamed(name))));
  expect(found.map((ids) => ids.toSorted())).toEqual([
    ['one'],
    ['one', 'two'],
    ['three'],
    [],
    ['three'],
    ['one'],
    ['one'],
  ]);
  await projects.remove('one');
  expect(await projects.listIds(userNamed('alice'))).toEqual([]);
});

test('each of many concurrent users gets their own groups', async () => {
  const accounts = createAccounts(mongo);
  const at = new Date('2026-01-01T00:00:00.000Z');
  for (const name of ['alice', 'bob'])
    await accounts.noteLogin({ ...userNamed(name), groups: [`of ${name}`] }, { via: 'provider', at });
  const account = { account_name: 'service:a', description: '', groups: ['robots'], created_by: 'alice' };
  await accounts.create({ ...account, created_at: at.toISOString() });
  const names = ['alice', 'nobody', 'service:a', 'bob', 'alice'];
  const found = await Promise.all(names.map((name) => accounts.findGroups(name)));
  expect(found.map((known) => known?.groups)).toEqual([['of alice'], undefined, ['robots'], ['of bob'], ['of alice']]);
});

test('a run that was changed is read as changed by everybody who asks afterwards', async () => {
  const runs = createRunsStore(mongo);
  const { job_run_id: id } = await runs.create({ ...runRecord(), status: 'RUNNING' });
  const before = runs.get(id);
  await runs.update(id, { message: 'new' });
  const after = await Promise.all([runs.get(id), runs.get(id), runs.get('none')]);
  expect(after.map((run) => run?.message)).toEqual(['new', 'new', undefined]);
  expect((await before)?.job_run_id).toBe(id);
});

test.each([
  [0, 20],
  [5, 20],
  [20, 21],
  [12, 3],
  [12, 20],
])('the total of a page is right, and counted only if the page does not tell it: %d, %d', async (offset, limit) => {
  const items = mongo.collection<{ _id: string; number: number }>('items');
  const stored = Array.from({ length: 20 }, (_, number) => ({ _id: `item-${number}`, number }));
  await items.deleteMany({});
  await items.insertMany(stored);
  const count = jest.spyOn(items, 'countDocuments');
  const query = { sort: { number: 1 }, limit, offset, projection: { _id: 0 } } as const;
  const page = await readPage(items, {}, query, ({ number }) => number);
  expect(page).toEqual({ total: 20, items: stored.slice(offset, offset + limit).map(({ number }) => number) });
  const isFull = page.items.length === limit;
  expect(count).toHaveBeenCalledTimes(isFull || page.items.length === 0 ? 1 : 0);
});

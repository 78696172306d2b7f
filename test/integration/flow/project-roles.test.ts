import type { User } from '../../../model/access';
import { type ResourcesApi, startResourcesApi } from '../../support/api/resources-fixture';
import { alice, sampleFlow } from '../../support/api/server';
import { getCode, unique } from '../../support/system/flow-calls';

/** Alice owns the project. The others are named by their roles; the editor has none, as members of earlier versions. */
const person = (username: string): User => ({ username, email: '', full_name: '', groups: [] });
const viewer = person('viewer');
const runner = person('runner');
const editor = person('editor');
const manager = person('manager');
const stranger = person('stranger');
const members = ['viewer', 'runner', 'editor', 'manager'];
const roles = ['viewer', 'runner', 'manager'].map((role) => ({ user: role, role }));

let resources: ResourcesApi;
let project: string;
let flow: string;
beforeAll(async () => {
  resources = await startResourcesApi();
});
afterAll(() => resources.close());
beforeEach(async () => {
  const made = await resources.send<{ project_id: string }>('POST /projects', 201, {
    user: alice,
    body: { name: unique('project'), members, roles },
  });
  project = made.project_id;
  const body = { ...sampleFlow(unique('flow')), project_id: project };
  ({ flow_id: flow } = await resources.send<{ flow_id: string }>('POST /flows', 201, { user: alice, body }));
});

const call = (method: string, path: string, user: User, body?: unknown) =>
  resources.api.call(method, `/api/v1${path}`, { user, body });
const answer = async (...input: Parameters<typeof call>) => {
  const { status, body } = await call(...input);
  return status < 300 ? status : `${status} ${getCode(body)}`;
};
const getAnswers = async (act: (user: User) => Promise<unknown>) => {
  const answers: unknown[] = [];
  for (const user of [viewer, runner, editor, manager, stranger]) answers.push(await act(user));
  return answers;
};
const refused = '403 FORBIDDEN';

test('every member sees the flow, others do not', async () => {
  expect(await getAnswers((user) => answer('GET', `/flows/${flow}`, user))).toEqual([
    200,
    200,
    200,
    200,
    '404 FLOW_NOT_FOUND',
  ]);
});

test('editors and managers change the flow; a PATCH, a PUT and a restored version alike', async () => {
  const gone = '404 FLOW_NOT_FOUND';
  const expected = [refused, refused, 200, 200, gone];
  expect(await getAnswers((user) => answer('PATCH', `/flows/${flow}`, user, { description: user.username }))).toEqual(
    expected,
  );
  expect(
    await getAnswers((user) =>
      answer('PUT', `/flows/${flow}`, user, { ...sampleFlow(unique('flow')), project_id: project }),
    ),
  ).toEqual(expected);
  expect(await getAnswers((user) => answer('POST', `/flows/${flow}/versions/1/restore`, user))).toEqual(expected);
});

test('viewers and runners neither add flows to the project, nor move theirs there', async () => {
  const added = (user: User) => answer('POST', '/flows', user, { ...sampleFlow(unique('flow')), project_id: project });
  expect(await getAnswers(added)).toEqual([refused, refused, 201, 201, '404 PROJECT_NOT_FOUND']);
  const { body } = await call('POST', '/flows', viewer, sampleFlow(unique('own')));
  const { flow_id: own } = body as { flow_id: string };
  expect(await answer('PATCH', `/flows/${own}`, viewer, { project_id: project })).toBe(refused);
});

test('managers change the project and its members; only the owner transfers or deletes it', async () => {
  const gone = '404 PROJECT_NOT_FOUND';
  const renamed = (user: User) => answer('PATCH', `/projects/${project}`, user, { description: 'x' });
  expect(await getAnswers(renamed)).toEqual([refused, refused, refused, 200, gone]);
  const taken = (user: User) => answer('PATCH', `/projects/${project}`, user, { owner: user.username });
  expect(await getAnswers(taken)).toEqual([refused, refused, refused, refused, gone]);
  const removed = (user: User) => answer('DELETE', `/projects/${project}`, user);
  expect(await getAnswers(removed)).toEqual([refused, refused, refused, refused, gone]);
});

test('no user can raise their own role', async () => {
  const raise = (user: User) =>
    answer('PATCH', `/projects/${project}`, user, { roles: [{ user: user.username, role: 'manager' }] });
  expect(await getAnswers(raise)).toEqual([refused, refused, refused, 200, '404 PROJECT_NOT_FOUND']);
});

test('a client that knows no roles does not make viewers editors, by PUT or by PATCH', async () => {
  const name = unique('project');
  await resources.send(`PUT /projects/${project}`, 200, { user: manager, body: { name, members } });
  expect(await answer('PATCH', `/flows/${flow}`, viewer, { description: 'x' })).toBe(refused);
  await resources.send(`PATCH /projects/${project}`, 200, { user: manager, body: { members: [...members, 'new'] } });
  expect(await answer('PATCH', `/flows/${flow}`, viewer, { description: 'x' })).toBe(refused);
});

test('a former member has no role, and returns as an editor only when added again', async () => {
  const body = { members: ['runner'] };
  const changed = await resources.send<{ roles: unknown }>(`PATCH /projects/${project}`, 200, { user: alice, body });
  expect(changed.roles).toEqual([{ user: 'runner', role: 'runner' }]);
  expect(await answer('GET', `/flows/${flow}`, viewer)).toBe('404 FLOW_NOT_FOUND');
});

test.each([
  ['somebody who is not a member', [{ user: 'stranger', role: 'viewer' }], 'roles.0.user'],
  [
    'two roles',
    [
      { user: 'viewer', role: 'viewer' },
      { user: 'viewer', role: 'manager' },
    ],
    'roles.1.user',
  ],
  ['an unknown role', [{ user: 'viewer', role: 'owner' }], 'roles.0.role'],
  ['no user', [{ role: 'viewer' }], 'roles.0.user'],
])('%s is 400 PROJECT_INVALID_DATA with the position', async (_name, input, name) => {
  const { status, body } = await call('PATCH', `/projects/${project}`, alice, { roles: input });
  expect({ status, code: getCode(body) }).toEqual({ status: 400, code: 'PROJECT_INVALID_DATA' });
  expect(JSON.stringify(body)).toContain(name);
});

test('viewers start no runs, but readers of the flow do, whatever their role', async () => {
  const run = (user: User) => answer('POST', '/job_runs', user, { flow_id: flow });
  expect(await run(viewer)).toBe(refused);
  expect(await run(stranger)).toBe('404 FLOW_NOT_FOUND');
  for (const user of [runner, editor, manager]) expect(await run(user)).not.toBe(refused);
  await resources.send(`PATCH /flows/${flow}`, 200, { user: alice, body: { readers: ['viewer'] } });
  expect(await run(viewer)).not.toBe(refused);
});

test('runners pass no configuration and make no schedules', async () => {
  const body = { flow_id: flow, configuration: { chunk_size: 5 } };
  expect(await answer('POST', '/job_runs', runner, body)).toBe(refused);
  const schedule = (user: User) => answer('POST', `/flows/${flow}/schedules`, user, { cron: '0 6 * * *' });
  expect(await schedule(viewer)).toBe(refused);
  expect(await schedule(runner)).toBe(refused);
});

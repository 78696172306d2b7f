import { randomUUID } from 'node:crypto';
import { type ResourcesApi, startResourcesApi } from '../../support/api/resources-fixture';
import { alice, bob, carol, sampleFlow } from '../../support/api/server';

let resources: ResourcesApi;
beforeAll(async () => {
  resources = await startResourcesApi();
});
afterAll(() => resources.close());

interface Project {
  project_id: string;
  name: string;
  members: string[];
  created_on: string;
  flow_count: number;
}
const unique = (name: string) => `${name}-${randomUUID()}`;
const makeProject = (more: Record<string, unknown> = {}, user = alice) =>
  resources.send<Project>('POST /projects', 201, { user, body: { name: unique('project'), ...more } });
const makeFlow = (project_id: string, user = alice, name = unique('flow')) =>
  resources.send<{ flow_id: string }>('POST /flows', 201, { user, body: { ...sampleFlow(name), project_id } });
const getCode = (body: unknown) => (body as { errors: { code: string }[] }).errors[0]?.code;
const call = (method: string, path: string, init: Parameters<ResourcesApi['api']['call']>[2]) =>
  resources.api.call(method, `/api/v1${path}`, init);

test('POST /api/v1/projects makes a project of the caller', async () => {
  const name = unique('made');
  const response = await call('POST', '/projects', {
    user: alice,
    body: {
      name,
      description: 'd',
      tags: ['a', 'b', 'a'],
      members: ['bob', 'bob'],
      created_by: 'mallory',
      owner: 'bob',
    },
  });
  expect(response.status).toBe(201);
  expect(response.headers.get('ETag')).toBe('"1-0"');
  const { project_id } = response.body as Project;
  expect(response.body).toMatchObject({
    name,
    description: 'd',
    tags: ['a', 'b'],
    members: ['bob'],
    owner: 'alice',
    created_by: 'alice',
    flow_count: 0,
    href: `/api/v1/projects/${project_id}`,
  });
});

test.each([
  ['no name', {}, 'name'],
  ['a blank name', { name: '  ' }, 'name'],
  ['a long name', { name: 'x'.repeat(257) }, 'name'],
  ['tags that are not a list', { name: 'x', tags: 'a' }, 'tags'],
])('%s is 400 PROJECT_INVALID_DATA naming the field', async (_name, body, field) => {
  const response = await call('POST', '/projects', { user: alice, body });
  expect([response.status, getCode(response.body)]).toEqual([400, 'PROJECT_INVALID_DATA']);
  expect(JSON.stringify(response.body)).toContain(`"name":"${field}"`);
});

test('of twenty concurrent creations under one name one succeeds', async () => {
  const body = { name: unique('race') };
  const all = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/projects', { user: alice, body })));
  expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(new Set(all.filter(({ status }) => status !== 201).map((response) => getCode(response.body)))).toEqual(
    new Set(['PROJECT_ALREADY_EXISTS']),
  );
});

test('a rename to a duplicate name is 409', async () => {
  const [first, second] = [await makeProject(), await makeProject()];
  for (const method of ['PUT', 'PATCH']) {
    const response = await call(method, `/projects/${first.project_id}`, { user: alice, body: { name: second.name } });
    expect([response.status, getCode(response.body)]).toEqual([409, 'PROJECT_ALREADY_EXISTS']);
  }
});

test('GET /api/v1/projects pages with a true total, sorted, with links that keep the filters', async () => {
  const tag = unique('tag');
  for (const name of ['Beta', 'alpha', 'Gamma']) await makeProject({ name: unique(`${name}-paged`), tags: [tag] });
  await makeProject({ tags: [tag] }, bob);
  const page = await resources.send<{ projects: Project[]; next: string; prev: string | null; first: string }>(
    `GET /projects?tags=${tag}&name=-PAGED&sort=-name&limit=2`,
    200,
    { user: alice },
  );
  expect(page).toMatchObject({ total_count: 3, limit: 2, offset: 0, prev: null });
  expect(page.projects.map(({ name }) => name.split('-')[0])).toEqual(['alpha', 'Gamma']);
  for (const kept of [`tags=${tag}`, 'name=-PAGED', 'sort=-name', 'offset=2']) expect(page.next).toContain(kept);
  const last = await resources.send<{ projects: Project[]; next: null }>(
    `GET ${page.next.slice(`${resources.api.url}/api/v1`.length)}`,
    200,
    { user: alice },
  );
  expect(last.projects.map(({ name }) => name.split('-')[0])).toEqual(['Beta']);
  expect(last.next).toBeNull();
  await resources.send('GET /projects?sort=description', 400, { user: alice });
});

test('GET /api/v1/projects/{project_id} counts the flows', async () => {
  const { project_id } = await makeProject();
  await makeFlow(project_id);
  await makeFlow(project_id);
  expect(await resources.send(`GET /projects/${project_id}`, 200, { user: alice })).toMatchObject({ flow_count: 2 });
  const listed = await resources.send<{ projects: Project[] }>('GET /projects', 200, { user: alice });
  expect(listed.projects.find((project) => project.project_id === project_id)?.flow_count).toBe(2);
  await resources.send(`GET /projects/${project_id.toUpperCase()}`, 400, { user: alice });
});

test('PUT /api/v1/projects/{project_id} replaces, and keeps id, owner and creation', async () => {
  const old = await makeProject({ description: 'old', tags: ['x'], members: ['bob'] });
  const name = unique('replaced');
  const put = await resources.send<Project>(`PUT /projects/${old.project_id}`, 200, { user: alice, body: { name } });
  expect(put).toMatchObject({
    project_id: old.project_id,
    name,
    description: null,
    tags: [],
    members: [],
    owner: 'alice',
    created_on: old.created_on,
    created_by: 'alice',
  });
});

test('PATCH /api/v1/projects/{project_id} changes the given members, null clears, and {} is 400', async () => {
  const { project_id, name } = await makeProject({ description: 'd', tags: ['x'], members: ['bob'] });
  const path = `PATCH /projects/${project_id}`;
  expect(await resources.send(path, 200, { user: alice, body: { description: 'new' } })).toMatchObject({
    name,
    description: 'new',
    tags: ['x'],
    members: ['bob'],
  });
  expect(
    await resources.send(path, 200, { user: alice, body: { description: null, tags: null, members: null } }),
  ).toMatchObject({ description: null, tags: [], members: [] });
  for (const body of [{}, { unknown: 1 }, { name: null }, { name: '' }])
    expect(getCode(await resources.send(path, 400, { user: alice, body }))).toBe('PROJECT_INVALID_DATA');
});

test('If-Match rejects an outdated change, and is optional', async () => {
  const { project_id } = await makeProject();
  const path = `/projects/${project_id}`;
  const etag = (await call('GET', path, { user: alice })).headers.get('ETag') ?? '';
  const change = (method: string, ifMatch: string, body?: unknown) =>
    call(method, path, { user: alice, body, headers: { 'If-Match': ifMatch } });
  expect((await change('PATCH', etag, { description: '1' })).headers.get('ETag')).toBe('"2-0"');
  for (const [method, body] of [
    ['PATCH', { description: '2' }],
    ['PUT', { name: unique('x') }],
    ['DELETE', undefined],
  ] as const) {
    const stale = await change(method, etag, body);
    expect([stale.status, getCode(stale.body)]).toEqual([412, 'PRECONDITION_FAILED']);
  }
  expect((await change('PATCH', `W/"2"`, { description: '2' })).status).toBe(412);
  expect((await change('PATCH', `"9", "2-7"`, { description: '2' })).status).toBe(200);
  expect((await change('PATCH', '*', { description: '3' })).status).toBe(200);
  expect((await call('PATCH', path, { user: alice, body: { description: '4' } })).status).toBe(200);
});

test('If-None-Match answers 304 without a body until the project or the number of its flows changes', async () => {
  const { project_id } = await makeProject();
  const path = `/projects/${project_id}`;
  const read = (ifNoneMatch: string) => call('GET', path, { user: alice, headers: { 'If-None-Match': ifNoneMatch } });
  const first = (await call('GET', path, { user: alice })).headers.get('ETag') ?? '';
  for (const known of [first, `W/${first}`, `"0-0", ${first}`, '*']) {
    const same = await read(known);
    expect([same.status, same.body, same.headers.get('ETag')]).toEqual([304, '', first]);
    expect(same.headers.get('X-Content-Type-Options')).toBe('nosniff');
  }
  expect((await read('"0-0"')).status).toBe(200);
  await makeFlow(project_id);
  expect(await read(first)).toMatchObject({ status: 200, body: { flow_count: 1 } });
  // A new flow does not conflict with a change of the project.
  const changed = await call('PATCH', path, {
    user: alice,
    body: { description: '1' },
    headers: { 'If-Match': first },
  });
  expect(changed.status).toBe(200);
  expect((await read(changed.headers.get('ETag') ?? '')).status).toBe(304);
  expect((await call('GET', path, { user: bob, headers: { 'If-None-Match': '*' } })).status).toBe(404);
});

test('of ten concurrent changes none is lost', async () => {
  const { project_id } = await makeProject();
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      resources.send(`PATCH /projects/${project_id}`, 200, {
        user: alice,
        body: index % 2 === 0 ? { description: `d${index}` } : { tags: [`t${index}`] },
      }),
    ),
  );
  const response = await call('GET', `/projects/${project_id}`, { user: alice });
  expect(response.headers.get('ETag')).toBe('"11-0"');
  expect(response.body).toMatchObject({
    description: expect.stringMatching(/^d/),
    tags: [expect.stringMatching(/^t/)],
  });
});

describe('access', () => {
  test('nobody else sees a project; members see it; administrators manage it', async () => {
    const { project_id } = await makeProject();
    const path = `/projects/${project_id}`;
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { name: 'x' }],
      ['PATCH', { name: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      const response = await call(method, path, { user: bob, body });
      expect([response.status, getCode(response.body)]).toEqual([404, 'PROJECT_NOT_FOUND']);
    }
    expect((await call('GET', `${path}/flows`, { user: bob })).status).toBe(404);
    await resources.send(`PATCH ${path}`, 200, { user: carol, body: { members: ['bob'] } });
    await resources.send(`GET ${path}`, 200, { user: bob });
    for (const [method, body] of [
      ['PATCH', { description: 'x' }],
      ['PUT', { name: 'x' }],
      ['DELETE', undefined],
    ] as const)
      expect((await call(method, path, { user: bob, body })).status).toBe(403);
    expect(await resources.send('GET /projects?limit=1', 200, { user: carol })).toMatchObject({
      total_count: await resources.mongo.collection('projects').countDocuments(),
    });
  });

  test('the owner transfers a project, and then has no role in it', async () => {
    const { project_id } = await makeProject();
    await resources.send(`PATCH /projects/${project_id}`, 200, { user: alice, body: { owner: 'bob' } });
    await resources.send(`GET /projects/${project_id}`, 404, { user: alice });
    expect((await call('DELETE', `/projects/${project_id}`, { user: bob })).status).toBe(204);
  });

  test('members see, change and remove the flows of a project, and only they add flows', async () => {
    const { project_id } = await makeProject({ members: ['bob'] });
    const { flow_id } = await makeFlow(project_id);
    const listed = await resources.send<{ total_count: number }>(`GET /flows?project_id=${project_id}`, 200, {
      user: bob,
    });
    expect(listed.total_count).toBe(1);
    await resources.send(`PATCH /flows/${flow_id}`, 200, { user: bob, body: { description: 'by bob' } });
    await resources.send(`PATCH /flows/${flow_id}`, 403, { user: bob, body: { readers: ['bob'] } });
    await resources.send(`DELETE /flows/${flow_id}`, 204, { user: bob });
    const own = await makeProject();
    const refused = await call('POST', '/flows', {
      user: bob,
      body: { ...sampleFlow(unique('f')), project_id: own.project_id },
    });
    expect([refused.status, getCode(refused.body)]).toEqual([404, 'PROJECT_NOT_FOUND']);
    const foreign = await resources.send<{ flow_id: string }>('POST /flows', 201, {
      user: bob,
      body: sampleFlow(unique('f')),
    });
    await resources.send(`PATCH /flows/${foreign.flow_id}`, 404, { user: bob, body: { project_id: own.project_id } });
  });
});

test('equal names of flows are allowed in different projects only', async () => {
  const [first, second] = [await makeProject(), await makeProject()];
  const name = unique('same');
  await makeFlow(first.project_id, alice, name);
  const { flow_id } = await makeFlow(second.project_id, alice, name);
  const response = await call('PATCH', `/flows/${flow_id}`, { user: alice, body: { project_id: first.project_id } });
  expect([response.status, getCode(response.body)]).toEqual([409, 'FLOW_ALREADY_EXISTS']);
});

describe('GET /api/v1/projects/{project_id}/flows', () => {
  test('gives each flow with its runs in figures, filtered, and links that keep the filters', async () => {
    const { project_id } = await makeProject();
    const ran = await makeFlow(project_id, alice, unique('b-figures'));
    const never = await makeFlow(project_id, alice, unique('a-figures'));
    await makeFlow(project_id);
    const run = await resources.send<{ job_run_id: string }>('POST /job_runs', 201, {
      user: alice,
      body: { flow_id: ran.flow_id },
    });
    resources.api.state.engine.set(run.job_run_id, 'TERMINATED');
    await resources.send(`GET /job_runs/${run.job_run_id}`, 200, { user: alice });
    const last = await resources.send<{ job_run_id: string }>('POST /job_runs', 201, {
      user: alice,
      body: { flow_id: ran.flow_id },
    });
    const page = await resources.send<{ flows: { flow_id: string }[]; next: string }>(
      `GET /projects/${project_id}/flows?name=figures&sort=name&limit=2&tags=finance`,
      200,
      { user: alice },
    );
    expect(page).toMatchObject({ total_count: 2, next: null });
    expect(page.flows).toMatchObject([
      { flow_id: never.flow_id, job_run_summary: null },
      {
        flow_id: ran.flow_id,
        job_run_summary: {
          total_runs: 2,
          last_run_id: last.job_run_id,
          last_run_status: 'QUEUED',
          last_run_start_time: null,
          status_counts: { CRASHED: 1, QUEUED: 1 },
        },
      },
    ]);
    expect(page.flows[0]).not.toHaveProperty('flow');
    const first = await resources.send<{ next: string }>(
      `GET /projects/${project_id}/flows?limit=1&name=figures`,
      200,
      {
        user: alice,
      },
    );
    expect(first.next).toContain('name=figures');
  });
});

describe('DELETE /api/v1/projects/{project_id}', () => {
  test('removes its flows and no others', async () => {
    const [gone, kept] = [await makeProject(), await makeProject()];
    const [inside, outside] = [await makeFlow(gone.project_id), await makeFlow(kept.project_id)];
    await resources.send(`DELETE /projects/${gone.project_id}`, 204, { user: alice });
    await resources.send(`GET /projects/${gone.project_id}`, 404, { user: alice });
    await resources.send(`GET /flows/${inside.flow_id}`, 404, { user: alice });
    await resources.send(`GET /flows/${outside.flow_id}`, 200, { user: alice });
    expect((await call('DELETE', `/projects/${gone.project_id}`, { user: alice })).status).toBe(404);
  });

  test('a live run stops it, and force cancels the run', async () => {
    const { project_id } = await makeProject();
    const { flow_id } = await makeFlow(project_id);
    const { job_run_id } = await resources.send<{ job_run_id: string }>('POST /job_runs', 201, {
      user: alice,
      body: { flow_id },
    });
    const refused = await call('DELETE', `/projects/${project_id}`, { user: alice });
    expect([refused.status, getCode(refused.body)]).toEqual([409, 'FLOW_IN_USE']);
    await resources.send(`GET /flows/${flow_id}`, 200, { user: alice });
    await resources.send(`DELETE /projects/${project_id}?force=true`, 204, { user: alice });
    expect(await resources.send(`GET /job_runs/${job_run_id}`, 200, { user: alice })).toMatchObject({
      job_stats: { status: 'CANCELED' },
    });
    await resources.send(`GET /flows/${flow_id}`, 404, { user: alice });
  });

  test('removes the schedules of its flows, and of no others', async () => {
    const { project_id } = await makeProject();
    const [inside, alone] = [await makeFlow(project_id), await makeFlow((await makeProject()).project_id)];
    const schedules = resources.mongo.collection<{ _id: string; flow_id: string }>('flow_schedules');
    const { state } = resources.api;
    for (const { flow_id } of [inside, alone]) {
      await schedules.insertOne({ _id: randomUUID(), flow_id });
      state.schedules.push({ flow_id } as (typeof state.schedules)[number]);
    }
    await resources.send(`DELETE /projects/${project_id}`, 204, { user: alice });
    expect(state.schedules.map(({ flow_id }) => flow_id)).toEqual([alone.flow_id]);
    await resources.send(`DELETE /flows/${alone.flow_id}`, 204, { user: alice });
    expect(state.schedules).toEqual([]);
  });

  test('an interrupted removal is completed by the next list, and its name is free again', async () => {
    const interrupt = async () => {
      const project = await makeProject();
      const flow = await makeFlow(project.project_id);
      await resources.mongo.collection('projects').updateOne({ _id: project.project_id }, { $set: { deleting: true } });
      await resources.send(`GET /projects/${project.project_id}`, 404, { user: alice });
      return { ...project, ...flow };
    };
    const first = await interrupt();
    await resources.send('GET /projects', 200, { user: alice });
    await resources.send(`GET /flows/${first.flow_id}`, 404, { user: alice });
    const second = await interrupt();
    await makeProject({ name: second.name });
    await resources.send(`GET /flows/${second.flow_id}`, 404, { user: alice });
    const third = await interrupt();
    await resources.projects.finishRemovals();
    expect((await call('GET', `/flows/${third.flow_id}`, { user: alice })).status).toBe(404);
  });

  test('a flow that is written while its project is removed is not left behind', async () => {
    const { project_id } = await makeProject();
    const writes = Array.from({ length: 20 }, () =>
      call('POST', '/flows', { user: alice, body: { ...sampleFlow(unique('late')), project_id } }),
    );
    const [removed, ...written] = await Promise.all([
      call('DELETE', `/projects/${project_id}`, { user: alice }),
      ...writes,
    ]);
    expect(removed?.status).toBe(204);
    expect(written.every(({ status }) => status === 201 || status === 404)).toBe(true);
    expect(await resources.mongo.collection('flows').countDocuments({ project_id })).toBe(0);
  });
});

import type { User } from '../../../model/access';
import { planFlow } from '../../../model/flow/plan-flow';
import type { ProjectRole } from '../../../model/project/roles';
import type { RunRecord, RunsStore } from '../../../services/run/run-record';
import { createRunsStore } from '../../../services/run/runs-store';
import { type ResourcesApi, startResourcesApi } from '../../support/api/resources-fixture';
import { alice, carol, sampleFlow, testOperators } from '../../support/api/server';
import { getCode, unique } from '../../support/system/flow-calls';
import { runRecord } from '../../support/system/run-record';

/** Alice owns the project; the others are named by their roles. `starter` is a runner whose runs the others want to see. */
const person = (username: string): User => ({ username, email: '', full_name: '', groups: [] });
const roles: ProjectRole[] = ['viewer', 'runner', 'editor', 'manager'];
const [viewer, runner, editor, manager] = roles.map(person) as [User, User, User, User];
const [starter, stranger] = [person('starter'), person('stranger')];
const everybody = [viewer, runner, editor, manager, stranger];
/** The name of a document, in every place where a run may contain one. */
const canary = 'kestrel-merger-plan.pdf';

let resources: ResourcesApi;
let runs: RunsStore;
let project: string;
let flow: string;
beforeAll(async () => {
  resources = await startResourcesApi();
  runs = createRunsStore(resources.mongo);
});
afterAll(() => resources.close());
beforeEach(async () => {
  const made = await resources.send<{ project_id: string }>('POST /projects', 201, {
    user: alice,
    body: {
      name: unique('project'),
      members: [...roles, 'starter'],
      roles: [...roles.map((role) => ({ user: role, role })), { user: 'starter', role: 'runner' }],
    },
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
  for (const user of everybody) answers.push(await act(user));
  return answers;
};
const refused = '403 FORBIDDEN';
const gone = '404 JOB_RUN_NOT_FOUND';

const ofRun = sampleFlow('flow');
/** A run of the flow by `starter`, as its record would be with these changes. */
const stored = (change: Partial<RunRecord> = {}) =>
  runs.create(
    runRecord({
      flow_id: flow,
      job_id: flow,
      project_id: project,
      owner: 'starter',
      status: 'FAILED',
      ended_at: new Date().toISOString(),
      message: `DOCUMENT_CORRUPT: fail_fast: '${canary}' is damaged.`,
      warnings: [`'${canary}' has no text.`],
      metadata: { ticket: canary },
      snapshot: { flow: ofRun, plan: planFlow(ofRun, testOperators), plan_hash: 'h' },
      ...change,
    }),
  );
/** A run in progress in the engine. */
const live = async (owner = starter) => {
  const { job_run_id } = await resources.send<{ job_run_id: string }>('POST /job_runs', 201, {
    user: owner,
    body: { flow_id: flow },
  });
  return job_run_id;
};
const listed = async (user: User, query = '') => {
  const { body } = await call('GET', `/job_runs?${query}`, user);
  return (body as { list: { job_run_id: string }[] }).list.map(({ job_run_id }) => job_run_id);
};

test('members list and see the runs of the project, others do not', async () => {
  const { job_run_id } = await stored();
  expect(await getAnswers(async (user) => (await listed(user, `flow_id=${flow}`)).includes(job_run_id))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(await getAnswers((user) => answer('GET', `/job_runs/${job_run_id}`, user))).toEqual([
    200,
    200,
    200,
    200,
    gone,
  ]);
  expect(await listed(editor, `owner=starter&project_id=${project}`)).toEqual([job_run_id]);
  expect(await listed(stranger, `owner=starter&project_id=${project}`)).toEqual([]);
});

test('no reply names a document to a member, whatever the role', async () => {
  const { job_run_id } = await stored();
  await runs.recordPart(job_run_id, { name: 'extract', type: 'extract_operator' }, 'p00000', {
    report: {
      ...{ in: 1, out: 0, documents: 1, failed: 1, skipped: 0, seconds: 1, pages: 0, metrics: {} },
      failures: [{ id: 'secret-id', name: canary, code: 'DOCUMENT_CORRUPT', message: `'${canary}' is damaged.` }],
      warnings: [`'${canary}' has no text.`],
    },
    documents: [
      {
        ...{ id: 'secret-id', name: canary, code: 'DOCUMENT_CORRUPT', message: `'${canary}' is damaged.` },
        ...{ operator: 'extract', outcome: 'failed' as const },
      },
    ],
    times: { started: '2026-01-01T00:00:00.000Z', ended: '2026-01-01T00:00:01.000Z' },
  });
  await runs.recordResults(job_run_id, 'p00000', [
    {
      ...{ id: 'secret-id', name: canary, status: 'Failed', reason: `DOCUMENT_CORRUPT: '${canary}'` },
      ...{ time: '2026-01-01T00:00:01.000Z', pages: 0, seconds: 1 },
    },
  ]);
  const paths = [
    '',
    '?include_logs=true&include_batches=true',
    '/log',
    '/log?document_id=secret-id',
    '/log?follow=true',
    '/events',
    '/documents',
    '/report',
    '/flow_definition',
    '/rows?operator=ingest',
    '/rows/export?operator=ingest',
    `/comparison?base_run_id=${job_run_id}`,
  ];
  for (const user of everybody) {
    expect(JSON.stringify((await call('GET', '/job_runs', user)).body)).not.toContain('kestrel');
    for (const path of paths) {
      const said = JSON.stringify((await call('GET', `/job_runs/${job_run_id}${path}`, user)).body);
      expect({ user: user.username, path, said }).not.toEqual({
        ...{ user: user.username, path },
        said: expect.stringMatching(/kestrel|secret-id/),
      });
    }
  }
  expect(JSON.stringify((await call('GET', `/job_runs/${job_run_id}`, starter)).body)).toContain('kestrel');
});

test('reports of single documents are for the owner of the run', async () => {
  const { job_run_id } = await stored();
  for (const path of ['/documents', '/report', '/rows?operator=ingest', '/rows/export?operator=ingest'])
    expect({ path, told: await getAnswers((user) => answer('GET', `/job_runs/${job_run_id}${path}`, user)) }).toEqual({
      path,
      told: [refused, refused, refused, refused, gone],
    });
});

test('the executed flow of a run is for those who may change its flow', async () => {
  const { job_run_id } = await stored();
  const shown = (user: User) => answer('GET', `/job_runs/${job_run_id}/flow_definition`, user);
  expect(await getAnswers(shown)).toEqual([refused, refused, 200, 200, gone]);
  expect(await shown(starter)).toBe(200);
});

test('editors and managers pause, resume, slow down and cancel the runs of others; viewers and runners do not', async () => {
  const run = await live();
  const act = (action: string) => (user: User) => answer('POST', `/job_runs/${run}/${action}`, user);
  expect(await getAnswers((user) => answer('GET', `/job_runs/${run}/controls`, user))).toEqual([
    200,
    200,
    200,
    200,
    gone,
  ]);
  for (const user of [viewer, runner]) {
    for (const action of ['pause', 'resume', 'cancel']) expect(await act(action)(user)).toBe(refused);
    expect(await answer('PUT', `/job_runs/${run}/concurrency`, user, { max_concurrent_batches: 1 })).toBe(refused);
  }
  expect(await act('pause')(editor)).toBe(200);
  expect(await act('resume')(manager)).toBe(200);
  expect(await answer('PUT', `/job_runs/${run}/concurrency`, editor, { max_concurrent_batches: 1 })).toBe(200);
  expect(await act('cancel')(stranger)).toBe(gone);
  expect(await act('cancel')(editor)).toBe(202);
  expect((await runs.get(run))?.message).toBe("Cancellation was requested by 'editor'.");
});

test('runners cancel and repeat their own runs', async () => {
  const own = await live(runner);
  expect(await answer('POST', `/job_runs/${own}/cancel`, runner)).toBe(202);
  await call('GET', `/job_runs/${own}`, runner);
  expect(await answer('POST', `/job_runs/${own}/rerun`, runner, {})).toBe(201);
});

test('editors and managers repeat the runs of others, for their owner and for both at most', async () => {
  const { job_run_id } = await stored();
  const repeated = (user: User) => call('POST', `/job_runs/${job_run_id}/rerun`, user, {});
  for (const user of [viewer, runner]) expect((await repeated(user)).status).toBe(403);
  expect((await repeated(stranger)).status).toBe(404);
  const { status, body } = await repeated(editor);
  expect(status).toBe(201);
  const run = await runs.get((body as { job_run_id: string }).job_run_id);
  expect(run?.owner).toBe('starter');
  expect(new Set(run?.acting?.readers)).toEqual(new Set(['starter', 'editor']));
});

test('repeating the run of another user changes nothing in it', async () => {
  const { job_run_id } = await stored();
  const body = { configuration: { chunk_size: 5 } };
  expect(await answer('POST', `/job_runs/${job_run_id}/rerun`, editor, body)).toBe(refused);
  expect(await answer('POST', `/job_runs/${job_run_id}/rerun`, carol, body)).toBe(201);
});

test('the idempotency keys of the owner stay theirs', async () => {
  const own = await stored({ project_id: null, idempotency_key: 'nightly', request_hash: 'of the owner' });
  const { job_run_id } = await stored();
  const headers = { 'Idempotency-Key': 'nightly' };
  const repeat = () =>
    resources.api.call('POST', `/api/v1/job_runs/${job_run_id}/rerun`, { user: editor, body: {}, headers });
  const { status, body } = await repeat();
  expect({ status, told: JSON.stringify(body).includes(own.job_run_id) }).toEqual({ status: 201, told: false });
  expect((await repeat()).body).toEqual(body);
});

test('only the owner and administrators delete a run', async () => {
  const { job_run_id } = await stored();
  const removed = (user: User) => answer('DELETE', `/job_runs/${job_run_id}`, user);
  expect(await getAnswers(removed)).toEqual([refused, refused, refused, refused, gone]);
  expect(await removed(starter)).toBe(204);
});

test('runs from before a flow came into the project stay private, also when they are repeated', async () => {
  const { job_run_id } = await stored({ project_id: null, owner: 'alice' });
  expect(await getAnswers((user) => answer('GET', `/job_runs/${job_run_id}`, user))).toEqual(Array(5).fill(gone));
  const { body } = await call('POST', `/job_runs/${job_run_id}/rerun`, alice, {});
  const again = (body as { job_run_id: string }).job_run_id;
  expect(await getAnswers((user) => answer('GET', `/job_runs/${again}`, user))).toEqual(Array(5).fill(gone));
});

test('runs that are repeated after the flow left the project are private', async () => {
  const { job_run_id } = await stored({ owner: 'alice' });
  await resources.send(`PATCH /flows/${flow}`, 200, { user: alice, body: { project_id: null } });
  const { body } = await call('POST', `/job_runs/${job_run_id}/rerun`, alice, {});
  const again = (body as { job_run_id: string }).job_run_id;
  expect(await answer('GET', `/job_runs/${again}`, manager)).toBe(gone);
  expect(await answer('POST', `/job_runs/${job_run_id}/rerun`, editor, {})).toBe('404 FLOW_NOT_FOUND');
});

test('a former member sees no run of the project except their own', async () => {
  const { job_run_id } = await stored();
  const members = [...roles];
  await resources.send(`PATCH /projects/${project}`, 200, { user: alice, body: { members: members.slice(1) } });
  expect(await answer('GET', `/job_runs/${job_run_id}`, viewer)).toBe(gone);
  expect(await listed(viewer)).not.toContain(job_run_id);
  expect(await answer('GET', `/job_runs/${job_run_id}`, starter)).toBe(200);
});

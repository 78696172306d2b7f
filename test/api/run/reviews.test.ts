import type { ApiServices } from '../../../api/services';
import { isAdmin } from '../../../model/access';
import type { Review } from '../../../services/review/reviews';
import { ledgerEntry, memoryKept } from '../../support/api/kept-documents';
import { memoryReviews, reviewOf } from '../../support/api/review-services';
import {
  alice,
  bob,
  carol,
  emptyState,
  memoryServices,
  sampleFlow,
  startApi,
  type TestApi,
} from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';

/** The review queue against users without access to a document, and against malicious input. */
let api: TestApi;
let reviews: Review[];
let kept: ReturnType<typeof memoryKept>;
let state: ReturnType<typeof emptyState>;
afterEach(() => api.close());

async function start(entries = [{ ...ledgerEntry(), job_id: 'job' }], change: Partial<ApiServices> = {}) {
  reviews = [reviewOf()];
  kept = memoryKept(entries);
  state = emptyState();
  const run = runRecord({ job_run_id: 'run', status: 'COMPLETED' });
  run.snapshot.flow = sampleFlow('flow');
  state.runs = [run];
  const flow = {
    ...sampleFlow('flow'),
    flow_id: 'flow',
    project_id: null,
    owner: 'alice',
    readers: ['bob'],
    flow_source: 'api',
    flow_version: '2.0',
    revision: 1,
    created_at: run.created_at,
    updated_at: run.created_at,
    created_by: 'alice',
    updated_by: 'alice',
  };
  state.flows = [flow as never];
  const services = { ...memoryServices(state, ['admins']), reviews: memoryReviews(reviews), keptDocuments: kept };
  api = await startApi({ ...services, ...change }, { adminGroups: ['admins'] });
}

const path = '/api/v1/reviews/review-1';
const correction = { markdown: '# Right', version: 'hash' };
const routes: [string, string, object | undefined][] = [
  ['GET', '', undefined],
  ['GET', '/markdown', undefined],
  ['PUT', '/correction', correction],
  ['DELETE', '/correction', undefined],
];

test.each(routes)(
  '%s %s of a review of another user returns the same as an unknown review',
  async (method, rest, body) => {
    await start();
    expect(isAdmin(carol, ['admins'])).toBe(true);
    for (const user of [bob, carol]) {
      const [foreign, none] = await Promise.all(
        [path, '/api/v1/reviews/nothing'].map((value) =>
          api.call(method, `${value}${rest}`, { user, ...(body ? { body } : {}) }),
        ),
      );
      const said = (answer: typeof foreign) =>
        JSON.stringify({ ...(answer!.body as object), trace: '' }).replaceAll(/review-1|nothing/g, 'ID');
      expect([foreign!.status, said(foreign)]).toEqual([404, said(none)]);
    }
    expect([kept.written.size, state.runs.length, reviews[0]?.state]).toEqual([0, 1, 'open']);
  },
);

test('the owner of a run who is no longer in the access list neither reads nor corrects', async () => {
  await start([{ ...ledgerEntry({ allowed_users: ['dave'] }), job_id: 'job' }]);
  for (const [method, rest, body] of routes)
    expect((await api.call(method, `${path}${rest}`, { user: alice, ...(body ? { body } : {}) })).status).toBe(404);
  // Nor by the list of the same document in another job.
  await api.close();
  await start([{ ...ledgerEntry(), job_id: 'other' }]);
  expect((await api.call('GET', `${path}/markdown`, { user: alice })).status).toBe(404);
  expect(kept.written.size).toBe(0);
});

test('lists name documents only to the owner of the run; nobody accepts for another', async () => {
  await start();
  const list = async (user: typeof alice) =>
    (await api.call('GET', '/api/v1/reviews', { user })).body as { total: number };
  expect(await list(alice)).toMatchObject({ total: 1, reviews: [{ name: 'scan.pdf', doubts: [{ pages: [2] }] }] });
  expect(await list(bob)).toMatchObject({ total: 0, reviews: [] });
  expect(await list(carol)).toMatchObject({ total: 1, reviews: [{ name: '(withheld)' }] });
  expect(JSON.stringify(await list(alice))).not.toContain('job_id');
  const accept = (user: typeof alice) =>
    api.call('POST', '/api/v1/reviews/accept', { user, body: { ids: ['review-1'] } });
  for (const user of [bob, carol]) expect((await accept(user)).body).toEqual({ changed: 0 });
  expect((await accept(alice)).body).toEqual({ changed: 1 });
});

test('a user who may no longer change a shared flow cannot correct documents for runs of others', async () => {
  await start();
  state.runs[0]!.job_id = 'shared';
  state.flows[0]!.owner = 'bob';
  state.flows[0]!.readers = ['alice'];
  reviews[0]!.job_id = 'shared';
  await api.close();
  const entries = [{ ...ledgerEntry(), job_id: 'shared' }];
  const services = {
    ...memoryServices(state, []),
    reviews: memoryReviews(reviews),
    keptDocuments: (kept = memoryKept(entries)),
  };
  api = await startApi(services);
  const { status } = await api.call('PUT', `${path}/correction`, { user: alice, body: correction });
  expect(status).toBe(403);
  // The same where the run was removed: the flow decides.
  state.runs = [];
  expect((await api.call('PUT', `${path}/correction`, { user: alice, body: correction })).status).toBe(403);
  expect(kept.written.size).toBe(0);
});

test.each([
  ['no text', { markdown: ' \n ', version: 'hash' }, 400],
  ['a value that is not text', { markdown: { $ne: 1 }, version: 'hash' }, 400],
  ['a client-chosen key', { ...correction, key: '../../secret' }, 400],
  ['an earlier version', { ...correction, version: '../hash' }, 409],
  ['more than 4,000,000 characters', { ...correction, markdown: 'x'.repeat(4_000_001) }, 400],
])('a correction with %s is rejected', async (_name, body, expected) => {
  await start();
  expect((await api.call('PUT', `${path}/correction`, { user: alice, body })).status).toBe(expected);
  expect([kept.written.size, state.runs.length]).toEqual([0, 1]);
});

test('hostile Markdown is stored and sent as text, and the audit log names the change without it', async () => {
  await start();
  const markdown = '# <script>alert(1)</script>\n\n![x](file:///etc/passwd) [y](javascript:alert(1))';
  const { status, body } = await api.call('PUT', `${path}/correction`, {
    user: alice,
    body: { ...correction, markdown },
  });
  expect([status, body]).toEqual([200, { job_run_id: expect.any(String) as string, refused: null }]);
  expect([...kept.written]).toEqual([['documents/job/of-alice/hash.corrected.md', markdown]]);
  expect(state.runs.at(-1)?.rerun).toEqual({ run_id: 'run', mode: 'chosen', documents: ['of-alice'] });
  const shown = await api.call('GET', `${path}/markdown`, { user: alice });
  expect(shown.body).toBe(markdown);
  expect(shown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
  const { body: audit } = await api.call('GET', '/api/v1/audit?limit=10', { user: carol });
  expect(JSON.stringify(audit)).toContain('PUT /api/v1/reviews/{review_id}/correction');
  expect(JSON.stringify(audit)).not.toContain('passwd');
});

test('a correction survives a run that cannot start, and is discarded by its author', async () => {
  await start();
  state.runs[0]!.tables_removed_at = '2026-01-02T03:04:05.000Z';
  const { body } = await api.call('PUT', `${path}/correction`, { user: alice, body: correction });
  expect(body).toMatchObject({ job_run_id: null, refused: { code: 'JOB_RUN_INVALID_STATE' } });
  expect([kept.written.size, reviews[0]?.state]).toEqual([1, 'corrected']);
  await api.call('DELETE', `${path}/correction`, { user: alice });
  expect([kept.written.size, reviews[0]?.state]).toEqual([0, 'open']);
});

import type { User } from '../../../model/access';
import { getOwnJobId } from '../../../services/run/sharing';
import type { DocumentReply, SearchRequest } from '../../../services/search/ports';
import { people, prepare, type Prepared } from '../../support/api/prepared';

/** Scopes of a search: a resource that the user may not see cannot be named, and behaves as if missing. */
const seen: { user: string; request: SearchRequest }[] = [];
const record: DocumentReply = {
  id: 'd_0',
  title: 'Tide gauges',
  content: 'How a gauge measures.',
  metadata: { document_id: 'd' },
  created_at: '',
  updated_at: '',
};
let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare({
    search: {
      get: async (user, id) => (user.username === 'alice' && id === 'd_0' ? record : undefined),
      search: async (user, request) => {
        seen.push({ user: user.username, request });
        return { documents: [], total: 0, limit: 10, offset: 0, has_more: false };
      },
    },
  });
});
afterAll(() => prepared.api.close());

async function ask(user: User, body: object) {
  seen.length = 0;
  const { status, body: reply } = await prepared.api.call('POST', '/api/v1/documents/search', { user, body });
  const { errors } = reply as { errors?: { code: string }[] };
  return { status, code: errors?.[0]?.code, request: seen[0]?.request };
}
const { owner, reader, member, other: stranger } = people;

test('a flow restricts the search to its job and those of its readers', async () => {
  const flow = prepared.ids['flow_id'] ?? '';
  const jobs = [flow, getOwnJobId(flow, owner.username), getOwnJobId(flow, reader.username)];
  const found = await ask(reader, { flow });
  expect(found.request?.scope?.jobs?.[0]?.toSorted()).toEqual(jobs.toSorted());
  expect(await ask(stranger, { flow })).toEqual({ status: 404, code: 'FLOW_NOT_FOUND', request: undefined });
});

test('a project restricts the search to its flows; with a flow, both apply', async () => {
  const project = prepared.ids['project_id'] ?? '';
  const flow = prepared.ids['flow_id'] ?? '';
  const { request } = await ask(member, { project, flow: [flow], index: 'one' });
  expect(request?.scope).toEqual({
    indexes: ['one'],
    jobs: [expect.arrayContaining([flow]), expect.arrayContaining([flow])],
    documents: [],
  });
  expect(await ask(reader, { project })).toMatchObject({ status: 404, code: 'PROJECT_NOT_FOUND', request: undefined });
});

test('a document set restricts the search to its documents that the user may read', async () => {
  const { linked, other } = prepared.stage.sets;
  expect((await ask(owner, { document_set: linked })).request?.scope?.documents).toEqual([['of-alice']]);
  // A reader of the set who may read none of its rows.
  expect((await ask(reader, { document_set: linked })).request?.scope?.documents).toEqual([[]]);
  for (const document_set of [other, 'nothing'])
    expect(await ask(reader, { document_set })).toMatchObject({ status: 404, code: 'DOCUMENT_SET_NOT_FOUND' });
});

test('similar records are found by the text of a record, without its document', async () => {
  expect((await ask(owner, { like: 'd_0', mode: 'hybrid' })).request).toMatchObject({
    query: 'Tide gauges\nHow a gauge measures.',
    unlike: 'd',
    mode: 'hybrid',
  });
  for (const like of ['d_0', 'nothing'])
    expect(await ask(stranger, { like })).toEqual({ status: 404, code: 'DOCUMENT_NOT_FOUND', request: undefined });
  expect(await ask(owner, { like: 'd_0', query: 'x' })).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
});

test.each<[string, object]>([
  ['21 indexes', { index: Array.from({ length: 21 }, (_, index) => `i${index}`) }],
  ['no index', { index: [] }],
  ['11 facets', { facets: Array.from({ length: 11 }, () => 'kind') }],
  ['a facet without a field', { facets: [{ limit: 3 }] }],
  ['an unknown interval', { facets: [{ field: 'created_at', interval: 'hour' }] }],
  ['six neighbours', { expand: 6 }],
  ['a condition that is null', { filters: { total: { gte: null } } }],
])('%s are 422', async (_name, body) => {
  expect(await ask(owner, body)).toMatchObject({ status: 422, code: 'VALIDATION_ERROR', request: undefined });
});

test('facets, groups and neighbours are passed on', async () => {
  const facets = ['kind', { field: 'created_at', interval: 'year' }];
  expect((await ask(owner, { facets, group: true, expand: 2 })).request).toMatchObject({
    facets: [{ field: 'kind' }, { field: 'created_at', interval: 'year' }],
    group: true,
    expand: 2,
  });
});

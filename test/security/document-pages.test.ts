import { Readable } from 'node:stream';
import type { ApiServices } from '../../api/services';
import { ledgerEntry, memoryKept } from '../support/api/kept-documents';
import { memoryHoldings, memoryPages } from '../support/api/page-services';
import { alice, bob, carol, memoryServices, emptyState, startApi, type TestApi } from '../support/api/server';

/** Pages, history and readers of a document, requested by users without access; and searches on behalf of others. */
const pages = ['pages', 'pages/1', 'pages/1?uncovered=true', 'pages/1/image', 'html', 'facts', 'life', 'access'];
let api: TestApi;
let opened: string[];
afterEach(() => api.close());

async function start(change: Partial<ApiServices> = {}): Promise<void> {
  opened = [];
  const views = memoryPages();
  api = await startApi(
    {
      ...memoryServices(emptyState(), ['admins']),
      pageViews: {
        draw: async (source, ...rest) => {
          opened.push(source.key);
          return views.draw(source, ...rest);
        },
        renderHtml: async (source, ...rest) => {
          opened.push(source.key);
          return views.renderHtml(source, ...rest);
        },
        readTexts: async (source, ...rest) => {
          opened.push(source.key);
          return views.readTexts(source, ...rest);
        },
      },
      ...change,
    },
    { adminGroups: ['admins'] },
  );
}

test.each(pages)('%s of an unreadable document returns the same as an unknown document', async (path) => {
  await start();
  const own = await api.call('GET', `/api/v1/documents/of-alice/${path}`, { user: alice });
  expect(own.status).toBe(200);
  opened = [];
  for (const user of path === 'access' ? [bob] : [bob, carol]) {
    const [foreign, none] = await Promise.all(
      ['of-alice', 'of-nobody'].map((id) => api.call('GET', `/api/v1/documents/${id}/${path}`, { user })),
    );
    const { trace: _one, ...reply } = foreign!.body as Record<string, unknown>;
    const { trace: _other, ...saidOfNone } = none!.body as Record<string, unknown>;
    expect([foreign!.status, reply]).toEqual([404, saidOfNone]);
  }
  expect(opened).toEqual([]);
});

test.each(['0', '-1', '1.5', '1e9', '99999999999', 'one', '%00', '..%2f..%2fsecret', '1%20or%201'])(
  'there is no page %s, and nothing is opened for it',
  async (page) => {
    await start();
    for (const path of [page, `${page}/image`]) {
      const { status } = await api.call('GET', `/api/v1/documents/of-alice/pages/${path}`, { user: alice });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    expect(opened).toEqual([]);
  },
);

test('a page after the last one does not exist', async () => {
  await start();
  for (const path of ['2', '2/image'])
    expect((await api.call('GET', `/api/v1/documents/of-alice/pages/${path}`, { user: alice })).status).toBe(404);
});

test.each(['..%2f..%2fetc%2fpasswd', 'of-alice%00', '%2e%2e', `x${'a'.repeat(600)}`, '{"$ne":1}', '*', '_all'])(
  'the id %s opens nothing',
  async (id) => {
    await start();
    for (const path of pages) {
      const { status } = await api.call('GET', `/api/v1/documents/${id}/${path}`, { user: alice });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    expect(opened).toEqual([]);
  },
);

test('pages of a document whose flow may mask text are for the owner of its run only', async () => {
  const entry = { ...ledgerEntry({ owner: 'bob', withholds_text: true }), job_id: 'job' };
  await start({ keptDocuments: memoryKept([entry]) });
  for (const path of ['pages', 'pages/1', 'pages/1/image']) {
    const { status, body } = await api.call('GET', `/api/v1/documents/of-alice/${path}`, { user: alice });
    expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining('DOCUMENT_FORM_NOT_FOUND')]);
  }
  expect(opened).toEqual([]);
});

test('a reader learns why they may read a document, and not who else may', async () => {
  const entry = { ...ledgerEntry({ owner: 'bob' }), job_id: 'job' };
  await start({ keptDocuments: memoryKept([entry]) });
  const { body } = await api.call('GET', '/api/v1/documents/of-alice/access', { user: alice });
  expect(body).toEqual({ document_id: 'of-alice', you_may_read: true, rule: null });
  const { body: life } = await api.call('GET', '/api/v1/documents/of-alice/life', { user: alice });
  expect(JSON.stringify(life)).not.toMatch(/bob|job_run_id/);
});

test('the owner of a run learns whom their own runs let read a document, and not who else has it', async () => {
  const mine = { ...ledgerEntry({ owner: 'alice', allowed_users: ['alice', 'dave'] }), job_id: 'job' };
  const foreign = { ...ledgerEntry({ owner: 'bob', allowed_users: ['bob', 'erin', 'alice'] }), job_id: 'other' };
  await start({ keptDocuments: memoryKept([mine, foreign]) });
  const { body } = await api.call('GET', '/api/v1/documents/of-alice/access', { user: alice });
  expect(body).toEqual({
    document_id: 'of-alice',
    you_may_read: true,
    rule: null,
    readers: [{ user: 'alice' }, { user: 'dave' }],
    owners: ['alice'],
  });
});

test('an administrator learns who may read a document, but none of its content', async () => {
  const read = jest.fn(async () => Readable.from([]));
  await start({ keptDocuments: { ...memoryKept(), open: read } });
  const { body } = await api.call('GET', '/api/v1/documents/of-alice/access', { user: carol });
  expect(body).toEqual({
    document_id: 'of-alice',
    you_may_read: false,
    rule: 'access_list',
    readers: [{ user: 'alice', records: 2 }],
    records: 2,
    owners: ['alice'],
  });
  expect(read).not.toHaveBeenCalled();
});

test('a search on behalf of another user returns ids and rules, no content, and is recorded', async () => {
  await start();
  const ask = (user: typeof alice, name: string) =>
    api.call('POST', '/api/v1/documents/search_as', { user, body: { user_id: name, query: 'invoice' } });
  const { body } = await ask(carol, 'alice');
  expect(body).toEqual({ user_id: 'alice', total: 1, hits: [{ id: 'of-alice', document_id: 'of-alice', rule: null }] });
  const { body: own } = await ask(carol, 'carol');
  expect(own).toMatchObject({ hits: [{ id: 'of-carol', title: expect.any(String) as string }] });
  expect((await ask(alice, 'bob')).status).toBe(403);
  const { body: audit } = await api.call('GET', '/api/v1/audit?limit=10', { user: carol });
  const entries = (
    audit as { items: { user: string; action: string; target: object; outcome: string }[] }
  ).items.filter(({ action }) => action === 'POST /api/v1/documents/search_as');
  expect(entries.map(({ user, target, outcome }) => [user, target, outcome])).toEqual([
    ['alice', { user_id: 'bob' }, 'FORBIDDEN'],
    ['carol', { user_id: 'carol' }, 'OK'],
    ['carol', { user_id: 'alice' }, 'OK'],
  ]);
});

test('the rule of a document is for administrators, and for readers about themselves', async () => {
  await start();
  const ask = (user: typeof alice, name: string, id = 'of-alice') =>
    api.call('POST', '/api/v1/access/explain', { user, body: { user: name, document_id: id } });
  const answer = { document_id: 'of-alice', rule: 'access_list', records: 2 };
  const { body: own } = await ask(alice, 'alice');
  expect(own).toEqual({ ...answer, user: 'alice', may_read: true, reason: 'named', principals: ['u:alice'], readable: 2, groups_known: true }); // prettier-ignore
  const { body: other } = await ask(carol, 'bob');
  expect(other).toEqual({ ...answer, user: 'bob', may_read: false, reason: 'not_listed', principals: [], readable: 0, groups_known: false }); // prettier-ignore
  expect((await ask(bob, 'alice')).status).toBe(403);
  expect((await ask(bob, 'alice', 'of-nobody')).status).toBe(403);
  const [foreign, none] = [await ask(bob, 'bob'), await ask(bob, 'bob', 'of-nobody')];
  const message = (reply: typeof foreign) => (reply.body as { errors: unknown }).errors;
  expect([foreign.status, message(foreign)]).toEqual([404, message(none)]);
  const { body: audit } = await api.call('GET', '/api/v1/audit?limit=10', { user: carol });
  const entries = (audit as { items: { user: string; action: string; target: object }[] }).items
    .filter(({ action }) => action === 'POST /api/v1/access/explain')
    .map(({ user, target }) => [user, target]);
  expect(entries).toContainEqual(['carol', { user: 'bob', document_id: 'of-alice' }]);
  expect(entries).toContainEqual(['bob', { user: 'alice', document_id: 'of-alice' }]);
});

test('a reader does not learn how many records of a document there are that they may not read', async () => {
  const holdings = memoryHoldings();
  await start({
    indexHoldings: { ...holdings, judge: async (...input) => ({ ...(await holdings.judge(...input)), records: 5 }) },
  });
  const ask = (user: typeof alice) =>
    api.call('POST', '/api/v1/access/explain', { user, body: { user: 'alice', document_id: 'of-alice' } });
  expect((await ask(alice)).body).toMatchObject({ records: 2, readable: 2 });
  expect((await ask(carol)).body).toMatchObject({ records: 5, readable: 2 });
});

test.each(['highlight', 'facets', 'filters', 'expand', 'provenance', 'group', 'like', 'sort'])(
  'a search on behalf of another user accepts no %s',
  async (member) => {
    await start();
    const body = { user_id: 'alice', [member]: member === 'facets' ? ['title'] : true };
    expect((await api.call('POST', '/api/v1/documents/search_as', { user: carol, body })).status).toBe(422);
  },
);

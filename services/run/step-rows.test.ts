import type { Row } from '../../model/flow/row';
import { runRecord } from '../../test/support/system/run-record';
import { createStepRows } from './step-rows';

const row = (id: string, change: Partial<Row> = {}): Row => ({
  id,
  name: `${id}.md`,
  path: `/srv/docs/${id}.md`,
  source: 'file:/srv/docs',
  content: id,
  allowed_users: ['alice'],
  ...change,
});
const stepRows = (
  parts: Record<string, Row[]>,
  { now = {}, removed = [] }: { now?: Record<string, string[]>; removed?: string[] } = {},
) =>
  createStepRows({
    tables: {
      listParts: async () => Object.keys(parts).toSorted(),
      read: async ({ part }, { from = 0, to } = {}) => (parts[part] ?? []).slice(from, to),
    },
    ledger: {
      lookup: async () => new Map(Object.entries(now).map(([id, users]) => [id, { allowed_users: users } as never])),
      listRemoved: async () => new Set(removed),
    },
  });
const step = { run: runRecord(), operator: 'chunk', user: { username: 'alice' } };
const ids = (rows: readonly Record<string, unknown>[]) => rows.map(({ id }) => id);

test('rows have the order of the parts; a part that was halved later counts once', async () => {
  const rows = stepRows({
    p00000: [row('a'), row('b')],
    'p00000-0': [row('a')],
    'p00001-0': [row('c')],
    'p00001-1': [row('d')],
  });
  const page = await rows.readPage(step, { limit: 3, offset: 0 });
  expect([ids(page.rows), page.hasMore]).toEqual([['a', 'b', 'c'], true]);
  const last = await rows.readPage(step, { limit: 3, offset: 3 });
  expect([ids(last.rows), last.hasMore]).toEqual([['d'], false]);
});

test('only rows whose access list included the user then and now, and no removed documents', async () => {
  const parts = {
    p00000: [
      row('a'),
      row('b', { allowed_users: ['bob'] }),
      row('c', { allowed_users: [] }),
      row('d'),
      row('e1', { document_id: 'e' }),
      row('f'),
    ],
  };
  const rows = stepRows(parts, { now: { d: ['bob'], e: ['alice', 'bob'] }, removed: ['f'] });
  const page = await rows.readPage(step, { limit: 100, offset: 0 });
  expect(ids(page.rows)).toEqual(['a', 'e1']);
});

test('others than the owner see rows of flows that mask and omit no text', async () => {
  const parts = { p00000: ['masked', 'whole', 'unsettled'].map((id) => row(id, { allowed_users: ['alice', 'root'] })) };
  const settled = (withholds_text: boolean) => ({ allowed_users: ['alice', 'root'], withholds_text }) as never;
  const rows = createStepRows({
    tables: { listParts: async () => Object.keys(parts), read: async () => parts.p00000 },
    ledger: {
      lookup: async () =>
        new Map([
          ['masked', settled(true)],
          ['whole', settled(false)],
        ]),
      listRemoved: async () => new Set(),
    },
  });
  const as = async (username: string) =>
    ids(
      (
        await rows.readPage(
          { ...step, run: { ...step.run, owner: 'alice' }, user: { username } },
          { limit: 9, offset: 0 },
        )
      ).rows,
    );
  expect(await as('root')).toEqual(['whole']);
  expect(await as('alice')).toEqual(['masked', 'whole', 'unsettled']);
});

test('groups grant access and denials revoke it, by the current groups of the reader', async () => {
  const groups = { allowed_users: [], allowed_principals: ['g:login:staff'] };
  const rows = stepRows({
    p00000: [
      row('a', groups),
      row('b', { denied_principals: ['g:login:staff'] }),
      row('c', { denied_principals: ['u:bob'] }),
    ],
  });
  const as = async (principals?: string[]) => {
    const user = { username: 'alice', ...(principals ? { principals } : {}) };
    return ids((await rows.readPage({ ...step, user }, { limit: 9, offset: 0 })).rows);
  };
  expect(await as(['u:alice', 'p:*'])).toEqual(['b', 'c']);
  expect(await as(['u:alice', 'p:*', 'g:login:staff'])).toEqual(['a', 'c']);
  // Groups are unknown: documents with denials are closed.
  expect(await as()).toEqual([]);
});

test('rows include no server path, access list or vector unless requested', async () => {
  const rows = stepRows({ p00000: [row('a', { vector: [0.5, 1], acl_hash: 'x', document_ref: 'k' })] });
  const { columns, rows: found } = await rows.readPage(step, { limit: 1, offset: 0 });
  expect(found).toEqual([{ id: 'a', name: 'a.md', path: 'a.md', source: 'file', content: 'a' }]);
  expect(columns).not.toContain('vector');
  expect((await rows.readPage(step, { limit: 1, offset: 0, vectors: true })).rows[0]).toHaveProperty('vector');
  await expect(rows.readPage(step, { limit: 1, offset: 0, columns: ['allowed_users'] })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

test('a page ends before it grows too large, and the next begins there', async () => {
  const large = 'x'.repeat(3_000_000);
  const rows = stepRows({ p00000: [row('a', { content: large }), row('b', { content: large })] });
  const page = await rows.readPage(step, { limit: 10, offset: 0 });
  expect([ids(page.rows), page.hasMore]).toEqual([['a'], true]);
  expect(ids((await rows.readPage(step, { limit: 10, offset: 1 })).rows)).toEqual(['b']);
});

test('removed tables are an error; an operator that has written nothing has no rows', async () => {
  expect((await stepRows({}).readPage(step, { limit: 1, offset: 0 })).rows).toEqual([]);
  const run = { ...step.run, tables_removed_at: '2026-01-01T00:00:00.000Z' };
  await expect(stepRows({}).readPage({ ...step, run }, { limit: 1, offset: 0 })).rejects.toMatchObject({
    code: 'TABLE_NOT_FOUND',
  });
});

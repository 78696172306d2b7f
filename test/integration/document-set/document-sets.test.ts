import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Reader } from '../../../model/access';
import { listPrincipals } from '../../../model/access-list';
import { readConfig } from '../../../model/config';
import type { Row } from '../../../model/flow/row';
import { createDocumentLibrariesStore } from '../../../services/document-set/document-libraries-store';
import { createRowExport } from '../../../services/document-set/document-set-export';
import { createDocumentSetsStore, type DocumentSetsStore } from '../../../services/document-set/document-sets-store';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { createObjectStore } from '../../../services/storage/object-store';
import type { ObjectStore } from '../../../services/storage/object-store-port';
import { createDuckdb, toRows } from '../../../services/table/duckdb';
import { quoteText } from '../../../services/table/row-columns';

const folder = path.join(tmpdir(), `docloom-sets-${randomUUID()}`);
const duckdb = createDuckdb();
const alice = { username: 'alice' };
const bob = { username: 'bob' };
const origin = (runId: string, jobId = 'job') => ({
  jobId,
  runId,
  operator: 'set',
  startedAt: `2026-01-0${runId.slice(-1)}T00:00:00.000Z`,
});
const row = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  name: `${id}.md`,
  path: `/${id}.md`,
  content: `text of ${id}`,
  size: 100,
  pages_processed: 2,
  allowed_users: ['alice'],
  ...more,
});
const chunk = (document: string, index: number, more: Partial<Row> = {}) =>
  row(`${document}_${index}`, { document_id: document, chunk_index: index, ...more });

afterAll(async () => {
  duckdb.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  { name: 'a folder', settings: { DOCLOOM_STORAGE: 'folder' } },
  { name: 'S3', settings: { DOCLOOM_STORAGE: 's3', DOCLOOM_S3_BUCKET: `sets-${randomUUID()}` } },
])('document sets on $name', ({ settings }) => {
  let mongo: Mongo;
  let store: ObjectStore;
  let sets: DocumentSetsStore;
  beforeAll(() => {
    const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
    url.pathname = `/sets_${randomUUID().replaceAll('-', '')}`;
    mongo = connectMongo(url.toString());
    store = createObjectStore(readConfig({ ...process.env, DOCLOOM_DATA: folder, ...settings }));
    sets = createDocumentSetsStore({ mongo, store, duckdb });
  });
  afterAll(async () => {
    for (const name of [
      'document_sets',
      'document_set_rows',
      'document_set_documents',
      'document_set_shapes',
      'document_set_views',
      'document_libraries',
    ])
      await mongo
        .collection(name)
        .drop()
        .catch(() => undefined);
    await store.removePrefix('sets/');
    store.close();
    await mongo.close();
  });
  const make = async (owner = 'alice') => (await sets.getOrCreate({ name: `set-${randomUUID()}`, owner })).set;
  const totals = async (id: string) => (await sets.get({ user: alice }, id))?.totals;
  const ids = async (setId: string, user = alice) => {
    const { rows } = await sets.preview(user, setId, { columns: ['id'], limit: 1_000, offset: 0 });
    return rows.map(({ id }) => String(id));
  };
  const files = async (setId: string) => {
    const keys: string[] = [];
    for await (const key of store.list(`sets/${setId}/`)) keys.push(key);
    return keys;
  };

  test('of many concurrent requests for one set, one creates it and all receive it', async () => {
    const name = `raced-${randomUUID()}`;
    const results = await Promise.all(Array.from({ length: 8 }, () => sets.getOrCreate({ name, owner: 'alice' })));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ set }) => set.id)).size).toBe(1);
  });

  test('rows are stored under their ids, a repeated write changes nothing, and a later run replaces them', async () => {
    const { id } = await make();
    expect(await sets.write(id, origin('run-1'), [row('a'), row('b')])).toBe(true);
    await sets.write(id, origin('run-1'), [row('a'), row('b')]);
    expect(await totals(id)).toEqual({ documents: 2, rows: 2, size: 200, pages: 4 });
    await sets.write(id, origin('run-2'), [row('a', { content: 'new', size: 5 })]);
    expect(await totals(id)).toEqual({ documents: 2, rows: 2, size: 105, pages: 4 });
    const { rows } = await sets.preview(alice, id, { columns: ['id', 'content'], limit: 10, offset: 0 });
    expect(rows).toEqual([
      { id: 'b', content: 'text of b' },
      { id: 'a', content: 'new' },
    ]);
  });

  test('a file whose rows were all replaced is removed', async () => {
    const { id } = await make();
    await sets.write(id, origin('run-1'), [row('a'), row('b')]);
    const [first] = await files(id);
    await sets.write(id, origin('run-2'), [row('a')]);
    expect(await files(id)).toContain(first);
    await sets.write(id, origin('run-2'), [row('b')]);
    expect(await files(id)).not.toContain(first);
    expect(await ids(id)).toHaveLength(2);
  });

  test('concurrent batches that share rows lose nothing', async () => {
    const { id } = await make();
    const shared = row('shared');
    await Promise.all(
      Array.from({ length: 6 }, (_, batch) => sets.write(id, origin('run-1'), [row(`own-${batch}`), shared])),
    );
    expect((await ids(id)).toSorted()).toEqual([...Array.from({ length: 6 }, (_, batch) => `own-${batch}`), 'shared']);
    expect(await totals(id)).toMatchObject({ documents: 7, rows: 7 });
  });

  test('chunks of a document count as one document, and its size counts once', async () => {
    const { id } = await make();
    await sets.write(id, origin('run-1'), [chunk('a', 0), chunk('a', 1), row('b')]);
    expect(await totals(id)).toEqual({ documents: 2, rows: 3, size: 200, pages: 4 });
  });

  test('rows of a document that earlier runs wrote are removed, those of this run and of other jobs stay', async () => {
    const { id } = await make();
    await sets.write(id, origin('run-1'), [chunk('a', 0), chunk('a', 1), chunk('a', 2), row('b')]);
    await sets.write(id, origin('run-1', 'other'), [row('x', { document_id: 'a' })]);
    await sets.write(id, origin('run-2'), [chunk('a', 0)]);
    expect(await sets.removeRows(id, { jobId: 'job', documentIds: ['a'], keepRunId: 'run-2' })).toBe(2);
    expect((await ids(id)).toSorted()).toEqual(['a_0', 'b', 'x']);
    expect(await sets.removeRows(id, { jobId: 'job', documentIds: ['a', 'b'] })).toBe(2);
    expect(await ids(id)).toEqual(['x']);
    expect(await totals(id)).toMatchObject({ documents: 1, rows: 1 });
    expect(await files(id)).toHaveLength(1);
  });

  test('users see the rows that name them; nobody sees a row without a list; pages are consecutive', async () => {
    const { id } = await make();
    const rows = Array.from({ length: 25 }, (_, index) =>
      row(`r${String(index).padStart(2, '0')}`, { allowed_users: index % 2 ? ['alice', 'bob'] : ['alice'] }),
    );
    await sets.write(id, origin('run-1'), [
      ...rows,
      row('open', { allowed_users: [] }),
      row('none', { allowed_users: undefined }),
    ]);
    expect(await ids(id)).toEqual(rows.map((row) => row.id));
    expect(await ids(id, bob)).toHaveLength(12);
    expect(await ids(id, { username: 'carol' })).toEqual([]);
    const page = await sets.preview(bob, id, { columns: ['id'], limit: 5, offset: 10 });
    expect(page).toEqual({ rows: [{ id: 'r21' }, { id: 'r23' }], totalRows: 12 });
  });

  test('columns list standard ones first, vectors on request, and never access lists or internal keys', async () => {
    const { id } = await make();
    await sets.write(id, origin('run-1'), [
      row('a', { zeta: 1, acl_hash: 'h', document_ref: 'k', metadata: { title: 't', allowed_users: ['eve'] } }),
    ]);
    await sets.write(id, origin('run-1'), [
      row('b', { embeddings: [0.5, 1], Zeta: 'x', page_numbers: [1], bbox: [[1]] }),
    ]);
    const standard = ['id', 'name', 'path', 'size', 'content', 'pages_processed', 'metadata', 'page_numbers', 'bbox'];
    expect(await sets.listColumns(alice, id, {})).toEqual([...standard, 'Zeta', 'zeta']);
    expect(await sets.listColumns(alice, id, { vectors: true })).toEqual([...standard, 'Zeta', 'embeddings', 'zeta']);
    expect(await sets.listColumns(alice, id, { columns: ['embeddings'] })).toEqual(['embeddings']);
    await expect(sets.listColumns(alice, id, { columns: ['allowed_users'] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const { rows } = await sets.preview(alice, id, {
      columns: ['metadata', 'zeta', 'Zeta', 'embeddings'],
      limit: 9,
      offset: 0,
    });
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual({ metadata: { title: 't' }, zeta: 1 });
    expect(rows).toContainEqual({ Zeta: 'x', embeddings: [0.5, 1] });
  });

  test('an export contains every row of several pages, in Parquet too when a column changes type', async () => {
    const { id } = await make();
    const many = Array.from({ length: 700 }, (_, index) => row(`r${String(index).padStart(3, '0')}`, { note: index }));
    await sets.write(id, origin('run-1'), many);
    await sets.write(id, origin('run-2'), [
      row('last', { note: 'text', extra: { deep: [1] } }),
      row('hidden', { allowed_users: ['bob'] }),
    ]);
    const columns = await sets.listColumns(alice, id, { columns: ['id', 'note', 'extra'] });
    const exportRows = createRowExport(duckdb);
    const lines = (await buffer(exportRows('jsonl', columns, sets.readAll(alice, id, columns)))).toString().trim();
    expect(lines.split('\n')).toHaveLength(701);
    const csv = (await buffer(exportRows('csv', columns, sets.readAll(alice, id, columns)))).toString();
    expect(csv).toMatch(/^id,note,extra\r\nr000,0,\r\n/);
    expect(csv).toMatch(/\r\nlast,text,"\{""deep"":\[1\]\}"\r\n$/);
    const file = path.join(tmpdir(), `${randomUUID()}.parquet`);
    await writeFile(file, await buffer(exportRows('parquet', columns, sets.readAll(alice, id, columns))));
    const rows = await duckdb.use(async (connection) => {
      const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet(${quoteText(file)})`);
      return toRows(reader, reader.getRows());
    });
    await rm(file);
    expect(rows).toHaveLength(701);
    expect(rows.at(-1)).toEqual({ id: 'last', note: 'text', extra: { deep: [1] } });
    expect(rows[1]).toEqual({ id: 'r001', note: 1 });
  });

  test('names, groups and everybody grant access, denials revoke it; totals follow the current groups', async () => {
    const { set } = await sets.getOrCreate({ name: `principals-${randomUUID()}`, owner: 'alice' });
    const staff = 'g:login:staff';
    await sets.write(set.id, origin('run-1'), [
      row('named'),
      row('staff', { allowed_users: [], allowed_principals: [staff] }),
      row('all', { allowed_users: [], allowed_principals: ['p:*'] }),
      row('denied', { allowed_principals: ['p:*'], denied_principals: [staff] }),
      row('both', { allowed_principals: ['p:*'], required_lists: [`["${staff}"]`, '["u:alice","u:bob"]'] }),
      row('broken', { required_lists: ['no JSON'] }),
    ]);
    const withGroups = (username: string, ...groups: string[]) => ({
      username,
      principals: listPrincipals(username, groups),
    });
    const seenBy = async (user: Reader) => {
      const { rows, totalRows } = await sets.preview(user, set.id, { columns: ['id'], limit: 50, offset: 0 });
      const all: unknown[] = [];
      for await (const page of sets.readAll(user, set.id, ['id'])) all.push(...page.map(({ id }) => id));
      const view = await sets.get({ user, everyone: true }, set.id);
      expect([all.length, view?.totals.rows]).toEqual([totalRows, totalRows]);
      expect(all).toEqual(rows.map(({ id }) => id));
      return all.map(String).toSorted();
    };
    expect(await seenBy(withGroups('alice'))).toEqual(['all', 'denied', 'named']);
    expect(await seenBy(withGroups('alice', 'staff'))).toEqual(['all', 'both', 'named', 'staff']);
    expect(await seenBy(withGroups('alice'))).toEqual(['all', 'denied', 'named']);
    expect(await seenBy(withGroups('bob', 'staff'))).toEqual(['all', 'both', 'staff']);
    expect(await seenBy(withGroups(staff))).toEqual(['all', 'denied']);
    expect(await seenBy({ username: 'alice' })).toEqual(['all', 'named']);
    const shown = await sets.listColumns(withGroups('alice', 'staff'), set.id, {});
    expect(shown.filter((name) => /allowed|denied|required/.test(name))).toEqual([]);
  });

  test('an empty export is a valid file', async () => {
    const { id } = await make();
    await sets.write(id, origin('run-1'), [row('a')]);
    const exported = createRowExport(duckdb)('parquet', ['id', 'content'], sets.readAll(bob, id, ['id', 'content']));
    expect((await buffer(exported)).subarray(0, 4).toString()).toBe('PAR1');
    const empty = createRowExport(duckdb)('parquet', [], sets.readAll(bob, id, []));
    expect((await buffer(empty)).subarray(0, 4).toString()).toBe('PAR1');
  });

  test('removing a set removes its rows and files; a late write stores nothing', async () => {
    const { id } = await make();
    await sets.write(id, origin('run-1'), [row('a')]);
    await sets.remove(id);
    expect(await sets.get({ user: alice }, id)).toBeUndefined();
    expect(await files(id)).toEqual([]);
    expect(await sets.write(id, origin('run-1'), [row('b')])).toBe(false);
    expect(await files(id)).toEqual([]);
    expect(await ids(id)).toEqual([]);
    await sets.remove(id);
  });

  test('files of a removed set stay on request', async () => {
    const { id } = await make();
    await sets.write(id, origin('run-1'), [row('a')]);
    await sets.remove(id, true);
    expect(await ids(id)).toEqual([]);
    expect(await files(id)).toHaveLength(1);
  });

  test('owner, readers and administrators find a set; list totals are correct; metadata may have any key', async () => {
    const owner = `owner-${randomUUID()}`;
    const metadata = { 'a.b': { $x: 1 } };
    const { set } = await sets.getOrCreate({ name: 'mine', owner, readers: ['bob'], metadata });
    await sets.getOrCreate({ name: 'other', owner });
    const asker = (username: string, everyone = false) => ({ user: { username }, everyone });
    const page = await sets.list(asker(owner), { limit: 1, offset: 0 });
    expect(page).toMatchObject({ total: 2, items: [{}] });
    expect(page.items).toHaveLength(1);
    expect((await sets.list(asker(owner), { limit: 9, offset: 0, name: 'MIN' })).items).toMatchObject([
      { name: 'mine' },
    ]);
    expect((await sets.get(asker('bob'), set.id))?.metadata).toEqual(metadata);
    expect(await sets.get(asker('eve'), set.id)).toBeUndefined();
    expect((await sets.get(asker('eve', true), set.id))?.name).toBe('mine');
    expect(await sets.find('bob', { id: set.id })).toBeUndefined();
    expect((await sets.update(asker(owner), set.id, { metadata: {} }))?.metadata).toEqual({});
  });

  test('links to sets are added and removed atomically, and disappear with the set', async () => {
    const libraries = createDocumentLibrariesStore(mongo, sets);
    const now = new Date().toISOString();
    const library = (name: string) => ({
      library_id: randomUUID(),
      name,
      description: null,
      purpose: null,
      original_size: null,
      final_size: null,
      tags: ['t'],
      owner: 'alice',
      readers: ['bob'],
      set_ids: [],
      created_by: 'alice',
      created_at: now,
      updated_at: now,
    });
    const asker = { user: alice };
    const { library_id: id } = await libraries.create(library(`lib-${randomUUID()}`));
    const [documentSetRecord, two, foreign] = [await make(), await make(), await make('eve')];
    const linked = async () => (await libraries.get(asker, id))?.set_ids;
    expect(await libraries.addSets(asker, id, [documentSetRecord.id, two.id])).toBe(true);
    await expect(libraries.addSets(asker, id, [foreign.id])).rejects.toMatchObject({ code: 'DOCUMENT_SET_NOT_FOUND' });
    const three = await make();
    expect(await libraries.addSets(asker, id, [two.id, documentSetRecord.id])).toBe(false);
    await expect(libraries.removeSets(id, [documentSetRecord.id, three.id])).rejects.toMatchObject({
      code: 'DOCUMENT_SET_NOT_FOUND',
    });
    expect(await linked()).toEqual([documentSetRecord.id, two.id]);
    await libraries.unlinkEverywhere(documentSetRecord.id);
    expect(await linked()).toEqual([two.id]);
    await libraries.removeSets(id, [two.id]);
    expect(await linked()).toEqual([]);
    await Promise.all(
      [[documentSetRecord.id], [documentSetRecord.id, three.id], [documentSetRecord.id]].map((ids) =>
        libraries.addSets(asker, id, ids),
      ),
    );
    expect((await linked())?.toSorted()).toEqual([documentSetRecord.id, three.id].toSorted());
    const other = await libraries.create(library(`lib-${randomUUID()}`));
    await expect(libraries.create(library(other.name))).rejects.toMatchObject({
      code: 'DOCUMENT_LIBRARY_ALREADY_EXISTS',
    });
    await expect(libraries.update(id, { name: other.name })).rejects.toMatchObject({
      code: 'DOCUMENT_LIBRARY_ALREADY_EXISTS',
    });
    expect((await libraries.list({ user: bob }, { limit: 1, offset: 0, name: 'LIB-' })).total).toBe(2);
    expect((await libraries.list({ user: { username: 'eve' } }, { limit: 1, offset: 0 })).total).toBe(0);
    await libraries.remove(id);
    expect(await libraries.get(asker, id)).toBeUndefined();
  });
});

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readConfig } from '../../model/config';
import { createDocumentLibrariesStore } from '../../services/document-set/document-libraries-store';
import { createRowExport } from '../../services/document-set/document-set-export';
import { createDocumentSetsStore, type DocumentSetsStore } from '../../services/document-set/document-sets-store';
import { connectMongo, type Mongo } from '../../services/storage/mongo';
import { createObjectStore } from '../../services/storage/object-store';
import { createDuckdb } from '../../services/table/duckdb';
import { alice, bob, carol, startApi, type TestApi } from '../support/api/server';

/** A column that only rows for alice have. */
const secretColumn = 'merger_with_kestrel';
const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-set-attacks-'));
const duckdb = createDuckdb();
let mongo: Mongo;
let sets: DocumentSetsStore;
let api: TestApi;
let setId: string;
let libraryId: string;

const origin = { jobId: 'job', runId: 'run', operator: 'keep', startedAt: '2026-01-01T00:00:00.000Z' };
const row = (id: string, allowed_users: string[], more: object = {}) => ({
  id,
  name: `${id}.md`,
  path: `/${id}.md`,
  content: `text of ${id}`,
  size: 1_000,
  pages_processed: 5,
  allowed_users,
  ...more,
});
const secretRow = (id: string) => row(id, ['alice'], { [secretColumn]: 'yes', embeddings: [0.5, 0.25] });
const get = async (route: string, user: typeof alice) => (await api.call('GET', route, { user })).body as unknown;

beforeAll(async () => {
  const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
  url.pathname = `/set_attacks_${randomUUID().replaceAll('-', '')}`;
  mongo = connectMongo(url.href);
  const store = createObjectStore(readConfig({ DOCLOOM_DATA: folder }));
  sets = createDocumentSetsStore({ mongo, store, duckdb });
  api = await startApi(
    {
      documentSets: sets,
      documentLibraries: createDocumentLibrariesStore(mongo, sets),
      exportRows: createRowExport(duckdb),
    },
    { adminGroups: ['admins'] },
  );
  const { set } = await sets.getOrCreate({ name: 'shared', owner: 'alice', readers: ['bob', 'dave'] });
  setId = set.id;
  await sets.write(setId, origin, [secretRow('plan'), secretRow('annex'), row('menu', ['alice', 'bob'])]);
  const { set: own } = await sets.getOrCreate({ name: 'unshared', owner: 'alice' });
  const library = await api.call('POST', '/api/v1/document-libraries', {
    user: alice,
    body: { name: 'both', readers: ['bob'] },
  });
  libraryId = (library.body as { library_id: string }).library_id;
  await api.call('PUT', `/api/v1/document-libraries/${libraryId}/document-sets`, {
    user: alice,
    body: { document_set_ids: [setId, own.id] },
  });
});
afterAll(async () => {
  await api.close();
  for (const name of ['document_sets', 'document_set_rows', 'document_set_documents', 'document_libraries'])
    await mongo.collection(name).drop();
  for (const name of ['document_set_shapes', 'document_set_views'])
    await mongo
      .collection(name)
      .drop()
      .catch(() => undefined);
  await mongo.close();
  duckdb.close();
  rmSync(folder, { recursive: true });
});

const oneRow = { total_documents: 1, total_rows: 1, total_size_bytes: 1_000, total_pages: 5 };
const noRow = { total_documents: 0, total_rows: 0, total_size_bytes: 0, total_pages: 0 };

describe('a shared set reveals rows that the user may not read', () => {
  test.each([
    ['a reader of one row', bob, oneRow],
    ['an administrator who may read none', carol, noRow],
    [
      'its owner, who may read all',
      alice,
      { ...oneRow, total_documents: 3, total_rows: 3, total_pages: 15, total_size_bytes: 3_000 },
    ],
  ])('nothing in the totals for %s', async (_who, user, expected) => {
    expect(await get(`/api/v1/document-sets/${setId}`, user)).toMatchObject(expected);
    const { items } = (await get('/api/v1/document-sets', user)) as { items: { id: string }[] };
    expect(items.find(({ id }) => id === setId)).toMatchObject(expected);
    const library = (await get(`/api/v1/document-libraries/${libraryId}/document-sets`, user)) as {
      document_sets: { id: string; documents: object }[];
    };
    expect(library.document_sets.find(({ id }) => id === setId)?.documents).toEqual({
      size: expected.total_size_bytes,
      count: expected.total_documents,
    });
  });

  test('nothing in the totals that a change replies', async () => {
    const changed = await api.call('PATCH', `/api/v1/document-sets/${setId}`, {
      user: carol,
      body: { description: 'x' },
    });
    expect(changed.body).toMatchObject({ description: 'x', ...noRow });
  });

  test('nothing in the columns of previews, exports and errors', async () => {
    const texts: string[] = [];
    for (const user of [bob, carol])
      for (const route of [
        'preview?include_vectors=true',
        'preview?columns=nothing',
        'preview?columns=embeddings',
        'export?format=jsonl&include_vectors=true',
        'export?format=csv&include_vectors=true',
        'export?columns=nothing',
        'export?columns=embeddings',
      ])
        texts.push(JSON.stringify(await get(`/api/v1/document-sets/${setId}/${route}`, user)));
    expect(texts.join('\n')).not.toContain(secretColumn);
    expect(texts.filter((text) => text.includes('embeddings') && !text.includes("no column 'embeddings'"))).toEqual([]);
    const named = await api.call('GET', `/api/v1/document-sets/${setId}/preview?columns=${secretColumn}`, {
      user: bob,
    });
    expect(named.body).toMatchObject({ status_code: 400, errors: [{ code: 'VALIDATION_ERROR' }] });
    expect(JSON.stringify(await get(`/api/v1/document-sets/${setId}/preview`, alice))).toContain(secretColumn);
  });

  test('not after further writes either, nor after access to a row is revoked', async () => {
    await sets.write(setId, { ...origin, runId: 'again' }, [secretRow('third'), row('menu', ['alice'])]);
    expect(await get(`/api/v1/document-sets/${setId}`, bob)).toMatchObject(noRow);
    expect(await get(`/api/v1/document-sets/${setId}/preview`, bob)).toMatchObject({ columns: [], total_rows: 0 });
    await sets.write(setId, { ...origin, runId: 'later' }, [row('menu', ['alice', 'bob'])]);
    expect(await get(`/api/v1/document-sets/${setId}`, bob)).toMatchObject(oneRow);
  });

  test('not when its rows were stored by an earlier version, which did not note their columns', async () => {
    await mongo.collection('document_set_rows').updateMany({}, { $unset: { shape: '' } });
    await mongo.collection('document_set_shapes').deleteMany({});
    await mongo.collection('document_set_views').deleteMany({});
    const { columns } = (await get(`/api/v1/document-sets/${setId}/preview`, bob)) as { columns: string[] };
    expect(columns).toEqual(['id', 'name', 'path', 'size', 'content', 'pages_processed']);
    expect((await get(`/api/v1/document-sets/${setId}/preview`, alice)) as object).toMatchObject({
      columns: [...columns, secretColumn],
    });
  });
});

test('a library counts no sets that the user may not see', async () => {
  const count = async (user: typeof alice) => [
    ((await get(`/api/v1/document-libraries/${libraryId}`, user)) as { document_set_count: number }).document_set_count,
    ((await get('/api/v1/document-libraries', user)) as { items: { document_set_count: number }[] }).items[0]
      ?.document_set_count,
  ];
  expect(await count(bob)).toEqual([1, 1]);
  expect(await count(alice)).toEqual([2, 2]);
});

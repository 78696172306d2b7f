import type { AccessList } from '../../../model/access-list';
import { everybody, listPrincipals, toStoredAccess } from '../../../model/access-list';
import { readConfig } from '../../../model/config';
import { changeRecords } from '../../../services/search/access';
import { connectSearch, type SearchCall, type SearchConnection } from '../../../services/search/connection';
import { createSearch } from '../../../services/search/search';
import { cleanUp, config, never, person, record, spec } from '../../support/system/search-fixture';

const search = createSearch(readConfig({ ...process.env, SEARCH_DEFAULT_INDEX: config.SEARCH_DEFAULT_INDEX }));
afterAll(async () => {
  await search.close();
  await cleanUp();
});

const listOf = (...groups: string[]): AccessList => ({ allowed_users: [], allowed_principals: groups });
const from: AccessList = { ...listOf('g:fs:1'), denied_principals: ['i:fs:9'], required_lists: ['["g:fs:7"]'] };
/** Made of the document and of another. */
const combined: AccessList = { ...from, required_lists: [...from.required_lists!, '["u:olga"]'] };
const { name } = spec('access');

const found = async (username: string, principals: string[]) => {
  const reader = { ...person(username), principals: [...listPrincipals(username, []), ...principals] };
  return (await search.search(reader, { query: 'content' })).documents.map(({ id }) => id).toSorted();
};
const write = (id: string, documentId: string, list: AccessList, job = 'job') => {
  const { allowed_users: _own, ...rest } = record(id, { document_id: documentId, job_id: job });
  return { ...rest, ...toStoredAccess(list) };
};

test('records take the new list of their document in place; those made of several only lose readers; other jobs keep theirs', async () => {
  await search.ensureIndex(spec('access'), undefined, never);
  const records = [
    write('a-1', 'a', from),
    write('a-2', 'a', from),
    write('a-joined', 'a', combined),
    write('b', 'b', from),
    write('a-other-job', 'a', from, 'another'),
  ];
  expect(await search.bulkIndex(name, records, undefined, never)).toEqual([]);
  await search.refresh(name);
  expect(await found('olga', ['g:fs:1', 'g:fs:7'])).toEqual(['a-1', 'a-2', 'a-joined', 'a-other-job', 'b']);
  expect(await found('eve', ['g:fs:2'])).toEqual([]);

  const documents = new Map([['a', { from, to: listOf('g:fs:2') }]]);
  const { narrowed } = await search.changeAccess(name, { jobId: 'job', documents });
  expect([...narrowed]).toEqual(['a']);
  // Visible without waiting; nothing of the old list is left in the records of the document alone.
  expect(await found('eve', ['g:fs:2'])).toEqual(['a-1', 'a-2']);
  expect(await found('eve', ['g:fs:2', 'i:fs:9'])).toEqual(['a-1', 'a-2']);
  expect(await found('olga', ['g:fs:1', 'g:fs:7'])).toEqual(['a-other-job', 'b']);
  expect(await found('olga', ['g:fs:1', 'g:fs:7', 'g:fs:2'])).toEqual(['a-1', 'a-2', 'a-joined', 'a-other-job', 'b']);
  expect(await search.changeAccess(name, { jobId: 'job', documents })).toEqual({ narrowed: new Set(['a']) });
});

test('a list for everybody adds no condition to what was made of several; an index that is absent has nothing to change', async () => {
  const documents = new Map([['a', { from: listOf('g:fs:2'), to: listOf(everybody) }]]);
  await search.changeAccess(name, { jobId: 'job', documents });
  expect(await found('eve', [])).toEqual(['a-1', 'a-2']);
  expect(await search.changeAccess(spec('absent').name, { jobId: 'job', documents })).toEqual({ narrowed: new Set() });
});

test('records with a new list are still found by the forms of their words and by their vectors', async () => {
  const vectors = { ...spec('access-vectors', 3), embedding: { type: 'hashing' } as const };
  await search.ensureIndex(vectors, undefined, never);
  const written = {
    ...write('vector', 'v', listOf('g:fs:1')),
    content: 'Several penguins were counted.',
    metadata: { language: 'en', headings: ['Sightings'] },
    embedding: [0.25, -0.5, 0.125],
  };
  expect(await search.bulkIndex(vectors.name, [written], undefined, never)).toEqual([]);
  await search.refresh(vectors.name);
  const reader = { ...person('eve'), principals: [...listPrincipals('eve', []), 'g:fs:2'] };
  const documents = new Map([['v', { from: listOf('g:fs:1'), to: listOf('g:fs:2') }]]);
  expect(await search.changeAccess(vectors.name, { jobId: 'job', documents })).toEqual({ narrowed: new Set() });
  const byWord = async (query: string) => (await search.search(reader, { query })).documents.map(({ id }) => id);
  expect(await byWord('counting')).toEqual(['vector']);
  expect(await byWord('sighting')).toEqual(['vector']);
  const near = await search.findNearest(vectors.name, { reader, vector: [0.25, -0.5, 0.125], limit: 1 });
  expect(near).toMatchObject([{ id: 'vector' }]);
});

test('where the server runs no scripts, rights change at once, and the documents are returned so that the next run restores their vectors', async () => {
  const vectors = { ...spec('access-scriptless', 3), embedding: { type: 'hashing' } as const };
  await search.ensureIndex(vectors, undefined, never);
  const written = { ...write('scriptless', 's', listOf('g:fs:1')), embedding: [1, 0, 0] };
  expect(await search.bulkIndex(vectors.name, [written], undefined, never)).toEqual([]);
  await search.refresh(vectors.name);
  const connection = connectSearch({ host: config.SEARCH_HOST, port: config.SEARCH_PORT });
  // With `script.allowed_types: none`, OpenSearch 2.19 answers as it does to a script in an unknown language: 400.
  const scriptless: SearchConnection = {
    ...connection,
    send: (call, options) => connection.send(withUnknownScript(call), options),
  };
  const documents = new Map([['s', { from: listOf('g:fs:1'), to: listOf('g:fs:2') }]]);
  const change = () =>
    changeRecords(scriptless, vectors.name, { jobId: 'job', documents }, { timeoutMs: 20_000, maxRetries: 0 });
  expect(await change()).toEqual({ narrowed: new Set(['s']) });
  expect(await found('eve', ['g:fs:2'])).toContain('scriptless');
  expect(await found('olga', ['g:fs:1', 'g:fs:7'])).not.toContain('scriptless');
  // Nothing is written a second time.
  expect(await change()).toEqual({ narrowed: new Set() });
  await connection.close();
});

function withUnknownScript(call: SearchCall): SearchCall {
  const body = call.body as { script_fields?: unknown } | undefined;
  if (!body?.script_fields) return call;
  return { ...call, body: { ...body, script_fields: { vector: { script: { lang: 'none', source: '1' } } } } };
}

import { createDocument, documentToJson } from '../../document';
import { toReadableText } from '../../document/write/text';
import type { ExportFile, Exports } from '../../services/export/exports';
import type { IndexRecord } from '../../services/search/ports';
import { contextFor, documentRow, unusedFiles } from '../../test/support/operators/operator-test-support';
import { mayReach } from './audience';
import { run } from './run';
import { getExportTarget, type StorageConfig, storage } from './schema';

const folder: StorageConfig = { destination: 'folder', path: '/srv/x', formats: ['md'] };

/** Exports in memory, and the written files. */
function memory() {
  const written: ExportFile[] = [];
  const indexed: IndexRecord[] = [];
  const exports: Exports = {
    open: async () => ({
      key: 'memory',
      write: async (file) => {
        written.push(file);
        return file.name;
      },
      remove: async () => 0,
      close: () => undefined,
    }),
    openIndex: async () => ({
      key: 'memory',
      ensure: async () => undefined,
      write: async (records) => {
        indexed.push(...records);
        return [];
      },
      close: () => undefined,
    }),
    remove: async () => 0,
    finish: async () => undefined,
    listPlaceKeys: async () => [],
  };
  return { written, indexed, exports };
}

test('each document becomes one file per format, and the rows are returned unchanged', async () => {
  const { exports, written } = memory();
  const rows = [documentRow('a', 'One\n\nTwo & three'), documentRow('b', 'x')];
  const result = await run(rows, { ...folder, formats: ['md', 'html', 'jsonl'] }, contextFor({ exports }));
  expect(result.rows).toEqual(rows);
  expect(result.metrics).toEqual({ exported_documents: 2, exported_files: 6 });
  expect(written.filter(({ documentId }) => documentId === 'a').map(({ name }) => name)).toEqual([
    'a.md.md',
    'a.md.html',
    'a.md.jsonl',
  ]);
  const getContent = (name: string) => written.find((file) => file.name === name)?.content;
  expect(getContent('a.md.md')).toBe('One\n\nTwo &amp; three');
  expect(getContent('a.md.jsonl')).toMatchObject({ rows: [{ id: 'a', content: 'One\n\nTwo & three' }] });
});

test('the converted document is written while it matches the text, and the text once an operator has changed it', async () => {
  const built = createDocument('a');
  built.heading(1, 'Offer to John');
  built.text('text', 'Call John.');
  const files = { ...unusedFiles, get: async () => Buffer.from(documentToJson(built.document)) };
  const { exports, written } = memory();
  const whole = documentRow('a', toReadableText(built.document), { document_ref: 'documents/a.json' });
  const masked = documentRow('b', 'Offer to ****\n\nCall ****.', { document_ref: 'documents/a.json' });
  await run([whole, masked], folder, contextFor({ exports, files }));
  expect(written.find(({ documentId }) => documentId === 'a')?.content).toContain('# Offer to John');
  expect(written.find(({ documentId }) => documentId === 'b')?.content).not.toContain('John');
});

test('rows are written without access lists and references unless requested', async () => {
  const { exports, written } = memory();
  const row = documentRow('a', 'x', { document_ref: 'r', acl_hash: 'h' });
  await run([row], { ...folder, formats: ['jsonl'] }, contextFor({ exports }));
  await run([row], { ...folder, formats: ['jsonl'], columns: ['id', 'allowed_users'] }, contextFor({ exports }));
  const [first, second] = written.map(
    ({ content }) => content as { columns: readonly string[]; rows: readonly object[] },
  );
  expect(first?.columns).not.toContain('allowed_users');
  expect(first?.columns).not.toContain('document_ref');
  expect(second?.rows).toEqual([{ id: 'a', allowed_users: ['alice'] }]);
});

test('documents that part of the audience may not read are skipped and counted, never named', async () => {
  const { exports, written } = memory();
  const rows = [documentRow('open', 'x', { allowed_principals: ['p:*'] }), documentRow('secret-plan', 'x')];
  const result = await run(rows, { ...folder, audience: ['p:*'] }, contextFor({ exports }));
  expect(written.map(({ documentId }) => documentId)).toEqual(['open']);
  expect(result.metrics).toMatchObject({ withheld_from_export: 1 });
  expect(JSON.stringify(result.warnings)).not.toContain('secret-plan');
  expect(result.rows).toHaveLength(2);
});

test('an audience is allowed only if every list includes it and none denies it', () => {
  const row = (change: object) => documentRow('a', '', { allowed_users: ['alice'], ...change });
  expect(mayReach(row({}), ['alice'])).toBe(true);
  expect(mayReach(row({}), ['alice', 'bob'])).toBe(false);
  expect(mayReach(row({ allowed_principals: ['p:*'] }), ['bob', 'g:login:staff'])).toBe(true);
  expect(mayReach(row({ allowed_principals: ['g:login:staff'] }), ['g:login:staff'])).toBe(true);
  expect(mayReach(row({ allowed_principals: ['p:*'], denied_principals: ['u:eve'] }), ['bob'])).toBe(false);
  expect(mayReach(row({ required_lists: ['["u:bob"]'] }), ['alice'])).toBe(false);
  expect(mayReach(row({ required_lists: ['not json'] }), ['alice'])).toBe(false);
  expect(mayReach(row({ allowed_users: [], allowed_principals: [] }), ['alice'])).toBe(false);
});

test('chunks cannot be written as whole documents; validation reports it first', async () => {
  const chunks = [0, 1].map((index) => documentRow(`a-${index}`, 'x', { document_id: 'a', chunk_index: index }));
  const { exports, written } = memory();
  await expect(run(chunks, folder, contextFor({ exports }))).rejects.toThrow('formats of whole documents');
  await run(chunks, { ...folder, formats: ['jsonl'] }, contextFor({ exports }));
  expect(written).toMatchObject([{ documentId: 'a', content: { rows: [{ id: 'a-0' }, { id: 'a-1' }] } }]);
  expect(storage.validate({ ...folder }, new Set(['chunk_index']))).toMatchObject([{ pointer: '/formats' }]);
});

test('validation rejects a relative folder, a bucket without keys and an invalid template', () => {
  const pointers = (input: object) =>
    storage.validate({ ...folder, ...input }, new Set()).map(({ pointer }) => pointer);
  expect(pointers({ path: 'out' })).toEqual(['/path']);
  expect(pointers({ name_template: '../{name}.{ext}' })).toEqual(['/name_template']);
  expect(pointers({ destination: 's3', connection_params: { bucket: 'b', endpoint_url: 'ftp://x' } })).toEqual([
    '/connection_params/endpoint_url',
    '/connection_params/access_key',
  ]);
});

test('a container or a Google bucket needs its address, exactly one secret and a normalized prefix', () => {
  const pointers = (destination: string, connection_params: object) =>
    storage.validate({ ...folder, destination, connection_params }, new Set()).map(({ pointer }) => pointer);
  const container_url = 'https://example.blob.core.windows.net/box';
  const at = (member: string) => `/connection_params/${member}`;
  expect(pointers('azure', { container_url, sas_token: 'x', prefix: 'in/out' })).toEqual([]);
  expect(pointers('azure', { container_url })).toEqual([at('account_key')]);
  expect(pointers('azure', { container_url: `${container_url}?sig=x`, account_key: 'x' })).toEqual([
    at('container_url'),
  ]);
  expect(pointers('azure', { container_url, account_key: 'x', sas_token: 'y' })).toEqual([at('account_key')]);
  expect(pointers('azure', { container_url, account_key: 'x', prefix: 'in/../out' })).toEqual([at('prefix')]);
  expect(pointers('gcs', { bucket: 'box', service_account_key: '{}' })).toEqual([]);
  expect(pointers('gcs', { bucket: 'Box/..', endpoint_url: 'ftp://x' })).toEqual([
    at('bucket'),
    at('endpoint_url'),
    at('service_account_key'),
  ]);
});

const elastic = (params: object = {}): StorageConfig => ({
  destination: 'elasticsearch',
  connection_params: { endpoint_url: 'https://search.example.org:9200', index: 'docs', api_key: 'x', ...params },
});

test('each row becomes a record for an index, with its access list, and no file', async () => {
  const { exports, written, indexed } = memory();
  const rows = [0, 1].map((index) =>
    documentRow(`a-${index}`, 'x', { document_id: 'a', chunk_index: index, embeddings: [1, index] }),
  );
  const result = await run([...rows, documentRow('b', 'y')], elastic(), contextFor({ exports }));
  expect(result.metrics).toEqual({ exported_documents: 2, exported_records: 3 });
  expect(written).toEqual([]);
  expect(indexed).toMatchObject([
    { id: 'a-0', document_id: 'a', allowed_users: ['alice'], embedding: [1, 0], job_id: 'job' },
    { id: 'a-1', embedding: [1, 1] },
    { id: 'b', document_id: 'b' },
  ]);
});

test('an index needs an address without a path, a valid name, one sign-in, and nothing that is for files', () => {
  const pointers = (params: object, more: object = {}) =>
    storage.validate({ ...elastic(params), ...more }, new Set(['chunk_index'])).map(({ pointer }) => pointer);
  const at = (member: string) => `/connection_params/${member}`;
  expect(pointers({})).toEqual([]);
  expect(pointers({ api_key: undefined, username: 'u', password: 'p' })).toEqual([]);
  for (const endpoint_url of [undefined, 'search:9200', 'ftp://x', 'https://u:p@x', 'https://x/es', 'https://x?a=1'])
    expect(pointers({ endpoint_url })).toEqual([at('endpoint_url')]);
  expect(pointers({ index: 'Docs,*' })).toEqual([at('index')]);
  expect(pointers({ index: undefined })).toEqual([at('index')]);
  expect(pointers({ alias: '_all' })).toEqual([at('alias')]);
  expect(pointers({ alias: 'docs' })).toEqual([at('alias')]);
  for (const sign of [
    { api_key: undefined },
    { username: 'u', password: 'p' },
    { username: 'u' },
    { api_key: undefined, username: 'u' },
  ])
    expect(pointers(sign)).toEqual([at('api_key')]);
  expect(pointers({}, { formats: ['md'] })).toEqual(['/formats']);
  expect(storage.validate({ destination: 'folder', path: '/x' }, new Set())).toMatchObject([{ pointer: '/formats' }]);
});

test('the ports of addresses of an index are those of their protocol', () => {
  const getServer = (endpoint_url: string) => getExportTarget(elastic({ endpoint_url }));
  expect(getServer('https://x')).toMatchObject({ server: { host: 'x', port: 443, useSsl: true, verifyCerts: true } });
  expect(getServer('http://[::1]:9200')).toMatchObject({ server: { host: '[::1]', port: 9_200, useSsl: false } });
});

test('every destination accepts secrets of its own connection type', () => {
  const types = ['folder', 's3', 'azure', 'gcs', 'elasticsearch'].map((destination) =>
    storage.secrets({ destination }),
  );
  expect(types.flatMap((secrets) => secrets.types)).toEqual(['s3', 's3', 'azure', 'gcs', 'elasticsearch']);
  expect(types.map(({ usualAddress }) => usualAddress && new URL(usualAddress).host)).toEqual([
    's3.amazonaws.com',
    's3.amazonaws.com',
    undefined,
    'storage.googleapis.com',
    undefined,
  ]);
});

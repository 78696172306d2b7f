import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createConversionClient } from '../../client';
import { indexing, loggedIn, runToEnd } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';

let system: System;
let address: string;
beforeAll(async () => {
  system = createSystem();
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
});
afterAll(() => system.stop());

const flowOver = (name: string, libraryId: string) => ({
  flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`,
  flow: [
    {
      type: 'ingest_source',
      name: 'ingest',
      config: { provider: 'library', connection_params: { library_id: libraryId } },
    },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    ...indexing(system, name),
  ],
});
const blob = (text: string) => new Blob([text]);

test('uploaded files are ingested, found by owner and readers only, and follow changes of the library', async () => {
  const { client: alice } = await loggedIn(address, 'alice');
  const { client: bob } = await loggedIn(address, 'bob');
  const { library_id } = await alice.documentLibraries.create({ name: 'Animals' });
  const sent: number[] = [];
  await alice.documentLibraries.upload(
    library_id,
    { name: 'walrus.md', content: blob('# Walrus\n\nA walrus lives in the cold.') },
    { onProgress: (bytes) => sent.push(bytes) },
  );
  await alice.documentLibraries.upload(library_id, { name: 'lynx.txt', content: blob('A lynx lives in the woods.') });
  expect(sent.at(-1)).toBe(37);
  const flow = await alice.flows.create(flowOver('library', library_id));
  expect(await runToEnd(alice, flow.flow_id)).toMatchObject({ status: 'COMPLETED', totals: { completed: 2 } });

  const found = async (client: typeof alice, query: string) =>
    (await client.documents.search({ query })).documents.map(({ metadata }) => metadata['name']);
  await until('alice finds the walrus', async () => (await found(alice, 'walrus')).includes('walrus.md'));
  expect(await found(bob, 'walrus')).toEqual([]);

  // A reader of the library reads what the next run writes.
  await alice.documentLibraries.patch(library_id, { readers: ['bob'] });
  await runToEnd(alice, flow.flow_id);
  await until('bob finds the walrus', async () => (await found(bob, 'walrus')).includes('walrus.md'));

  const { items } = await alice.documentLibraries.files(library_id, { name: 'walrus' });
  await alice.documentLibraries.removeFile(library_id, items[0]?.file_id ?? '');
  expect(await runToEnd(alice, flow.flow_id)).toMatchObject({ totals: { deleted: 1 } });
  await until('the walrus is gone', async () => (await found(alice, 'walrus')).length === 0);
});

test('a flow over a library that its owner may not see ends as if there were none', async () => {
  const { client: alice } = await loggedIn(address, 'alice');
  const { client: bob } = await loggedIn(address, 'bob');
  const { library_id } = await alice.documentLibraries.create({ name: 'Private' });
  await alice.documentLibraries.upload(library_id, { name: 'diary.txt', content: blob('Dear diary.') });
  const messages: string[] = [];
  for (const id of [library_id, '00000000-0000-4000-8000-000000000000']) {
    const flow = await bob.flows.create(flowOver(`steal-${id.slice(0, 4)}`, id));
    const checked = await bob.flows.validate({ ...flowOver('probe', id) }, { deep: true });
    expect(JSON.stringify(checked)).toContain('SOURCE_NOT_FOUND');
    const run = await runToEnd(bob, flow.flow_id);
    expect(run).toMatchObject({ status: 'FAILED' });
    messages.push(JSON.stringify(run).replaceAll(id, 'ID'));
  }
  expect(messages[0]).toContain('SOURCE_NOT_FOUND');
  expect(messages[0]).not.toContain('diary');
});

test('a result of /v1 is indexed through a library, with its pages and without a second conversion', async () => {
  const { client: alice, token } = await loggedIn(address, 'alice');
  const file = path.join(__dirname, '..', '..', 'samples', 'documents', 'finance', 'annual-report-2024.pdf');
  const converted = await createConversionClient({ baseUrl: address, token }).convert({
    files: [{ name: path.basename(file), content: readFileSync(file) }],
    options: { to_formats: ['json'] },
  });
  expect(converted).toMatchObject({ status: 'success' });
  const json = JSON.stringify(converted.document.json_content);
  const { library_id } = await alice.documentLibraries.create({ name: 'Converted' });
  await alice.documentLibraries.upload(library_id, { name: 'converted.json', content: blob(json) });
  const flow = await alice.flows.create(flowOver('converted', library_id));
  expect(await runToEnd(alice, flow.flow_id)).toMatchObject({ status: 'COMPLETED', totals: { completed: 1 } });
  const found = async () => (await alice.documents.search({ query: 'harbour authorities' })).documents;
  await until('the passage is found', async () => (await found()).length > 0);
  expect((await found())[0]).toMatchObject({
    content: expect.stringContaining('61 percent of revenue'),
    metadata: { name: 'converted.json', page_numbers: [2], bbox: [[2, 64, ...Array(3).fill(expect.any(Number))]] },
  });
});

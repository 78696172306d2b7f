import { unzipSync } from 'fflate';
import { type ConversionClient, createConversionClient } from '../../../client';
import { type ConversionApi, inline, startConversion } from '../../support/api/conversion-client';
import { toFailure } from '../../support/api/conversion-services';

let service: ConversionApi;
let client: ConversionClient;
beforeAll(async () => {
  service = await startConversion({ apiKeys: ['key'] });
  client = createConversionClient({ baseUrl: `${service.url}/`, apiKey: 'key', tenant: 'one' });
});
afterAll(() => service.close());
beforeEach(() => {
  service.memory.atOnce = true;
});
const source = { ...inline('a.md'), kind: 'file' as const };

test('converts a source, and a file with its options', async () => {
  const item = await client.convert({ sources: [source], options: { to_formats: ['md', 'json'] } });
  expect(item.document).toMatchObject({ filename: 'a.md', json_content: { name: 'a.md' } });
  const other = await client.convert({
    files: [{ name: 'b.md', content: '# B' }],
    options: { to_formats: ['md', 'html'], do_ocr: false, page_range: [1, 2], ocr_lang: null },
  });
  expect(other.document).toMatchObject({ filename: 'b.md', html_content: expect.any(String) });
  expect(service.memory.requests.at(-1)).toMatchObject({
    tenant: expect.stringMatching(/^key\/\w+\/one$/),
    options: { to_formats: ['md', 'html'], do_ocr: false, page_range: [1, 2] },
    target: { kind: 'inbody' },
  });
});

test('several documents are an archive', async () => {
  const files = [
    { name: 'a.md', content: Buffer.from('# A') },
    { name: 'b.md', content: new Blob(['# B']) },
  ];
  expect(Object.keys(unzipSync(await client.convertToArchive({ files })))).toContain('b.md.md');
  await expect(client.convert({ files })).rejects.toThrow('call convertToArchive');
});

test('chunks of sources and of files', async () => {
  const item = await client.chunk('hybrid', { sources: [source], chunking: { max_tokens: 10 } });
  expect(item.chunks).toHaveLength(2);
  await client.chunk('hierarchical', {
    files: [{ name: 'a.md', content: '# A' }],
    chunking: { include_raw_text: true },
    includeConvertedDocument: true,
  });
  expect(service.memory.requests.at(-1)).toMatchObject({
    task_type: 'chunk',
    include_converted_doc: true,
    chunking: { chunker: 'hierarchical', include_raw_text: true },
  });
});

test('submits, polls, lists, cancels; the result can be fetched repeatedly', async () => {
  service.memory.atOnce = false;
  const task = await client.submit({ sources: [source] }, { idempotencyKey: 'once' });
  expect(await client.submit({ sources: [source] }, { idempotencyKey: 'once' })).toEqual(task);
  expect(await client.poll(task.task_id)).toMatchObject({ task_status: 'pending' });
  await expect(client.result(task.task_id)).rejects.toMatchObject({ code: 'CONVERSION_RESULT_NOT_READY', status: 404 });
  const waiting = client.finished(task.task_id);
  service.memory.finish(task.task_id);
  expect(await waiting).toMatchObject({ task_status: 'success' });
  for (const _ of [1, 2])
    expect(await client.result(task.task_id)).toMatchObject({ type: 'json', value: { status: 'success' } });
  const other = await client.submit({ sources: [source] });
  expect((await client.list({ state: 'pending', limit: 1 })).tasks).toMatchObject([
    { ...other, document_name: 'a.md' },
  ]);
  expect(await client.cancel(other.task_id)).toMatchObject({ task_status: 'failure' });
});

test('watches a task until it ends', async () => {
  service.memory.atOnce = false;
  const { task_id: id } = await client.submit({ sources: [source] });
  const states: string[] = [];
  for await (const task of client.watch(id)) {
    states.push(task.task_status);
    if (states.length === 1) service.memory.change(id, { task_status: 'started', task_position: null });
    if (states.length === 2) service.memory.fail(id, toFailure({}));
  }
  expect(states).toEqual(['pending', 'started', 'failure']);
});

test('refusals have a code, and the reasons of the server', async () => {
  const unknown = '0b8c0f6e-0000-4000-8000-000000000000';
  await expect(client.poll(unknown)).rejects.toMatchObject({ code: 'CONVERSION_TASK_NOT_FOUND', status: 404 });
  await expect(client.watch(unknown).next()).rejects.toMatchObject({ code: 'CONVERSION_TASK_NOT_FOUND' });
  await expect(client.convert({ sources: [] })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'body.sources: List should have at least 1 item after validation, not 0',
  });
  const stranger = createConversionClient({ baseUrl: service.url });
  await expect(stranger.list()).rejects.toMatchObject({ code: 'UNAUTHORIZED', message: 'Unauthorized' });
  await expect(stranger.watch(unknown).next()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  const nobody = createConversionClient({ baseUrl: 'http://127.0.0.1:9' });
  await expect(nobody.list()).rejects.toMatchObject({ code: 'CONNECTION_ERROR', status: 0 });
});

test('an aborted watch ends', async () => {
  service.memory.atOnce = false;
  const { task_id: id } = await client.submit({ sources: [source] });
  const enough = new AbortController();
  const states: string[] = [];
  for await (const task of client.watch(id, enough.signal)) {
    states.push(task.task_status);
    enough.abort();
  }
  expect(states).toEqual(['pending']);
});

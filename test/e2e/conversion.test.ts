import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { WebSocket } from 'ws';
import { documentFromJson } from '../../document';
import { createTokens } from '../../services/login/tokens';
import {
  type Answer,
  type ConversionSystem,
  startConversionSystem,
  type TaskView,
} from '../support/system/conversion-system';
import { until } from '../support/system/system';

// The list of checks that need no models, with the numbers of the list.
const root = path.join(__dirname, '..', '..');
const secret = 'conversion test secret, 32 characters or more';
let service: ConversionSystem;
beforeAll(async () => {
  service = await startConversionSystem({ DOCLOOM_ALLOWED_HOSTS: '127.0.0.1', JWT_SECRET_KEY: secret });
});
afterAll(() => service.stop());

const markdown =
  '# Report\n\nIntro text.\n\n## Figures\n\nSome *words* & signs.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n';
const send: ConversionSystem['send'] = (...input) => service.send(...input);
const inline = (filename: string, text: string | Buffer = markdown) => ({
  kind: 'file',
  filename,
  base64_string: Buffer.from(text).toString('base64'),
});
const buildForm = (fields: readonly (readonly [string, string | File])[]) => {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
};
const allFormats = ['md', 'json', 'html', 'text', 'doctags'];
interface Result {
  document: Record<string, unknown>;
  status: string;
  errors: { category: string; error_message: string; component_type: string }[];
  processing_time: number;
  timings: Record<string, { count: number; times: number[]; start_timestamps: string[] }>;
  confidence: unknown;
}
const getResult = ({ body }: Answer) => body as Result;
const submit = async (json: object, path = '/v1/convert/source/async'): Promise<TaskView> => {
  const { status, text, body } = await send('POST', path, { json });
  if (status !== 200) throw new Error(`submit answered ${status}: ${text}`);
  return body;
};
const brokenDocx = () => inline('bad.docx', Buffer.from('this is not an archive'));

test('1. health, and a description of the service', async () => {
  expect(JSON.parse((await send('GET', '/health')).text)).toEqual({ status: 'ok' });
  expect((await send('GET', '/openapi.json')).body).toHaveProperty('openapi');
});

test('2. an uploaded Markdown file in all five forms, keys in their order', async () => {
  const form = buildForm([
    ['files', new File([markdown], 'report.md')],
    ...allFormats.map((format) => ['to_formats', format] as const),
  ]);
  const answer = await send('POST', '/v1/convert/file', { form });
  expect([answer.status, answer.type]).toEqual([200, 'application/json']);
  const result = getResult(answer);
  expect(Object.keys(result)).toEqual([
    'document',
    'status',
    'errors',
    'processing_time',
    'timings',
    'confidence',
    'coverage',
  ]);
  expect(Object.keys(result.document)).toEqual([
    'filename',
    'md_content',
    'json_content',
    'html_content',
    'text_content',
    'doctags_content',
    'doclang_content',
  ]);
  expect(result).toMatchObject({ status: 'success', errors: [], coverage: [], document: { filename: 'report.md' } });
  for (const format of allFormats) expect(result.document[`${format}_content`]).toBeTruthy();
  expect(result.document['doclang_content']).toBeNull();
  expect(result.document['md_content']).toContain('## Figures');
  expect(result.document['html_content']).toMatch(/^<!DOCTYPE html>\n<html>\n<head>/);
  expect(result.document['json_content']).toMatchObject({ schema_name: 'DoclingDocument' });
  expect(result.processing_time).toBeGreaterThan(0);
  for (const timing of Object.values(result.timings)) {
    expect(timing.times).toHaveLength(timing.count);
    for (const time of timing.start_timestamps) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  }
  expect(Object.keys(result.timings)).toContain('pipeline_total');
});

test('an attachment that is in no output is counted in the result', async () => {
  const mail = [
    'From: a@example.org',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See the file.',
    '--b',
    'Content-Type: text/csv; name=a.csv',
    'Content-Disposition: attachment; filename=a.csv',
    '',
    'a,b',
    '--b--',
    '',
  ].join('\r\n');
  const answer = await send('POST', '/v1/convert/file', { form: buildForm([['files', new File([mail], 'a.eml')]]) });
  expect(getResult(answer)).toMatchObject({
    status: 'success',
    coverage: [{ kind: 'attachment', count: 1, words: 0, in_json: false }],
  });
});

test('3. the same by base64, and by a task that is polled: equal documents', async () => {
  const json = { sources: [inline('report.md')], options: { to_formats: allFormats } };
  const now = getResult(await send('POST', '/v1/convert/source', { json }));
  const task = await submit(json);
  expect(task).toMatchObject({ task_type: 'convert', task_status: 'pending' });
  expect(task.task_position).toBeGreaterThanOrEqual(1);
  expect(await service.finished(task.task_id)).toMatchObject({
    task_status: 'success',
    task_position: null,
    task_meta: { num_docs: 1, num_processed: 1, num_succeeded: 1, num_failed: 0 },
  });
  const later = getResult(await send('GET', `/v1/result/${task.task_id}`));
  expect(later.document).toEqual(now.document);
  expect(getResult(await send('GET', `/v1/result/${task.task_id}`)).document).toEqual(now.document);
  const form = buildForm([
    ['files', new File([markdown], 'report.md')],
    ...allFormats.map((format) => ['to_formats', format] as const),
  ]);
  const { task_id } = (await send('POST', '/v1/convert/file/async', { form })).body as TaskView;
  await service.finished(task_id);
  expect(getResult(await send('GET', `/v1/result/${task_id}`)).document['md_content']).toBe(now.document['md_content']);
});

test('4. two files make an archive with distinct names', async () => {
  const form = buildForm([
    ['files', new File([markdown], 'one.md')],
    ['files', new File(['# Two'], 'two.md')],
    ['files', new File(['# Other'], 'sub/two.md')],
  ]);
  const { type, headers, bytes } = await send('POST', '/v1/convert/file', { form });
  expect(type).toBe('application/zip');
  expect(headers.get('Content-Disposition')).toBe('attachment; filename="converted_docs.zip"');
  const entries = unzipSync(bytes);
  const names = Object.keys(entries);
  expect(names).toEqual(expect.arrayContaining(['one.md', 'two.md', 'manifest.json']));
  expect(names.filter((name) => name.endsWith('.md'))).toHaveLength(3);
  expect(Buffer.from(entries['one.md'] ?? []).toString()).toContain('# Report');
});

test('5. an unknown extension is skipped by policy', async () => {
  const form = buildForm([['files', new File(['\u0000\u0001'], 'b.xyz')]]);
  const { status, body } = await send('POST', '/v1/convert/file', { form });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'skipped',
    errors: [{ category: 'policy', error_message: 'File format not allowed: b.xyz' }],
  });
});

test('6. a broken DOCX is a failure of its backend', async () => {
  const { status, body } = await send('POST', '/v1/convert/source', { json: { sources: [brokenDocx()] } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'failure',
    errors: [{ category: 'backend_failure', component_type: 'document_backend', error_message: expect.any(String) }],
    document: { filename: 'bad.docx', md_content: null },
  });
});

test('7. with abort_on_error it fails the task, with the reason on every path', async () => {
  const json = { sources: [brokenDocx()], options: { abort_on_error: true } };
  const now = await send('POST', '/v1/convert/source', { json });
  expect(now.status).toBe(422);
  const { detail } = now.body as { detail: string };
  expect(detail).not.toBe('');
  const { task_id } = await submit(json);
  const task = await service.finished(task_id);
  expect(task).toMatchObject({ task_status: 'failure', error_message: detail });
  expect(await send('GET', `/v1/result/${task_id}`)).toMatchObject({
    status: 404,
    body: { detail: `Task result not found. The task failed: ${detail}` },
  });
});

test('8. sources over the limit, missing ones, and wrong words are 422', async () => {
  const many = Array.from({ length: 101 }, (_, index) => inline(`${index}.md`, 'x'));
  expect(await send('POST', '/v1/convert/source', { json: { sources: many } })).toMatchObject({
    status: 422,
    body: { detail: 'Too many sources: 101 exceeds the maximum of 100.' },
  });
  expect(await send('POST', '/v1/convert/source', { json: {} })).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'missing', loc: ['body', 'sources'], msg: 'Field required' }] },
  });
  for (const options of [{ to_formats: ['x'] }, { table_mode: 'x' }, { pipeline: 'x' }, { pdf_backend: 'x' }]) {
    expect(await send('POST', '/v1/convert/source', { json: { sources: [inline('a.md')], options } })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'enum' }] },
    });
  }
});

const unknown = '0b8c0f6e-0000-4000-8000-000000000000';

test('9. an unknown task: exact texts, and an error over the socket', async () => {
  for (const path of [`/v1/status/poll/${unknown}`, `/v1/result/${unknown}`])
    expect(await send('GET', path)).toMatchObject({ status: 404, text: '{"detail":"Task not found."}' });
  const { messages, code } = await watched(unknown);
  expect(messages).toEqual([{ message: 'error', error: 'Task not found.' }]);
  expect(code).toBe(1000);
});

test('10. a socket for a finished task: connection, update, 1000', async () => {
  const { task_id } = await submit({ sources: [inline('a.md')] });
  await service.finished(task_id);
  const { messages, code } = await watched(task_id);
  expect(messages.map(({ message, task }) => [message, task?.task_status])).toEqual([
    ['connection', 'success'],
    ['update', 'success'],
  ]);
  expect(code).toBe(1000);
});

test('10. a socket for a running task sees it end', async () => {
  const { task_id } = await submit({ sources: Array.from({ length: 20 }, (_, index) => inline(`${index}.md`)) });
  const { messages, code } = await watched(task_id);
  expect(messages[0]).toMatchObject({ message: 'connection', error: null });
  expect(messages.at(-1)).toMatchObject({ message: 'update', task: { task_status: 'success' } });
  expect(code).toBe(1000);
});

test('11. clear/results removes the results of its caller at once', async () => {
  const alice = { username: 'alice', email: '', full_name: '', groups: [] };
  const headers = { Authorization: `Bearer ${createTokens({ secret, expireMinutes: 5 }).issue(alice)}` };
  const { body } = await send('POST', '/v1/convert/source', { json: { sources: [inline('a.md')] }, headers });
  expect(body).toMatchObject({ status: 'success' });
  const [{ task_id = '' } = {}] = (
    (await send('GET', '/v1/tasks', { headers })).body as { tasks: { task_id?: string }[] }
  ).tasks;
  expect((await send('GET', `/v1/result/${task_id}`, { headers })).status).toBe(200);
  expect((await send('GET', '/v1/clear/results?older_then=0')).status).toBe(403);
  expect((await send('GET', '/v1/clear/results?older_then=0', { headers })).text).toBe('{"status":"ok"}');
  expect(await send('GET', `/v1/result/${task_id}`, { headers })).toMatchObject({
    status: 404,
    text: '{"detail":"Task not found."}',
  });
});

test('13. hierarchical chunks with their headings, and documents under content', async () => {
  const { body } = await send('POST', '/v1/chunk/hierarchical/source', { json: { sources: [inline('report.md')] } });
  const { chunks, documents } = body as {
    chunks: { text: string; headings: string[]; chunk_index: number; num_tokens: null; doc_items: string[] }[];
    documents: { kind: string; content: Record<string, unknown>; status: string }[];
  };
  expect(chunks.map(({ chunk_index }) => chunk_index)).toEqual(chunks.map((_, index) => index));
  expect(chunks.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['Report\nIntro text.', 'Report\nFigures\nSome *words* & signs.']),
  );
  expect(chunks.find(({ text }) => text.includes('Some *words*'))?.headings).toEqual(['Report', 'Figures']);
  expect(chunks.every(({ num_tokens, doc_items }) => num_tokens === null && doc_items.length > 0)).toBe(true);
  expect(documents).toMatchObject([{ kind: 'ExportResult', status: 'success', content: { json_content: null } }]);
});

test('13. hybrid chunks count tokens and keep to the limit', async () => {
  const long = `# Long\n\n${'Several words in a sentence. '.repeat(200)}`;
  const { body } = await send('POST', '/v1/chunk/hybrid/source', {
    json: {
      sources: [inline('long.md', long)],
      chunking_options: { max_tokens: 64 },
      include_converted_doc: true,
    },
  });
  const { chunks, documents } = body as { chunks: { num_tokens: number }[]; documents: { content: object }[] };
  expect(chunks.length).toBeGreaterThan(5);
  for (const { num_tokens } of chunks) expect(num_tokens).toBeLessThanOrEqual(64);
  expect(documents[0]?.content).toMatchObject({ json_content: { schema_name: 'DoclingDocument' } });
});

describe('14. callbacks', () => {
  let receiver: Server;
  const received: { task_id: string; progress: Record<string, unknown> }[] = [];
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let text = '';
      request.on('data', (part) => (text += String(part)));
      request.on('end', () => {
        received.push(JSON.parse(text) as (typeof received)[number]);
        response.setHeader('Content-Type', 'application/json').end('{"status":"ack"}');
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
  });
  afterAll(() => new Promise((resolve) => receiver.close(resolve)));

  test('report the number of documents, each document, and the end', async () => {
    const { port } = receiver.address() as AddressInfo;
    const { task_id } = await submit({
      sources: [inline('a.md'), inline('b.md')],
      callbacks: [{ url: `http://127.0.0.1:${port}/progress` }],
    });
    await service.finished(task_id);
    const kinds = () => received.map(({ progress }) => String(progress['kind']));
    await until('the last callback has come', () => kinds().includes('update_processed'), 30_000);
    expect(kinds()).toEqual(expect.arrayContaining(['set_num_docs', 'document_completed', 'update_processed']));
    expect(kinds().filter((kind) => kind === 'document_completed')).toHaveLength(2);
    expect(received.every((callback) => callback.task_id === task_id)).toBe(true);
    expect(received.find(({ progress }) => progress['kind'] === 'set_num_docs')?.progress).toMatchObject({
      num_docs: 2,
    });
    expect(received.find(({ progress }) => progress['kind'] === 'update_processed')?.progress).toMatchObject({
      num_processed: 2,
      num_succeeded: 2,
      num_failed: 0,
    });
  });
});

test('15. json_content is a document of the model', async () => {
  const answer = await send('POST', '/v1/convert/source', {
    json: { sources: [inline('report.md')], options: { to_formats: ['json'] } },
  });
  const document = documentFromJson(JSON.stringify(getResult(answer).document['json_content']));
  expect(document.texts.length).toBeGreaterThan(2);
  expect(document.tables).toHaveLength(1);
  // A hash of 64 bits, written whole.
  expect(/"binary_hash":(\d+)/.exec(answer.text)?.[1]).toMatch(/^\d{15,20}$/);
});

test('the commands of the guide return the documented output', () => {
  const guide = readFileSync(path.join(root, 'docs/conversion.md'), 'utf8').replaceAll('localhost:8080', service.url);
  const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const archive = path.join(service.system.folder, 'documents.zip');
  const run = (part: string) => {
    const block = blocks.find((text) => text.includes(part)) ?? '';
    const commands = block
      .replaceAll('documents.zip', archive)
      .replace(/^curl .*\/status\/poll\/.*$/m, `until $& | grep '"task_status":"success"'; do :; done`);
    return execFileSync('sh', ['-euc', commands], { cwd: root, encoding: 'utf8' });
  };
  expect((JSON.parse(run('-F to_formats=md -F to_formats=json')) as Result).document).toMatchObject({
    filename: 'supply-contract.docx',
    md_content: expect.stringContaining('# '),
    json_content: { schema_name: 'DoclingDocument' },
  });
  expect(run('/file/async')).toMatch(/"task_status":"success"[^]*"tasks":\[[^]*"task_status":"success"/);
  expect(Object.keys(unzipSync(readFileSync(archive)))).toContain('supply-contract.md');
});

interface Message {
  message: string;
  task?: TaskView;
  error: string | null;
}
async function watched(id: string): Promise<{ messages: Message[]; code: number }> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v1/status/ws/${id}`);
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse((data as Buffer).toString('utf8')) as Message));
  const [code] = (await once(socket, 'close')) as [number];
  return { messages, code };
}

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Document, ImageRun, Packer, Paragraph } from 'docx';
import { unzipSync } from 'fflate';
import type { Callback } from '../../../model/conversion/request/sources';
import { computeSignature } from '../../../services/conversion/callback-sender';
import { createAddressGuard } from '../../../services/net/address-guard';
import { type Bucket, openBucket } from '../../../services/storage/s3-bucket';
import { type ConversionSystem, createConversionSystem, wordDocument } from '../../support/system/conversion-fixture';
import { until } from '../../support/system/system';

const pixels = 'iVBORw0KGgoAAAANSUhEUgAAABQAAAAUCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A Word document with a picture whose header says 20 by 20; smaller ones count as spacers. */
function withPicture(): Promise<Uint8Array> {
  const image = new ImageRun({
    type: 'png',
    data: Buffer.from(pixels, 'base64'),
    transformation: { width: 90, height: 90 },
  });
  return Packer.toBuffer(
    new Document({ sections: [{ children: [new Paragraph('Text.'), new Paragraph({ children: [image] })] }] }),
  );
}
const secret = 'a secret between the service and its receivers';
const bucketName = `conversion-${randomUUID().slice(0, 8)}`;
const s3Address = new URL(process.env['DOCLOOM_S3_ENDPOINT'] ?? 'http://127.0.0.1:9000');
const place = {
  endpoint: s3Address.host,
  verify_ssl: false,
  access_key: process.env['DOCLOOM_S3_ACCESS_KEY'] ?? 'docloom',
  secret_key: process.env['DOCLOOM_S3_SECRET_KEY'] ?? 'docloom-local-only',
  bucket: bucketName,
  region: null,
};

interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}
let conversion: ConversionSystem;
let bucket: Bucket;
let server: Server;
let base: string;
let received: Received[];
let statuses: number[];

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(parts) });
      if (method === 'GET') response.setHeader('content-type', 'text/markdown').end('# Fetched');
      else response.writeHead(statuses.shift() ?? 200).end('{"status":"ack"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await makeBucket();
  bucket = openBucket(place, createAddressGuard(['localhost']));
  const storage = 'CONVERT_SERVE_ARTIFACT_STORAGE';
  conversion = createConversionSystem({
    DOCLOOM_ALLOWED_HOSTS: 'localhost',
    DOCLOOM_CALLBACK_SECRET: secret,
    [`${storage}_ENABLED`]: 'true',
    [`${storage}_ENDPOINT`]: place.endpoint,
    [`${storage}_VERIFY_SSL`]: 'false',
    [`${storage}_BUCKET`]: bucketName,
    [`${storage}_ACCESS_KEY`]: place.access_key,
    [`${storage}_SECRET_KEY`]: place.secret_key,
  });
  await conversion.system.startWorker();
});
afterAll(async () => {
  await conversion.stop();
  bucket.close();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  received = [];
  statuses = [];
});

async function makeBucket(): Promise<void> {
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    endpoint: s3Address.href,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: place.access_key, secretAccessKey: place.secret_key },
  });
  await client.send(new CreateBucketCommand({ Bucket: bucketName }));
  client.destroy();
}
async function keysBelow(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list(prefix)) keys.push(key.slice(prefix.length));
  return keys;
}
async function getEntries(archive: AsyncIterable<Uint8Array>): Promise<Record<string, string>> {
  const parts: Uint8Array[] = [];
  for await (const part of archive) parts.push(part);
  return entriesIn(Buffer.concat(parts));
}
function entriesIn(bytes: Buffer): Record<string, string> {
  return Object.fromEntries(
    Object.entries(unzipSync(bytes)).map(([name, data]) => [name, Buffer.from(data).toString()]),
  );
}

test('an archive has unique and safe names, its images, and a manifest that lists failures', async () => {
  const files = { 'a/x.md': '# One', 'b\\x.md': '# Two', '../../x.html': '<h1>Three</h1>', 'bad.docx': 'no zip' };
  const task = await conversion.convert(files, { target: { kind: 'zip' }, options: { to_formats: ['md', 'json'] } });
  const result = await conversion.tasks.readResult('default', task.task_id);
  const entries = await getEntries(conversion.results.streamArchive(result));
  expect(Object.keys(entries).toSorted()).toEqual(
    ['manifest.json', 'x.json', 'x.md', 'x_2.json', 'x_2.md', 'x_3.json', 'x_3.md'].toSorted(),
  );
  expect(entries['x_2.md']).toBe('# Two');
  expect(entries['x.json']).toMatch(/^\{\n  "/);
  expect(JSON.parse(entries['manifest.json'] ?? '')).toMatchObject({
    counts: { documents: 4, succeeded: 3, failed: 1 },
    documents: [
      { files: ['x.md', 'x.json'], status: 'success' },
      { source_uri: 'b\\x.md' },
      {},
      { status: 'failure', files: [], errors: [{ category: 'backend_failure' }] },
    ],
  });
});

test('put sends the archive once, with its length; a receiver that is briefly unavailable is tried again', async () => {
  statuses = [503];
  const task = await conversion.convert({ 'a.md': '# A' }, { target: { kind: 'put', url: `${base}/upload?key=1` } });
  expect(task.task_status).toBe('success');
  const [, second] = received as [Received, Received];
  expect(received).toHaveLength(2);
  expect(second).toMatchObject({ method: 'PUT', url: '/upload?key=1', headers: { 'content-type': 'application/zip' } });
  expect(second.headers['content-length']).toBe(String(second.body.length));
  expect(entriesIn(second.body)['a.md']).toBe('# A');
});

test.each([
  ['that refuses', () => `${base}/refused`, 403],
  ['inside the network', () => 'http://10.0.0.1/upload', 200],
])('a put target %s is a failure of the target', async (_name, url, status) => {
  statuses = [status];
  const task = await conversion.convert({ 'a.md': '# A' }, { target: { kind: 'put', url: url() } });
  expect(task).toMatchObject({
    task_status: 'failure',
    error_message: expect.stringContaining('Result could not be written to the requested target.'),
    failure: { category: 'target_unavailable' },
  });
});

test('documents of a bucket are converted into a bucket, each in its own folder', async () => {
  await bucket.put('in/one.md', Buffer.from('# One'), 'text/markdown');
  await bucket.put('in/deep/two.docx', wordDocument, 'application/octet-stream');
  // A folder placeholder is not a document.
  await bucket.put('in/folder/', new Uint8Array(), 'application/x-directory');
  const task = await conversion.convert(
    {},
    {
      more: [{ kind: 's3', ...place, key_prefix: 'in/', max_num_elements: null }],
      target: { kind: 's3', ...place, key_prefix: 'out', max_num_elements: null },
      options: { to_formats: ['md', 'text'] },
    },
  );
  expect(task).toMatchObject({ task_status: 'success', task_meta: { num_docs: 2, num_succeeded: 2 } });
  const keys = await keysBelow('out/');
  expect(keys.map((key) => key.replace(/^[0-9a-f]{12}\//, '#/')).toSorted()).toEqual(
    ['#/one.md', '#/one.txt', '#/two.md', '#/two.txt'].toSorted(),
  );
  const item = keys.find((key) => key.endsWith('one.md')) ?? '';
  expect(Buffer.from(await bucket.get(`out/${item}`)).toString()).toBe('# One');
});

test('a batch is sent to each of its targets, and fails if one is unavailable', async () => {
  const to = (key_prefix: string) => ({ kind: 's3' as const, ...place, key_prefix, max_num_elements: null });
  const files = { 'a.md': '# A' };
  const sent = await conversion.convert(files, { target: to('first'), further_targets: [to('second')] });
  expect(sent).toMatchObject({ task_status: 'success' });
  for (const prefix of ['first/', 'second/'])
    expect(await keysBelow(prefix)).toEqual([expect.stringMatching(/a\.md$/)]);
  const away = { ...to('third'), endpoint: '127.0.0.1:1' };
  const failed = await conversion.convert(files, { target: to('third'), further_targets: [away] });
  expect(failed).toMatchObject({ task_status: 'failure', failure: { category: 'target_unavailable' } });
});

test('presigned addresses can be read without keys, and the bundle contains referenced images and one JSON', async () => {
  const task = await conversion.convert(
    { 'page.docx': await withPicture() },
    { target: { kind: 'presigned_url' }, options: { to_formats: ['md', 'json'], image_export_mode: 'referenced' } },
  );
  expect(task).toMatchObject({ task_status: 'success', error_message: null });
  const { documents } = await conversion.tasks.readResult('default', task.task_id);
  const uploads = documents[0]?.uploads ?? [];
  let bundle: string[] = [];
  expect(uploads.map(({ artifact_type }) => artifact_type)).toEqual(expect.arrayContaining(['markdown', 'json']));
  for (const { uri, mime_type, url_expires_at } of uploads) {
    const answer = await fetch(uri);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, mime_type]);
    expect(Date.parse(url_expires_at)).toBeGreaterThan(Date.now());
    if (mime_type !== 'application/zip') await answer.arrayBuffer();
    else bundle = Object.keys(unzipSync(new Uint8Array(await answer.arrayBuffer())));
  }
  // Clients take the only JSON that is not in a folder for the document.
  expect(bundle).toEqual([
    'page.md',
    'page.json',
    expect.stringMatching(/^artifacts\/image_000000_[0-9a-f]{64}\.png$/),
  ]);
  const forged = (uploads[0]?.uri ?? '').replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  expect((await fetch(forged)).status).toBe(403);
});

test('a bucket on an unavailable server is a failure that names it', async () => {
  const down = { ...place, endpoint: '127.0.0.1:1', key_prefix: '', max_num_elements: null };
  const target = await conversion.convert({ 'a.md': '# A' }, { target: { kind: 's3', ...down } });
  expect(target).toMatchObject({
    task_status: 'failure',
    error_message: expect.stringMatching(/could not be written to the requested target.*127\.0\.0\.1:1/),
    failure: { category: 'target_unavailable', retryable: true },
  });
  const source = await conversion.convert({}, { more: [{ kind: 's3', ...down }], target: { kind: 's3', ...down } });
  expect(source).toMatchObject({
    task_status: 'failure',
    failure: { category: 'source_unavailable', phase: 'source_enumeration' },
  });
});

test('an http source is fetched; a private or unavailable one is reported', async () => {
  const http = (url: string, headers = {}) => ({ kind: 'http' as const, url, headers });
  const more = [
    http(`${base}/docs/a.md`, { 'x-key': 'theirs' }),
    http('http://10.0.0.1/a.md'),
    http('http://127.0.0.1:1/a.md'),
  ];
  const task = await conversion.convert({}, { more });
  const result = await conversion.tasks.readResult('default', task.task_id);
  expect(result.documents).toMatchObject([
    { status: 'success', filename: 'a.md', source_uri: `${base}/docs/a.md`, timings: { fetch: { count: 1 } } },
    {
      status: 'failure',
      errors: [{ category: 'source_unavailable', error_message: expect.stringMatching(/^URL is not allowed: /) }],
    },
    { status: 'failure', errors: [{ category: 'source_unavailable' }] },
  ]);
  expect(received[0]?.headers['x-key']).toBe('theirs');
});

test('callbacks arrive signed and in order, with a final one; an unavailable receiver does not delay the others', async () => {
  const callbacks: Callback[] = [
    { url: `${base}/hook`, headers: { authorization: 'Bearer theirs' }, ca_cert: '' },
    { url: 'http://10.0.0.1/hook', headers: {}, ca_cert: '' },
  ];
  const task = await conversion.convert({ 'a.eml': 'Subject: A\n\nText.', 'bad.docx': 'no zip' }, { callbacks });
  const messages = () =>
    received.map(
      ({ body }) =>
        JSON.parse(body.toString()) as {
          task_id: string;
          progress: { kind: string; document?: { document_type: string } };
        },
    );
  await until('the end was told', () => messages().some(({ progress }) => progress.kind === 'task_completed'));
  expect(messages().map(({ progress }) => progress.kind)).toEqual([
    'set_num_docs',
    'document_completed',
    'document_completed',
    'update_processed',
    'task_completed',
  ]);
  expect(messages()).toMatchObject([
    { task_id: task.task_id, progress: { num_docs: 2 } },
    { progress: { total_processed: 1, total_docs: 2, document: { num_pages: expect.any(Number) } } },
    { progress: { total_processed: 2, total_docs: 2 } },
    {
      progress: {
        num_processed: 2,
        num_succeeded: 1,
        num_failed: 1,
        docs: [{ source: 'a.eml' }, { status: 'failure' }],
      },
    },
    { progress: { task_status: 'success', failure: null } },
  ]);
  // The names of formats are those of the service, which receivers check.
  const types = messages().flatMap(({ progress: { document } }) => (document ? [document.document_type] : []));
  expect(types.toSorted()).toEqual(['docx', 'email']);
  for (const { headers, body } of received) {
    expect(headers['x-docloom-signature']).toBe(
      computeSignature(secret, String(headers['x-docloom-timestamp']), body.toString()),
    );
    expect(headers.authorization).toBe('Bearer theirs');
  }
});

test('a cancelled task also reports its end', async () => {
  const callbacks = [{ url: `${base}/hook`, headers: {}, ca_cert: '' }];
  const files = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`${index}.md`, '# Text']));
  const { task_id } = await conversion.submit(files, { callbacks });
  await until('the beginning was told', () => received.length > 0);
  await conversion.tasks.cancel('default', task_id);
  const last = () => JSON.parse(received.at(-1)?.body.toString() ?? '{}') as { progress?: { kind?: string } };
  await until('the end was told', () => last().progress?.kind === 'task_completed');
  expect(last()).toMatchObject({
    progress: {
      task_status: 'failure',
      error_message: 'The task was cancelled by request.',
      failure: { message: 'The task was cancelled by request.', retryable: expect.any(Boolean) },
    },
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { computeTaskKey } from '../../../services/conversion/task-ids';
import { connectMongo } from '../../../services/storage/mongo';
import {
  type ConversionSystem,
  createConversionSystem,
  manyFiles,
  wordDocument,
} from '../../support/system/conversion-fixture';
import { historiesOfWorkflow } from '../../support/system/evidence';

const root = path.join(__dirname, '..', '..', '..');
let conversion: ConversionSystem;
const all = ['md', 'json', 'html', 'text', 'doctags'] as const;

beforeAll(async () => {
  conversion = createConversionSystem();
  await conversion.system.startWorker();
});
afterAll(() => conversion.stop());

const getResult = (id: string) => conversion.tasks.readResult('default', id);

test('a Word document is returned in every format, with timings and the exact hash of its bytes', async () => {
  const task = await conversion.convert({ 'a.docx': wordDocument }, { options: { to_formats: [...all] } });
  expect(task).toMatchObject({ task_status: 'success', task_position: null, error_message: null, failure: null });
  const result = await getResult(task.task_id);
  const [document] = result.documents;
  expect(result).toMatchObject({ packaging: 'inbody', counts: { documents: 1, succeeded: 1, failed: 0 } });
  expect(document).toMatchObject({ filename: 'a.docx', status: 'success', errors: [], format: 'docx' });
  expect(Object.keys(document?.outputs ?? {}).toSorted()).toEqual([...all].toSorted());
  expect(document?.timings).toMatchObject({
    pipeline_total: { scope: 'document', count: 1, times: [expect.any(Number)] },
    doc_build: { start_timestamps: [expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)] },
  });
  expect(await conversion.text(result, 0, 'md')).toContain('# ');
  const digits = /"binary_hash":(\d+)/.exec(await conversion.text(result, 0, 'json'))?.[1] ?? '';
  const { hash } = (await conversion.records.getDocument(computeTaskKey(task.task_id), 0)) ?? {};
  expect(digits).toBe(hash);
  expect(BigInt(digits) > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);
});

test('the uploads are removed at the end of the task, and the result can be read more than once', async () => {
  const { task_id } = await conversion.convert({ 'a.md': '# A' });
  expect(await conversion.files.exists(conversion.tasks.uploadKey(task_id, 0))).toBe(false);
  for (const _ of [1, 2]) expect(await conversion.text(await getResult(task_id), 0, 'md')).toBe('# A');
});

test('one invalid document does not affect the others, and each has its outcome', async () => {
  const files = { 'good.md': '# Good', 'bad.docx': 'no zip', 'what.xyz': Buffer.from([1, 2, 0, 3]), 'empty.md': '' };
  const task = await conversion.convert(files);
  expect(task).toMatchObject({
    task_status: 'success',
    task_meta: { num_docs: 4, num_processed: 4, num_succeeded: 2, num_partially_succeeded: 0, num_failed: 2 },
  });
  const { documents, packaging } = await getResult(task.task_id);
  expect(packaging).toBe('archive');
  expect(documents.map(({ status }) => status)).toEqual(['success', 'failure', 'skipped', 'success']);
  expect(documents[1]?.errors).toEqual([
    expect.objectContaining({ component_type: 'document_backend', category: 'backend_failure', page_no: null }),
  ]);
  expect(documents[2]?.errors).toEqual([
    expect.objectContaining({ category: 'policy', error_message: 'File format not allowed: what.xyz' }),
  ]);
  expect(await conversion.text(await getResult(task.task_id), 3, 'md')).toBe('');
});

test('members of a request may have any names, even those that a database does not allow', async () => {
  const params = JSON.parse('{"a.b": {"$set": 1}, "a\\u0000": [], "": null, "__proto__": {"x": 1}}') as object;
  const api = { url: 'http://127.0.0.1:9/v1/chat/completions', headers: {}, params, timeout: 1, concurrency: 1 };
  const options = { picture_description_api: { ...api, prompt: 'What is it?' } };
  expect(await conversion.convert({ 'a.md': '# A' }, { options } as never)).toMatchObject({ task_status: 'success' });
});

test('abort_on_error makes the task fail with the reason of the document', async () => {
  const task = await conversion.convert({ 'bad.docx': 'no zip' }, { options: { abort_on_error: true } });
  expect(task).toMatchObject({
    task_status: 'failure',
    error_message: expect.stringContaining('bad.docx: '),
    failure: { category: 'backend_failure', phase: 'execution', retryable: false },
  });
  await expect(getResult(task.task_id)).rejects.toMatchObject({
    code: 'CONVERSION_RESULT_NOT_READY',
    message: expect.stringContaining('bad.docx'),
  });
});

test('an empty archive is a failure with the reason', async () => {
  const files = { 'bad.docx': 'no zip', 'worse.pdf': 'no pdf' };
  const task = await conversion.convert(files, { target: { kind: 'zip' } });
  expect(task).toMatchObject({
    task_status: 'failure',
    error_message: expect.stringMatching(/bad\.docx: .*worse\.pdf: /),
  });
});

test('from_formats that leave the document out skip it', async () => {
  const task = await conversion.convert({ 'a.md': '# A' }, { options: { from_formats: ['docx'] } });
  expect((await getResult(task.task_id)).documents).toMatchObject([{ status: 'skipped' }]);
});

test('pages outside of page_range are skipped', async () => {
  const { samplePdf } = await import('../../support/system/sample-pdf');
  const pdf = await samplePdf(['One stands here.', 'Two stands here.', 'Three stands here.']);
  const task = await conversion.convert({ 'a.pdf': pdf }, { options: { page_range: [2, 2] } });
  const text = await conversion.text(await getResult(task.task_id), 0, 'md');
  expect(text).toContain('Two stands here.');
  expect(text).not.toMatch(/One|Three/);
});

test('a task of 520 documents is cut into parts, and every document is done once', async () => {
  const task = await conversion.convert(manyFiles(520));
  expect(task).toMatchObject({ task_status: 'success', task_meta: { num_processed: 520, num_succeeded: 520 } });
  const { documents } = await getResult(task.task_id);
  expect(documents.map(({ index }) => index)).toEqual(Array.from({ length: 520 }, (_, index) => index));
  expect(await conversion.text(await getResult(task.task_id), 519, 'md')).toContain('# File 519');
});

test('a task of many documents does not delay one of a single document', async () => {
  const large = await conversion.submit(manyFiles(600));
  const small = await conversion.convert({ 'small.md': '# Small' });
  expect(small.task_status).toBe('success');
  expect((await conversion.tasks.get('default', large.task_id)).task_status).not.toBe('success');
  expect((await conversion.tasks.wait('default', large.task_id, 60_000)).task_status).toBe('success');
});

test('a watch reports the beginning, progress and the end, and a second watcher gets the same', async () => {
  const { task_id } = await conversion.submit(manyFiles(450));
  const never = new AbortController().signal;
  const seen = async () => {
    const states: string[] = [];
    const processed: number[] = [];
    for await (const { task_status, task_meta } of conversion.tasks.watch('default', task_id, never)) {
      states.push(task_status);
      processed.push(task_meta?.num_processed ?? 0);
    }
    return { states, processed };
  };
  const [one, two] = await Promise.all([seen(), seen()]);
  for (const { states, processed } of [one, two]) {
    expect(states.at(-1)).toBe('success');
    expect(processed).toEqual(processed.toSorted((a, b) => a - b));
    expect(processed.some((count) => count > 0 && count < 450)).toBe(true);
  }
});

test('the same idempotency key returns the first task, to its tenant only', async () => {
  const key = randomUUID();
  const first = await conversion.convert({ 'a.md': '# A' }, { idempotency_key: key });
  const again = await conversion.submit({ 'a.md': '# A' }, { idempotency_key: key });
  expect(again.task_id).toBe(first.task_id);
  const other = await conversion.submit({ 'a.md': '# A' }, { idempotency_key: key, tenant: 'other' });
  expect(other.task_id).not.toBe(first.task_id);
});

test('a repeated request whose first try was lost before its task was stored gets a task that can be polled', async () => {
  const key = randomUUID();
  const lost = await conversion.convert({ 'a.md': '# A' }, { idempotency_key: key });
  const mongo = connectMongo(conversion.system.env['MONGODB_URL'] ?? '');
  // As if the process had died between the two writes.
  await mongo.collection<{ _id: string }>('conversion_tasks').deleteOne({ _id: computeTaskKey(lost.task_id) });
  await mongo.close();
  const again = await conversion.convert({ 'a.md': '# A' }, { idempotency_key: key });
  expect(again).toMatchObject({ task_status: 'success' });
  expect(again.task_id).not.toBe(lost.task_id);
  expect((await conversion.submit({ 'a.md': '# A' }, { idempotency_key: key })).task_id).toBe(again.task_id);
});

test('an idempotency key that is reused for another request is rejected', async () => {
  const key = randomUUID();
  const submit = (request_hash: string) => conversion.submit({ 'a.md': '# A' }, { idempotency_key: key, request_hash });
  const first = await submit('one');
  expect((await submit('one')).task_id).toBe(first.task_id);
  await expect(submit('two')).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a task of another tenant does not exist', async () => {
  const { task_id } = await conversion.convert({ 'a.md': '# A' }, { tenant: 'theirs' });
  const { tasks } = conversion;
  const never = new AbortController().signal;
  for (const call of [
    () => tasks.get('default', task_id),
    () => tasks.wait('default', task_id, 10),
    () => tasks.cancel('default', task_id),
    () => tasks.readResult('default', task_id),
    () => tasks.watch('default', task_id, never)[Symbol.asyncIterator]().next(),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'CONVERSION_TASK_NOT_FOUND' });
  expect((await tasks.list('theirs', { limit: 10, offset: 0 })).total).toBe(1);
  expect(await tasks.readResult('theirs', task_id)).toMatchObject({ task_id });
});

test('clearing forgets ended tasks of the tenant with their files', async () => {
  const task = await conversion.convert({ 'a.md': '# A' }, { tenant: 'tidy' });
  const { documents } = await conversion.tasks.readResult('tidy', task.task_id);
  const key = documents[0]?.outputs['md']?.key ?? '';
  expect(await conversion.tasks.clear('tidy', 3_600)).toBe(0);
  expect(await conversion.tasks.clear('tidy', 0)).toBe(1);
  await expect(conversion.tasks.get('tidy', task.task_id)).rejects.toMatchObject({ code: 'CONVERSION_TASK_NOT_FOUND' });
  expect(await conversion.files.exists(key)).toBe(false);
});

test('chunks have headings and tokens, from either chunker', async () => {
  const shared = {
    use_markdown_tables: false,
    use_markdown_images: false,
    image_placeholder: '',
    include_raw_text: true,
  };
  const files = { 'a.md': '# Title\n\n## One\n\nFirst text.\n\nSecond text.' };
  const getChunks = async (chunking: NonNullable<Parameters<typeof conversion.convert>[1]>['chunking']) => {
    const change = { task_type: 'chunk' as const, chunking, include_converted_doc: true };
    const task = await conversion.convert(files, change);
    const result = await getResult(task.task_id);
    const lines = (await conversion.text(result, 0, 'chunks')).trim().split('\n');
    expect(await conversion.text(result, 0, 'json')).toContain('DoclingDocument');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const hierarchical = await getChunks({ chunker: 'hierarchical', ...shared });
  expect(hierarchical.map(({ text }) => text)).toEqual(['Title\nOne\nFirst text.', 'Title\nOne\nSecond text.']);
  const hybrid = await getChunks({
    chunker: 'hybrid',
    ...shared,
    max_tokens: null,
    tokenizer: 'sentence-transformers/all-MiniLM-L6-v2',
    merge_peers: true,
  });
  expect(hybrid).toMatchObject([{ chunk_index: 0, headings: ['Title', 'One'], num_tokens: expect.any(Number) }]);
});

test('a password opens a protected document, and is in no result, message, record or history', async () => {
  const bytes = readFileSync(path.join(root, 'samples/documents/finance/board-minutes-protected.pdf'));
  const files = { 'minutes.pdf': bytes };
  const opened = await conversion.convert(files, { options: { password: 'tide' } });
  expect(opened).toMatchObject({ task_status: 'success', task_meta: { num_succeeded: 1 } });
  const wrong = await conversion.convert(files, { options: { password: 'not-the-tide' } });
  expect(wrong).toMatchObject({ task_meta: { num_failed: 1 } });
  const key = computeTaskKey(wrong.task_id);
  const history = await historiesOfWorkflow(conversion.system, `convert/minutes.pdf/${key}`);
  const kept = JSON.stringify([await getResult(wrong.task_id), await conversion.records.getWhole(key), wrong, history]);
  expect(kept).toContain('minutes.pdf');
  expect(kept).not.toContain('not-the-tide');
});

describe('data about a task in Temporal', () => {
  test('the key of a task in Temporal grants no access, and no history contains the task id', async () => {
    const { task_id } = await conversion.convert({ 'Plan 2026.md': '# Plan', 'b.md': '# B' });
    const key = computeTaskKey(task_id);
    const history = await historiesOfWorkflow(conversion.system, `convert/Plan-2026.md/${key}`);
    expect(history).toContain('convert_document');
    expect(history).not.toContain(task_id);
    const { tasks } = conversion;
    const never = new AbortController().signal;
    const refused = { code: 'CONVERSION_TASK_NOT_FOUND' };
    await expect(tasks.get('default', key)).rejects.toMatchObject(refused);
    await expect(tasks.readResult('default', key)).rejects.toMatchObject(refused);
    await expect(tasks.cancel('default', key)).rejects.toMatchObject(refused);
    await expect(tasks.wait('default', key, 1_000)).rejects.toMatchObject(refused);
    await expect(tasks.watch('default', key, never)[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
  });

  test('a task of an earlier version is found by its id', async () => {
    const { task_id } = await conversion.convert({ 'a.md': '# A' });
    const task = await conversion.records.get(computeTaskKey(task_id));
    const earlier = randomUUID();
    const { task_id: _id, workflow_id: _workflow, ...rest } = task ?? ({} as never);
    await conversion.records.create({ ...rest, _id: earlier });
    expect(await conversion.tasks.get('default', earlier)).toMatchObject({ task_id: earlier, task_status: 'success' });
    expect((await conversion.tasks.wait('default', earlier, 1_000)).task_id).toBe(earlier);
    expect((await getResult(earlier)).task_id).toBe(earlier);
  });

  test('with payload keys a workflow contains no file name', async () => {
    const sealed = createConversionSystem({ DOCLOOM_PAYLOAD_KEYS: randomBytes(32).toString('base64') });
    try {
      const { task_id } = await sealed.submit({ 'secret-plan.md': '# Plan' });
      const history = await historiesOfWorkflow(sealed.system, computeTaskKey(task_id));
      // The workflow exists, and its input cannot be read.
      expect(history).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_STARTED');
      expect(history).not.toContain(task_id);
      expect(history).not.toContain('secret-plan');
    } finally {
      await sealed.stop();
    }
  });
});

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunReport } from '../../cli/run/report';
import { readConfig } from '../../model/config';
import type { FlowDefinition, FlowOperator } from '../../model/flow/flow';
import type { Row } from '../../model/flow/row';
import { createObjectStore } from '../../services/storage/object-store';
import { createTables } from '../../services/table/tables';
import { startMilvus } from '../support/servers/milvus-server';
import { countVector, createModelServer, type ModelServer } from '../support/servers/model-server';
import { samplePdf } from '../support/system/sample-pdf';
import { createSystem, type System } from '../support/system/system';

/**
 * Flows like those of users of the reference system, with our names and our own documents, whose counts are known. Those that
 * are samples run in sample-flows.test.ts and model-flows.test.ts, among them quality routing with branches and a merge, two
 * sinks, a bucket, two vectors joined, languages, facts by a model and their curation.
 */
const samples = path.join(__dirname, '..', '..', 'samples');
let system: System;
let model: ModelServer;
let milvus: Awaited<ReturnType<typeof startMilvus>>;

beforeAll(async () => {
  [model, milvus] = await Promise.all([createModelServer(), startMilvus()]);
  // 768 numbers, as the embedding model of these flows returns them.
  model.vector = (text) => Array.from({ length: 96 }, () => countVector(text)).flat();
  system = createSystem({ LOCALMODEL_HOST: model.url, DOCLOOM_ALLOWED_HOSTS: '127.0.0.1' });
  for (const folder of ['documents', 'support', 'paperwork'])
    cpSync(path.join(samples, folder), path.join(system.folder, folder), { recursive: true });
  mkdirSync(path.join(system.folder, 'flows'));
  await system.startWorker();
}, 600_000);
afterAll(async () => {
  await system?.stop();
  await model?.stop();
  await milvus?.stop();
});

const getIndex = (name: string) => `${system.env['SEARCH_DEFAULT_INDEX']}-${name}`;
const step = (type: string, config: Record<string, unknown> = {}, name = type): FlowOperator => ({
  type,
  name,
  config,
});
const ingest = (folder: string, more: object = {}) =>
  step('ingest_source', {
    provider: 'filesystem',
    connection_params: { paths: [path.join(system.folder, folder)], ...more },
  });
const extract = () => step('extract_operator', { text_extraction: { provider: 'docling_library' } });
const opensearch = (name: string, config: object = {}) =>
  step('vectordb', { provider: 'opensearch', index_name: getIndex(name), ...config });

/** Writes a flow in which each operator follows the one before. */
function write(name: string, steps: FlowOperator[], more: Partial<FlowDefinition> = {}): string {
  const edges = steps.slice(1).map((step, index) => ({ source: steps[index]?.name ?? '', target: step.name }));
  const file = path.join(system.folder, 'flows', `${name}.json`);
  const flow = { flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`, flow: steps, edges, ...more };
  writeFileSync(file, JSON.stringify(flow));
  return file;
}

function put(folder: string, files: Record<string, string | Uint8Array>): void {
  mkdirSync(path.join(system.folder, folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(system.folder, folder, name), text);
}

async function getRows(report: RunReport, operator: string): Promise<Row[]> {
  const tables = createTables({ store: createObjectStore(readConfig(system.env)) });
  const parts = await tables.listParts(report.job_run_id, operator);
  const rows = await Promise.all(parts.map((part) => tables.read({ runId: report.job_run_id, operator, part })));
  return rows.flat().toSorted((row, other) => (row.id < other.id ? -1 : 1));
}

async function search(
  user: string,
  words: string,
): Promise<{ documents: { metadata: Record<string, unknown> }[]; total: number }> {
  const { stdout } = await system.spawn(['search', words, '--user', user, '--json']).result;
  return JSON.parse(stdout) as Awaited<ReturnType<typeof search>>;
}

test('a flow that only extracts reads four invoices, and validation warns of its missing output', async () => {
  const pdf = (number: string) => samplePdf([`Invoice ${number} of Brackwater Instruments, total 1,042.00 EUR.`]);
  put('invoices', {
    'invoice-001.pdf': await pdf('001'),
    'invoice-003.pdf': await pdf('003'),
    'invoice-044.pdf': await pdf('044'),
    'invoice.md': '# Invoice\n\nSubtotal 6,800, tax 340, total 7,140.\n',
    'notes.csv': 'not,asked,for\n',
  });
  const file = write('basic', [ingest('invoices', { include_filter: 'pdf,docx,txt,md' }), extract()]);
  const check = JSON.parse((await system.spawn(['validate', file, '--json']).result).stdout) as {
    warnings: { message_code: string }[];
  };
  expect(check.warnings.map(({ message_code }) => message_code)).toEqual(['GENERATE_OUTPUT_MISSING']);
  const { code, report } = await system.run(file, '--user', 'alice');
  expect({ code, failures: report.failures, totals: report.totals }).toMatchObject({
    code: 0,
    failures: [],
    totals: { documents: 4, completed: 4, failed: 0, pages: 4 },
  });
  const rows = await getRows(report, 'extract_operator');
  expect(rows.map(({ pages_processed, content }) => [pages_processed, (content ?? '').length > 20])).toEqual(
    Array.from({ length: 4 }, () => [1, true]),
  );
});

describe('two small texts', () => {
  const hello = 'Good morning. '.repeat(21).slice(0, 287).concat('.');
  const kilobyte = 'Harbour gauges measure the tide. '.repeat(32).slice(0, 1_025).concat('.');
  beforeAll(() => {
    const lists = { allowed_users: ['alice'], files: { 'hello.txt': ['alice', 'bob'] } };
    put('small', { 'hello.txt': hello, '1kb_file.txt': kilobyte, '.acl.json': JSON.stringify(lists) });
  });

  test('become chunks with vectors of 768 numbers in the index, and two users find what each may read', async () => {
    const settings = { model_id: 'nomic-embed-text' };
    const file = write('complete', [
      ingest('small'),
      extract(),
      step('chunker', { chunk_type: 'simple', chunk_size: 512, chunk_overlap: 50 }),
      step('embeddings', { type: 'ollama', provider_config: settings, embeddings_column: 'embeddings' }),
      opensearch('complete', { vector_dimension: 768 }),
    ]);
    expect([hello.length, kilobyte.length]).toEqual([288, 1_026]);
    const { report } = await system.run(file, '--user', 'alice');
    expect(report).toMatchObject({ status: 'COMPLETED', warnings: [], totals: { documents: 2, completed: 2 } });
    const chunks = await getRows(report, 'embeddings');
    expect(chunks.map(({ content }) => (content?.length ?? 0) <= 512)).toEqual(chunks.map(() => true));
    expect(chunks.map((row) => (row['embeddings'] as number[]).length)).toEqual(chunks.map(() => 768));
    expect(chunks.length).toBe(4);
    const names = async (user: string, words: string) =>
      new Set((await search(user, words)).documents.map(({ metadata }) => metadata['name']));
    expect(await names('alice', 'tide')).toEqual(new Set(['1kb_file.txt']));
    expect(await names('bob', 'tide')).toEqual(new Set());
    expect(await names('bob', 'morning')).toEqual(new Set(['hello.txt']));
    expect(await names('carol', 'morning')).toEqual(new Set());
  });

  test('are a document set of two, which readers can preview; a second run, forced or not, adds no duplicates', async () => {
    const address = await system.startApi();
    const file = write('set', [ingest('small'), extract(), step('document_set', { document_set_name: 'small_texts' })]);
    const run = async (...more: string[]) => (await system.run(file, '--user', 'alice', ...more)).report.totals;
    expect(await run()).toMatchObject({ documents: 2, completed: 2 });
    const login = async (user: string) => {
      const body = JSON.stringify({ username: user, password: `${user}-secret` });
      const headers = { 'Content-Type': 'application/json' };
      const reply = await fetch(`${address}/auth/login`, { method: 'POST', headers, body });
      return ((await reply.json()) as { access_token: string }).access_token;
    };
    const token = await login('alice');
    const ask = async (route: string) =>
      (await (
        await fetch(`${address}/api/v1/document-sets${route}`, { headers: { Authorization: `Bearer ${token}` } })
      ).json()) as Record<string, never>;
    const set = async () =>
      (await ask('?name=small_texts'))['items']?.[0] as unknown as {
        id: string;
        total_documents: number;
        total_rows: number;
      };
    const { id, ...counts } = await set();
    expect(counts).toMatchObject({ total_documents: 2, total_rows: 2 });
    const preview = await ask(`/${id}/preview?columns=name,size`);
    expect(
      (preview['data'] as unknown as object[]).toSorted((item, other) =>
        JSON.stringify(item) < JSON.stringify(other) ? -1 : 1,
      ),
    ).toEqual([
      { name: '1kb_file.txt', size: 1_026 },
      { name: 'hello.txt', size: 288 },
    ]);
    expect(await run()).toMatchObject({ documents: 2, completed: 0, skipped: 2 });
    expect(await run('--set', 'force_ingest=true')).toMatchObject({ documents: 2, completed: 2 });
    expect(await set()).toMatchObject({ id, total_documents: 2, total_rows: 2 });
  });
});

test('personal data is masked by patterns: three occurrences of two addresses, a card and a telephone number; a masked number does not match', async () => {
  const text = [
    'Please write to help@brackwater.example or call (555) 867-5309.',
    'John (john.doe@example.com) paid with 5340904586541378.',
    'His number is on file as XXX-XX-XXXX. Again: help@brackwater.example.',
  ].join('\n');
  put('personal', { 'letter.txt': text });
  const patterns = [
    '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}',
    '\\(\\d{3}\\) ?\\d{3}-\\d{4}',
    '\\b\\d{13,16}\\b',
    '\\b\\d{3}-\\d{2}-\\d{4}\\b',
  ];
  const file = write('personal', [
    ingest('personal'),
    extract(),
    step('redaction', { redaction_regex: patterns }),
    step('document_set', { document_set_name: 'personal_texts' }),
  ]);
  const { report } = await system.run(file, '--user', 'alice');
  const [row] = await getRows(report, 'redaction');
  expect(row).toMatchObject({ redaction_stats: 5, content: expect.stringContaining('XXX-XX-XXXX') });
  expect(row?.content).not.toMatch(/@|\d{4}/);
  expect(report.operators.find(({ name }) => name === 'redaction')?.metrics).toEqual({ total_redactions: 5 });
});

test('a column is used in a filter and then dropped; parts are small, and chunks have 128 tokens', async () => {
  const file = write(
    'hybrid',
    [
      ingest('support', { include_filter: 'txt' }),
      extract(),
      step('sql_filter', { criteria_list: ['path is not null'], features_to_drop: ['path'] }),
      step('chunker', { chunk_type: 'hybrid', chunk_size: 128, tokenizer: 'o200k_base' }),
      step('embeddings', { type: 'hashing' }),
      opensearch('hybrid'),
    ],
    { global_config: { micro_batch_size: 10 } },
  );
  const { code, report } = await system.run(file, '--user', 'alice');
  expect({ code, failures: report.failures }).toEqual({ code: 0, failures: [] });
  expect(report.totals).toMatchObject({ documents: 11, completed: 11 });
  expect(report.operators.find(({ name }) => name === 'sql_filter')).toMatchObject({ in: 11, out: 11, parts: 2 });
  const chunks = await getRows(report, 'chunker');
  expect(chunks.length).toBeGreaterThan(11);
  for (const chunk of chunks) expect(Number(chunk['num_tokens'])).toBeLessThanOrEqual(128);
});

/** A sample under names of this system's own. */
function sample(name: string, change: (flow: FlowDefinition) => void = () => undefined): string {
  const flow = JSON.parse(readFileSync(path.join(samples, 'flows', `${name}.json`), 'utf8')) as FlowDefinition;
  flow.flow_name = `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`;
  for (const { type, config } of flow.flow)
    if (type === 'vectordb' && config?.['provider'] === 'opensearch')
      config['index_name'] = getIndex(String(config['index_name']));
  change(flow);
  const file = path.join(system.folder, 'flows', `${name}.json`);
  writeFileSync(file, JSON.stringify(flow));
  return file;
}

test('invoices-to-search: only invoices are indexed, by chunks under their headings, with the facts beside them', async () => {
  const { report } = await system.run(sample('invoices-to-search'), '--user', 'alice');
  expect(report).toMatchObject({ status: 'COMPLETED', failures: [], warnings: [] });
  expect(report.totals).toMatchObject({ documents: 5, completed: 3, skipped: 2 });
  const chunks = await getRows(report, 'chunk');
  expect(new Set(chunks.map((row) => row['document_type']))).toEqual(new Set(['invoice']));
  for (const chunk of chunks) expect(Number(chunk['num_tokens'])).toBeLessThanOrEqual(512);
  const numbers = new Set(chunks.map((row) => (row['entities'] as Record<string, unknown>)['invoice_number']));
  expect(numbers).toEqual(new Set(['BW-2025-014', 'BW-2025-015', 'BW-2025-016']));
  const { documents } = await search('alice', 'Rechnung');
  expect(documents.map(({ metadata }) => metadata['name'])).toContain('rechnung-bw-2025-016.md');
});

test('milvus: the documents are in a collection of the server; unchanged ones are skipped, changed ones replaced, gone ones removed', async () => {
  const collection = `public_documents_${String(system.env['DOCLOOM_TASK_QUEUE']).replaceAll('-', '_')}`;
  const folder = path.join(system.folder, 'changing');
  cpSync(path.join(samples, 'documents', 'public'), folder, { recursive: true });
  const file = sample('milvus', ({ flow }) => {
    Object.assign(flow[0]?.config?.['connection_params'] ?? {}, { paths: ['../changing'] });
    const config = flow.find(({ type }) => type === 'vectordb')?.config ?? {};
    config['index_name'] = collection;
    Object.assign(config['provider_config'] ?? {}, { host: milvus.host, port: milvus.port });
  });
  const run = async (...more: string[]) => (await system.run(file, '--user', 'alice', ...more)).report;
  const first = await run();
  // The notes of a presentation are not in its text, and the run reports it.
  expect(first).toMatchObject({
    status: 'COMPLETED_WITH_WARNINGS',
    failures: [],
    totals: { documents: 4, completed: 4 },
  });
  const entries = async () => {
    const { MilvusClient } = await import('@zilliz/milvus2-sdk-node');
    const client = new MilvusClient({ address: `${milvus.host}:${milvus.port}`, logLevel: 'error' });
    const { data } = await client.query({
      collection_name: collection,
      filter: 'id != ""',
      output_fields: ['title', 'metadata', 'content'],
      limit: 1_000,
    });
    await client.closeConnection();
    return data as { content: string; metadata: { name: string } }[];
  };
  const before = await entries();
  expect(before).toHaveLength(first.operators.find(({ name }) => name === 'index')?.out ?? -1);
  expect((await run()).totals).toMatchObject({ documents: 4, skipped: 4 });
  writeFileSync(path.join(folder, 'opening-hours.txt'), 'Closed for good.');
  rmSync(path.join(folder, 'travel-policy.html'));
  cpSync(path.join(folder, 'employee-handbook.md'), path.join(folder, 'handbook.md'));
  expect((await run()).totals).toMatchObject({ documents: 4, completed: 2, skipped: 2, deleted: 1 });
  const of = async (name: string) =>
    (await entries()).filter(({ metadata }) => metadata.name === name).map(({ content }) => content);
  expect(await of('opening-hours.txt')).toEqual(['Closed for good.']);
  expect(await of('travel-policy.html')).toEqual([]);
  expect(await of('handbook.md')).toEqual(await of('employee-handbook.md'));
  // Documents that were deleted stay if the run is configured so, and are removed by the next run that is not.
  rmSync(path.join(folder, 'handbook.md'));
  const kept = await run('--set', 'retain_deleted_docs=true');
  expect(kept).toMatchObject({ totals: { documents: 3, skipped: 3, deleted: 0 } });
  expect(kept.warnings.join()).toContain('retain_deleted_docs keeps');
  expect(await of('handbook.md')).not.toEqual([]);
  expect((await run()).totals).toMatchObject({ documents: 3, deleted: 1 });
  expect(await of('handbook.md')).toEqual([]);
});

test('sql-filter: only documents about the gauge are indexed; a document that cannot be opened fails alone', async () => {
  const { code, report } = await system.run(sample('sql-filter'), '--user', 'alice');
  expect({ code, codes: report.failures.map((failure) => [failure.name, failure.code]) }).toEqual({
    code: 3,
    codes: [['board-minutes-protected.pdf', 'DOCUMENT_ENCRYPTED']],
  });
  const kept = new Set((await getRows(report, 'gauges')).map(({ name }) => name));
  expect(kept.size).toBeGreaterThan(1);
  expect(report.totals).toMatchObject({ completed: kept.size, failed: 1 });
});

test('quickstart: every sample document except the protected one is indexed', async () => {
  const { code, report } = await system.run(sample('quickstart'), '--user', 'alice');
  expect({ code, names: report.failures.map(({ name }) => name) }).toEqual({
    code: 3,
    names: ['board-minutes-protected.pdf'],
  });
  expect(report.totals).toMatchObject({ failed: 1, completed: report.totals.documents - 1 - report.totals.skipped });
  expect(report.totals.completed).toBeGreaterThanOrEqual(14);
});

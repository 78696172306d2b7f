import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunReport } from '../../cli/run/report';
import { readConfig } from '../../model/config';
import type { FlowOperator } from '../../model/flow/flow';
import type { Row } from '../../model/flow/row';
import { createSearch } from '../../services/search/search';
import { createObjectStore } from '../../services/storage/object-store';
import { createTables } from '../../services/table/tables';
import { createSystem, type System } from '../support/system/system';

/** Flows search, match, redact and embed the text as a person reads it, without Markdown syntax. */
let system: System;
const alice = { username: 'alice', email: '', full_name: '', groups: [] };
const text = [
  '# The order_number of *this* order',
  'Please quote ERR\\_42 and **order_number** 7 to jane_doe, who reads R&D &amp; sales.',
  '| name | limit |\n| --- | --- |\n| jane_doe | 5 &lt; 6 |',
].join('\n\n');
const readable = [
  'The order_number of this order',
  'Please quote ERR_42 and order_number 7 to jane_doe, who reads R&D & sales.',
  '| name | limit |\n| - | - |\n| jane_doe | 5 < 6 |',
].join('\n\n');

beforeAll(async () => {
  system = createSystem({});
  mkdirSync(path.join(system.folder, 'notes'), { recursive: true });
  mkdirSync(path.join(system.folder, 'flows'));
  writeFileSync(path.join(system.folder, 'notes', 'order.md'), text);
  writeFileSync(path.join(system.folder, 'notes', 'other.md'), '# Other\n\nNothing of the kind.');
  await system.startWorker();
}, 600_000);
afterAll(() => system?.stop());

async function run(
  name: string,
  steps: FlowOperator[],
): Promise<{ report: RunReport; rows: (operator: string) => Promise<Row[]> }> {
  const ingest: FlowOperator = {
    type: 'ingest_source',
    name: 'ingest',
    config: { provider: 'filesystem', connection_params: { paths: [path.join(system.folder, 'notes')] } },
  };
  const all = [ingest, ...steps];
  const edges = all.slice(1).map((item, index) => ({ source: all[index]?.name ?? '', target: item.name }));
  const file = path.join(system.folder, 'flows', `${name}.json`);
  writeFileSync(file, JSON.stringify({ flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`, flow: all, edges }));
  const { report } = await system.run(file, '--user', 'alice');
  expect(report.status).toMatch(/^COMPLETED/);
  const tables = createTables({ store: createObjectStore(readConfig(system.env)) });
  const rows = async (operator: string) => {
    const parts = await tables.listParts(report.job_run_id, operator);
    const read = await Promise.all(parts.map((part) => tables.read({ runId: report.job_run_id, operator, part })));
    return read.flat();
  };
  return { report, rows };
}
const step = (type: string, config: Record<string, unknown> = {}): FlowOperator => ({ type, name: type, config });

test('content is the text, Markdown is where it is requested, and offsets refer to the text', async () => {
  const { rows } = await run('text', [
    step('extract_operator', { text_extraction: { provider: 'local', doc_column: 'body' } }),
    step('sql_filter', { criteria_list: ["contains(content, 'order_number')", "contains(content, 'R&D & sales')"] }),
    step('chunker', { chunk_type: 'simple', chunk_size: 60, chunk_overlap: 0 }),
  ]);
  const [document, ...more] = await rows('sql_filter');
  expect(more).toEqual([]);
  expect(document?.content).toBe(readable);
  expect(document?.['body']).toContain('jane\\_doe');
  const chunks = await rows('chunker');
  expect(chunks.length).toBeGreaterThan(2);
  for (const { content = '', start_index: start = 0 } of chunks)
    expect(readable.slice(start, start + content.length)).toBe(content);
  expect(chunks.every(({ headings }) => headings?.[0] === 'The order_number of this order')).toBe(true);
});

test('a redacted name is not readable anywhere, and hybrid chunks of the redacted text keep every other character', async () => {
  const { rows } = await run('masked', [
    step('extract_operator'),
    step('redaction', { redaction_regex: ['jane_doe'] }),
    step('chunker', { chunk_type: 'hybrid', tokenizer: 'o200k_base' }),
  ]);
  const chunks = await rows('chunker');
  const all = chunks.map(({ content }) => content).join('\n');
  expect(all).not.toMatch(/jane|doe/);
  expect(all).toContain('ERR_42 and order_number 7 to ********, who reads R&D & sales.');
  expect(all).toContain('5 < 6');
  expect(chunks.find(({ name }) => name === 'order.md')?.headings).toEqual(['The order_number of this order']);
});

test('each name is found, and Markdown syntax is not', async () => {
  const index = `${system.env['SEARCH_DEFAULT_INDEX']}-readable`;
  await run('search', [
    step('extract_operator'),
    step('chunker'),
    step('embeddings', { type: 'hashing' }),
    step('vectordb', { provider: 'opensearch', index_name: index }),
  ]);
  const search = createSearch(readConfig(system.env));
  try {
    const found = async (query: string) =>
      (await search.search(alice, { query, highlight: true })).documents.map(({ metadata }) => metadata['name']);
    for (const query of ['order_number', 'ERR_42', 'jane_doe', 'R&D'])
      expect([query, await found(query)]).toEqual([query, ['order.md']]);
    for (const query of ['amp', 'lt']) expect([query, await found(query)]).toEqual([query, []]);
    const [hit] = (await search.search(alice, { query: 'jane_doe sales', highlight: true })).documents;
    expect(hit?.highlights?.['content']?.join(' ')).toContain('R&amp;D &amp; <em>sales</em>');
  } finally {
    await search.close();
  }
});

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunReport } from '../../cli/run/report';
import { readConfig } from '../../model/config';
import type { Search, SearchRequest } from '../../services/search/ports';
import { createSearch } from '../../services/search/search';
import { createSystem, type System } from '../support/system/system';

/** Searches by facts that operators extract: class, entities, language, quality, and columns of a query. */
const alice = { username: 'alice', email: '', full_name: '', groups: [] };
const samples = path.join(__dirname, '..', '..', 'samples', 'paperwork');
let system: System;
let search: Search;
let report: RunReport;

beforeAll(async () => {
  system = createSystem();
  cpSync(samples, path.join(system.folder, 'paperwork'), { recursive: true });
  mkdirSync(path.join(system.folder, 'flows'));
  await system.startWorker();
  const chain: [string, Record<string, unknown>][] = [
    ['ingest_source', { connection_params: { paths: ['../paperwork'] } }],
    ['document_classifier', { type: 'rules', document_types: ['invoice', 'purchase_order', 'receipt'] }],
    ['extract_operator', { entity_extraction: { provider: 'rules' } }],
    ['lang_detect', {}],
    ['doc_quality', {}],
    [
      'sql_filter',
      {
        filter_criteria:
          "SELECT *, '2025-03-' || (10 + length(name) % 9) AS due, length(content) AS letters FROM input",
      },
    ],
    [
      'vectordb',
      {
        index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-declared`,
        available_features: { due: { type: 'date', available_for_vector_db: true } },
        feature_mappings: { letters: 'counted.letters', docq_sentence_count: 'sentences' },
      },
    ],
  ];
  const flow = chain.map(([type, config], index) => ({
    type,
    name: type,
    config,
    ...(index === 0 ? {} : { depends_on: [chain[index - 1]?.[0] ?? ''] }),
  }));
  const file = path.join(system.folder, 'flows', 'declared.json');
  writeFileSync(file, JSON.stringify({ flow_name: `declared-${system.env['DOCLOOM_TASK_QUEUE']}`, flow }));
  ({ report } = await system.run(file, '--user', 'alice'));
  search = createSearch(readConfig(system.env));
}, 600_000);
afterAll(async () => {
  await search?.close();
  await system?.stop();
});

const names = async (request: SearchRequest, user = alice) =>
  (await search.search(user, request)).documents.map(({ metadata }) => String(metadata['name'])).toSorted();

test('every document is indexed', () => {
  expect({ failures: report.failures, completed: report.totals.completed }).toEqual({ failures: [], completed: 5 });
});

test('class, language and entities filter; a text finds entities', async () => {
  expect(await names({ filters: { document_type: 'purchase_order' } })).toEqual(['purchase-order-po-7719.txt']);
  expect(await names({ filters: { lang_name: 'de' } })).toEqual(['rechnung-bw-2025-016.md']);
  expect(await names({ filters: { 'entities.invoice_number': 'BW-2025-014' } })).toEqual(['invoice-bw-2025-014.md']);
});

test('columns of the flow have the names and types that it declares', async () => {
  const { documents } = await search.search(alice, { sort: [{ 'counted.letters': 'asc' }] });
  expect(documents).toHaveLength(5);
  const letters = documents.map(({ metadata }) => Number(metadata['counted.letters']));
  expect(letters).toEqual(letters.toSorted((letter, other) => letter - other));
  expect(documents[0]?.metadata).toMatchObject({
    sentences: expect.any(Number),
    due: expect.stringMatching(/^2025-03-/),
  });
  expect(documents[0]?.metadata).not.toHaveProperty('docq_sentence_count');
  const { SEARCH_HOST: host, SEARCH_PORT: port } = system.env;
  const answer = await fetch(`http://${host}:${port}/${system.env['SEARCH_DEFAULT_INDEX']}-declared/_mapping`);
  const [mapped] = Object.values(
    (await answer.json()) as Record<
      string,
      { mappings: { properties: { metadata: { properties: Record<string, { type?: string }> } } } }
    >,
  );
  const types = mapped?.mappings.properties.metadata.properties;
  expect([types?.['due']?.type, types?.['sentences']?.type, types?.['lang_score']?.type]).toEqual([
    'date',
    'double',
    'double',
  ]);
});

test('no other user finds any of it', async () => {
  expect(await names({ filters: { lang_name: 'de' } }, { ...alice, username: 'bob' })).toEqual([]);
});

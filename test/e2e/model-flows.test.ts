import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunReport } from '../../cli/run/report';
import { readConfig } from '../../model/config';
import type { FlowDefinition } from '../../model/flow/flow';
import type { Row } from '../../model/flow/row';
import { createFiles } from '../../services/storage/files';
import { createObjectStore } from '../../services/storage/object-store';
import { createTables } from '../../services/table/tables';
import { createModelServer, type ModelAsk, type ModelServer } from '../support/servers/model-server';
import { createSystem, type System, until } from '../support/system/system';

const samples = path.join(__dirname, '..', '..', 'samples');
const key = 'key-of-the-gateway';
let system: System;
let server: ModelServer;

beforeAll(async () => {
  server = await createModelServer();
  system = createSystem({
    LOCALMODEL_HOST: server.url,
    DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
    DOCLOOM_SECRET_GATEWAY_KEY: key,
    DOCLOOM_SECRET_GATEWAY_KEY_HOSTS: '127.0.0.1',
  });
  for (const folder of ['documents', 'support', 'paperwork'])
    cpSync(path.join(samples, folder), path.join(system.folder, folder), { recursive: true });
  mkdirSync(path.join(system.folder, 'flows'));
  await system.startWorker();
});
beforeEach(() => server.reset());
afterAll(async () => {
  await system.stop();
  await server.stop();
});

/** Runs a sample under names unique to this system, with the servers of the test instead of those it names. */
async function runSample(name: string, change: (flow: FlowDefinition) => void = () => undefined): Promise<RunReport> {
  const { report } = await system.run(prepare(name, change), '--user', 'alice', '--set', 'force_ingest=true');
  return report;
}

/** Writes the flow of a sample, as `change` leaves it. */
function prepare(name: string, change: (flow: FlowDefinition) => void = () => undefined): string {
  const text = readFileSync(path.join(samples, 'flows', `${name}.json`), 'utf8').replaceAll(
    'http://localhost:4000',
    server.url,
  );
  const flow = JSON.parse(text) as FlowDefinition;
  flow.flow_name = `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`;
  change(flow);
  for (const { type, config } of flow.flow)
    if (type === 'vectordb' && config) config['index_name'] = `${system.env['SEARCH_DEFAULT_INDEX']}-${name}`;
  const file = path.join(system.folder, 'flows', `${name}.json`);
  writeFileSync(file, JSON.stringify(flow));
  return file;
}

async function getRecords(name: string): Promise<number> {
  const { SEARCH_HOST: host, SEARCH_PORT: port, SEARCH_DEFAULT_INDEX: alias } = system.env;
  const answer = await fetch(`http://${host}:${port}/${alias}-${name}/_count`);
  return ((await answer.json()) as { count: number }).count;
}

async function getRows(report: RunReport, operator: string): Promise<Row[]> {
  const tables = createTables({ store: createObjectStore(readConfig(system.env)) });
  const parts = await tables.listParts(report.job_run_id, operator);
  const rows = await Promise.all(parts.map((part) => tables.read({ runId: report.job_run_id, operator, part })));
  return rows.flat().toSorted((row, other) => (row.name < other.name ? -1 : 1));
}

const getMetrics = (report: RunReport, operator: string) =>
  report.operators.find(({ name }) => name === operator)?.metrics;

describe('sample flows with models, and without', () => {
  test('invoices of three languages become rows of tables without a model', async () => {
    const report = await runSample('invoices-to-tables');
    expect(report).toMatchObject({ status: 'COMPLETED', failures: [], warnings: [] });
    expect(report.totals).toMatchObject({ documents: 5, completed: 3, skipped: 2 });
    const rows = await getRows(report, 'curate');
    const tables = rows.map((row) => row['transformed_entities'] as Record<string, Record<string, unknown>[]>);
    expect(rows.map(({ name }) => name)).toEqual([
      'factura-bw-2025-015.html',
      'invoice-bw-2025-014.md',
      'rechnung-bw-2025-016.md',
    ]);
    const facts = (number: string, issued: string, due: string, buyer: string, total: string, currency: string) =>
      expect.objectContaining({
        invoice_number: number,
        issue_date: issued,
        due_date: due,
        seller_name: 'Brackwater Instruments Ltd',
        buyer_name: buyer,
        total_amount: total,
        currency,
      });
    expect(tables.map((table) => table['invoices'])).toEqual([
      facts('BW-2025-015', '2025-02-07', '2025-03-09', 'Autoridad Portuaria de Vilamar', '1873.080000', 'EUR'),
      facts('BW-2025-014', '2025-02-03', '2025-03-05', 'Harbour Board of Lerwick', '3357.600000', 'GBP'),
      facts('BW-2025-016', '2025-02-14', '2025-03-16', 'Wasser- und Schifffahrtsamt Nordufer', '7771.300000', 'EUR'),
    ]);
    expect(tables.map((table) => table['invoice_lines']?.map(({ quantity, amount }) => [quantity, amount]))).toEqual([
      [
        [1, '1450.000000'],
        [1, '98.000000'],
      ],
      [
        [2, '2480.000000'],
        [2, '173.000000'],
        [1, '145.000000'],
      ],
      [
        [3, '4350.000000'],
        [1, '2180.500000'],
      ],
    ]);
    expect(rows.map((row) => row['curation_problems'])).toEqual([[], [], []]);
    for (const row of rows) {
      for (const { quote, start, end } of row['entity_evidence'] as { quote: string; start: number; end: number }[])
        expect(row.content?.slice(start, end)).toBe(quote);
    }
    expect(server.asked).toEqual([]);
  });

  test('paperwork becomes knowledge graphs in the files store by a JSON Schema, without a model', async () => {
    const report = await runSample('graph-of-paperwork');
    expect(report).toMatchObject({ status: 'COMPLETED_WITH_WARNINGS', failures: [] });
    expect(report.warnings.join()).toContain('1 document without anything that the template describes');
    expect(report.totals).toMatchObject({ documents: 2, completed: 2 });
    const rows = await getRows(report, 'graph');
    const [note, order] = rows;
    expect(rows.map((row) => [row.name, row['graph_nodes'], row['graph_edges'], row.allowed_users])).toEqual([
      ['note-to-the-workshop.txt', 0, 0, ['alice']],
      ['purchase-order-po-7719.txt', 3, 2, ['alice']],
    ]);
    expect(note?.['graph_ref'] ?? null).toBeNull();
    const files = createFiles({ store: createObjectStore(readConfig(system.env)) });
    const read = async (name: string) =>
      new TextDecoder().decode(await files.get(String(order?.['graph_ref']).replace('graph.json', name)));
    const { nodes } = JSON.parse(await read('graph.json')) as { nodes: Record<string, unknown>[] };
    expect(nodes.find((node) => node['label'] === 'PurchaseOrder')).toMatchObject({
      number: 'PO-7719',
      ordered: '2025-01-20',
      delivery_date: '2025-02-10',
      total: 3357.6,
    });
    expect(nodes.flatMap((node) => (node['label'] === 'Party' ? [String(node['name'])] : [])).toSorted()).toEqual([
      'Brackwater Instruments Ltd',
      'Harbour Board of Lerwick',
    ]);
    expect(await read('graph.cypher')).toContain('ORDERED_FROM');
    expect(await read('provenance.json')).toContain('purchase-order-po-7719.txt');
    expect(server.asked).toEqual([]);
  });

  test('facts by a model are counted with their cost in the report; a model that answers nonsense fails its document alone', async () => {
    server.answer = (ask) => getAnswer(ask);
    const report = await runSample('facts-by-a-model');
    expect(report).toMatchObject({
      status: 'COMPLETED_WITH_ERRORS',
      totals: { documents: 2, completed: 1, failed: 1 },
      failures: [{ name: 'rechnung-bw-2025-016.md', operator: 'extract', code: 'MODEL_ANSWER_INVALID' }],
    });
    const [row] = await getRows(report, 'curate');
    expect(row).toMatchObject({
      document_type: 'invoice',
      transformed_entities: { invoices: { invoice_number: 'BW-2025-014', total_amount: '3357.600000' } },
      entity_evidence: [
        { field: 'invoice_number', quote: 'Invoice number: BW-2025-014' },
        { field: 'total_amount', quote: '£3,357.60' },
      ],
    });
    expect(getMetrics(report, 'classify')).toMatchObject({ classified: 2, model_requests: 2 });
    // The nonsense was corrected twice in vain; requests of the failed document count too.
    expect(getMetrics(report, 'extract')).toMatchObject({ model_requests: 4, entities_found: 2 });
    expect(getMetrics(report, 'extract')?.['model_cost']).toBeGreaterThan(0);
  });

  test('chunks end where the words change', async () => {
    const report = await runSample('semantic-chunks');
    expect(report).toMatchObject({
      status: 'COMPLETED_WITH_WARNINGS',
      failures: [],
      warnings: [expect.stringMatching(/leave out 3 notes/)],
      totals: { documents: 4, completed: 4 },
    });
    const chunks = await getRows(report, 'chunk');
    expect(chunks.length).toBeGreaterThan(8);
    for (const { content } of chunks) expect(content?.length).toBeLessThanOrEqual(2_000);
  });

  test('vectors of a gateway are paid for once, and no table contains its key', async () => {
    const first = await runSample('model-embeddings');
    expect(first).toMatchObject({ status: 'COMPLETED', totals: { documents: 11, completed: 11 } });
    expect(getMetrics(first, 'embed')?.['model_cost']).toBeGreaterThan(0);
    expect(server.asked.every(({ authorization }) => authorization === `Bearer ${key}`)).toBe(true);
    const texts = server.asked.flatMap((ask) => ask.texts);
    // Two letters are copies of others: equal texts are sent once.
    expect(new Set(texts).size).toBe(texts.length);
    server.reset();
    const again = await runSample('model-embeddings');
    expect(again).toMatchObject({ status: 'COMPLETED', totals: { completed: 11 } });
    expect(server.asked).toEqual([]);
    expect(getMetrics(again, 'embed')).toEqual({
      total_embeddings: getMetrics(first, 'embed')?.['total_embeddings'],
      model_answers_from_cache: getMetrics(first, 'embed')?.['total_embeddings'],
    });
    expect(JSON.stringify([first, again, await getRows(again, 'embed')])).not.toContain(key);
  });

  test('a run waits for a gateway that sends Retry-After', async () => {
    let refused = 0;
    server.fault = () =>
      refused++ < 2 ? { status: 429, body: 'slow down', headers: { 'retry-after': '1' } } : undefined;
    writeFileSync(path.join(system.folder, 'support', 'new-letter.txt'), 'A letter that nobody has sent before.');
    const report = await runSample('model-embeddings');
    expect(report).toMatchObject({ status: 'COMPLETED', totals: { documents: 12, completed: 12 } });
    expect(refused).toBeGreaterThanOrEqual(3);
  });

  test('a model whose vectors change their length ends the run with the code, and the index stays as it was', async () => {
    const before = await runSample('model-embeddings');
    expect(before.status).toBe('COMPLETED');
    const records = await getRecords('model-embeddings');
    expect(records).toBeGreaterThan(0);
    server.vector = (text) => [text.length, 1, 2];
    writeFileSync(path.join(system.folder, 'support', 'another-letter.txt'), 'A letter for another model.');
    const report = await runSample('model-embeddings');
    rmSync(path.join(system.folder, 'support', 'another-letter.txt'));
    expect(report).toMatchObject({
      status: 'FAILED',
      message: expect.stringMatching(/^EMBEDDING_DIMENSION_MISMATCH.*8 dimensions/),
    });
    expect(await getRecords('model-embeddings')).toBe(records);
  });

  describe('a model server that rejects everything for a minute', () => {
    /** The minute is three seconds here, and a request may wait a fifth of it: longer waits are left to the run. */
    const minuteMs = 3_000;
    const impatient = (flow: FlowDefinition) => {
      for (const { type, config } of flow.flow)
        if (type === 'embeddings') Object.assign(config?.['provider_config'] ?? {}, { max_wait: 0.2, max_retries: 5 });
    };
    const letter = (text: string) => {
      writeFileSync(path.join(system.folder, 'support', 'new-letter.txt'), text);
    };
    const refuse = (times: number[], ms: number) => {
      server.fault = () => {
        times.push(Date.now());
        const isOver = Date.now() - (times[0] ?? 0) >= ms;
        return isOver ? undefined : { status: 429, body: 'slow down', headers: { 'retry-after': '1' } };
      };
    };

    test('is called no more often than it allows; the run waits and completes, and no document fails', async () => {
      letter('A letter for a busy day.');
      const times: number[] = [];
      refuse(times, minuteMs);
      const report = await runSample('model-embeddings', impatient);
      expect(report).toMatchObject({ status: 'COMPLETED', failures: [] });
      expect(report.totals).toMatchObject({ documents: 12, completed: 12, failed: 0 });
      const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      expect(times.length).toBeLessThanOrEqual(6);
      expect(pauses.filter((ms) => ms >= 950).length).toBeGreaterThanOrEqual(3);
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(minuteMs);
    });

    test('does not delay a cancellation', async () => {
      letter('A letter for a cancelled day.');
      const times: number[] = [];
      refuse(times, 3_600_000);
      const running = system.spawn(['run', prepare('model-embeddings', impatient), '--user', 'alice', '--json']);
      await until('the model server was asked', async () => times.length > 0);
      const cancelled = Date.now();
      running.child.kill('SIGINT');
      const { code } = await running.result;
      expect(code).toBe(130);
      expect(Date.now() - cancelled).toBeLessThan(5_000);
    });
  });
});

/** A model that reads the English invoice and writes a poem about the German one. */
function getAnswer({ messages, schema }: ModelAsk): string | object {
  const text = messages[1]?.content ?? '';
  const properties = (schema?.['properties'] ?? {}) as Record<
    string,
    { properties?: Record<string, { type: string }> }
  >;
  if ('document_type' in properties) return { reasoning: 'It says so.', document_type: 'invoice', confidence: 9 };
  if (text.includes('Rechnung')) return 'Roses are red.';
  const fields = Object.entries(properties['facts']?.properties ?? {});
  const facts = Object.fromEntries(fields.map(([name, { type }]) => [name, type === 'array' ? [] : null]));
  return {
    facts: { ...facts, invoice_number: 'BW-2025-014', total_amount: '£3,357.60' },
    evidence: [
      { field: 'invoice_number', quote: 'Invoice number: BW-2025-014' },
      { field: 'total_amount', quote: 'a sum of money' },
    ],
  };
}

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FlowDefinition } from '../../model/flow/flow';
import { createModelServer, type ModelServer } from '../support/servers/model-server';
import { createSystem, type System } from '../support/system/system';

const samples = path.join(__dirname, '..', '..', 'samples');
let system: System;
let server: ModelServer;
let root: string;
beforeAll(async () => {
  server = await createModelServer();
  system = createSystem({ LOCALMODEL_HOST: server.url, DOCLOOM_ALLOWED_HOSTS: '127.0.0.1' });
  root = path.join(system.folder, 'export');
  system.env['DOCLOOM_EXPORT_ROOTS'] = root;
  for (const folder of ['documents', 'support'])
    cpSync(path.join(samples, folder), path.join(system.folder, folder), { recursive: true });
  for (const folder of ['flows', 'export']) mkdirSync(path.join(system.folder, folder));
  await system.startWorker();
});
afterAll(async () => {
  await system.stop();
  await server.stop();
});

/** Runs a sample flow whose exports go below the root of this system. */
async function runSample(name: string) {
  const text = readFileSync(path.join(samples, 'flows', `${name}.json`), 'utf8');
  const flow = JSON.parse(text.replaceAll('/srv/docloom-export', root)) as FlowDefinition;
  flow.flow_name = `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`;
  const file = path.join(system.folder, 'flows', `${name}.json`);
  writeFileSync(file, JSON.stringify(flow));
  return (await system.run(file, '--user', 'alice')).report;
}

test('markdown-files: each letter is a Markdown file, and its chunks are lines of JSON', async () => {
  const report = await runSample('markdown-files');
  expect(report).toMatchObject({ status: 'COMPLETED', failures: [], totals: { documents: 11, completed: 11 } });
  const documents = readdirSync(path.join(root, 'documents')).filter((name) => !name.startsWith('.'));
  expect(documents).toHaveLength(11);
  const lines = readFileSync(path.join(root, 'chunks', 'refund.txt.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const row = JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
  expect(row).toMatchObject({ name: 'refund.txt', chunk_index: 0 });
  expect(Object.keys(row)).not.toContain('allowed_users');
});

test('masked-personal-data: duplicates are removed, and the rest has passed every step', async () => {
  const report = await runSample('masked-personal-data');
  expect(report).toMatchObject({ failures: [], totals: { documents: 11, failed: 0 } });
  expect(report.totals.skipped).toBeGreaterThanOrEqual(2);
  expect(report.operators.find(({ name }) => name === 'keep')?.out).toBe(11 - report.totals.skipped);
});

test('tables-to-rows: each row of a table is a row', async () => {
  const report = await runSample('tables-to-rows');
  expect(report).toMatchObject({ failures: [], totals: { documents: 4, failed: 0 } });
  const rows = report.operators.find(({ name }) => name === 'rows');
  expect(rows?.metrics['table_rows']).toBeGreaterThan(0);
  expect(rows?.out).toBe(rows?.metrics['table_rows']);
});

test('summaries-and-translations: the model does both, and the report has the cost', async () => {
  server.reset();
  const report = await runSample('summaries-and-translations');
  expect(report).toMatchObject({ status: 'COMPLETED', failures: [], totals: { documents: 11, completed: 11 } });
  for (const name of ['short', 'german'])
    expect(report.operators.find((operator) => operator.name === name)?.metrics['model_requests']).toBeGreaterThan(0);
});

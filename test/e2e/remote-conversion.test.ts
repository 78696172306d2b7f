import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunReport } from '../../cli/run/report';
import { readConfig } from '../../model/config';
import type { Row } from '../../model/flow/row';
import { createObjectStore } from '../../services/storage/object-store';
import { createTables } from '../../services/table/tables';
import { createSystem, type System } from '../support/system/system';

const key = 'key-of-the-conversion';
let system: System;
let address = '';
beforeAll(async () => {
  system = createSystem({
    DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
    CONVERT_SERVE_API_KEY: key,
    DOCLOOM_SECRET_CONVERT_KEY: key,
    DOCLOOM_SECRET_CONVERT_KEY_HOSTS: '127.0.0.1',
  });
  mkdirSync(path.join(system.folder, 'docs'));
  const samples = path.join(__dirname, '..', '..', 'samples');
  for (const name of ['engineering/tg-210-manual.pdf', 'finance/supply-contract.docx', 'public/employee-handbook.md'])
    cpSync(path.join(samples, 'documents', name), path.join(system.folder, 'docs', path.basename(name)));
  writeFileSync(path.join(system.folder, 'docs', 'broken.docx'), 'this is not an archive');
  await system.startWorker();
  address = await system.startApi();
});
afterAll(() => system.stop());

async function extract(name: string, text_extraction: object): Promise<{ report: RunReport; rows: Row[] }> {
  const file = path.join(system.folder, `${name}.json`);
  const flow = [
    { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: ['docs'] } } },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: { text_extraction } },
  ];
  writeFileSync(file, JSON.stringify({ flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`, flow }));
  const { report } = await system.run(file, '--user', 'alice');
  const tables = createTables({ store: createObjectStore(readConfig(system.env)) });
  const key = { runId: report.job_run_id, operator: 'extract' };
  const parts = await tables.listParts(key.runId, key.operator);
  const rows = (await Promise.all(parts.map((part) => tables.read({ ...key, part })))).flat();
  return { report, rows: rows.toSorted((row, other) => (row.name < other.name ? -1 : 1)) };
}

test('texts by the conversion service of another Docloom equal those of the local engine', async () => {
  const provider_config = { base_url: address, api_key: '${DOCLOOM_SECRET_CONVERT_KEY}', poll_interval: 0.5 };
  const remote = await extract('remote', { provider: 'service', provider_config });
  const local = await extract('local', { provider: 'local' });
  for (const { report } of [remote, local]) {
    expect(report).toMatchObject({
      status: 'COMPLETED_WITH_ERRORS',
      totals: { documents: 4, completed: 3, failed: 1 },
      failures: [{ name: 'broken.docx', operator: 'extract' }],
    });
  }
  const facts = ({ name, content, pages_processed, metadata }: Row) => ({
    name,
    content,
    pages_processed,
    title: metadata?.['title'],
  });
  expect(remote.rows.map(facts)).toEqual(local.rows.map(facts));
  expect(JSON.stringify([remote.report, remote.rows])).not.toContain(key);
});

test('a wrong key fails the run with an explanation', async () => {
  const provider_config = { base_url: address, api_key: 'wrong' };
  const { report } = await extract('refused', { provider: 'service', provider_config });
  expect(report).toMatchObject({
    status: 'FAILED',
    message: expect.stringMatching(/OPERATOR_CONFIGURATION_INVALID: .*401|OPERATOR_CONFIGURATION_INVALID: .*403/),
  });
});

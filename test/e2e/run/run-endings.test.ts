import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FlowOperator } from '../../../model/flow/flow';
import { documentsIn, indexing, reading } from '../../support/system/over-http';
import { createDoor, createSystem, type System } from '../../support/system/system';

let system: System;
afterEach(() => system.stop());

const filterBy = (filter_criteria: string): FlowOperator => ({
  type: 'sql_filter',
  name: 'filter',
  depends_on: ['extract'],
  config: { filter_criteria },
});

function writeFlow(name: string, flow: FlowOperator[], global_config: object = {}): string {
  const file = path.join(system.folder, `${name}.json`);
  writeFileSync(
    file,
    JSON.stringify({ flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`, global_config, flow }),
  );
  return file;
}

test('a run with a query that the engine rejects never starts', async () => {
  system = createSystem();
  const folder = documentsIn(system, 'docs', { 'a.md': 'a' }, {});
  const flow = writeFlow('rejected', [...reading(folder), filterBy('SELECT * FROM documents WHERE nothing = 1')]);
  const { code, stderr } = await system.spawn(['run', flow, '--json']).result;
  expect(code).toBe(2);
  expect(stderr).toContain('Table with name documents does not exist');
});

test('a filter with a limit chooses among the documents of all batches', async () => {
  system = createSystem();
  await system.startWorker();
  const names = Array.from({ length: 7 }, (_, index) => `${index + 1}.md`);
  const folder = documentsIn(system, 'docs', Object.fromEntries(names.map((name) => [name, `# marmot ${name}`])), {});
  const flow = writeFlow('latest', [...reading(folder), filterBy('SELECT * FROM input ORDER BY name DESC LIMIT 3')], {
    micro_batch_size: 2,
  });
  const { report } = await system.run(flow, '--user', 'alice');
  expect(report).toMatchObject({ totals: { documents: 7, completed: 3, skipped: 4, failed: 0 } });
});

test('a run fails with the reason if OpenSearch is unavailable for longer than DOCLOOM_WAIT_HOURS', async () => {
  const { SEARCH_HOST: host = '127.0.0.1', SEARCH_PORT: port = '9200' } = process.env;
  const door = await createDoor(host, Number(port));
  system = createSystem({ SEARCH_HOST: '127.0.0.1', SEARCH_PORT: String(door.port), DOCLOOM_WAIT_HOURS: '0.001' });
  await system.startWorker();
  door.shut();
  const folder = documentsIn(system, 'docs', { 'egret.md': 'egret' }, {});
  const flow = writeFlow('vain', [...reading(folder), ...indexing(system, 'vain')]);
  const { code, report } = await system.run(flow, '--user', 'alice');
  expect(code).toBe(1);
  expect(report.status).toBe('FAILED');
  expect(report.message).toMatch(
    /^SEARCH_CONNECTION_FAILED: .* The run waited for the service from 20\S+Z to 20\S+Z, the longest time that DOCLOOM_WAIT_HOURS allows\.$/,
  );
});

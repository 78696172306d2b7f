import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createSystem, type System } from '../../support/system/system';

/** What becomes of indexed documents whose source has been emptied. */
let system: System;
beforeAll(async () => {
  system = createSystem();
  await system.startWorker();
});
afterAll(() => system.stop());

test('an emptied folder keeps its documents in the index until a run allows to remove all of them', async () => {
  const { folder } = system;
  const operators = [
    { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: [path.join(folder, 'docs')] } } },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    {
      type: 'vectordb',
      name: 'index',
      depends_on: ['extract'],
      config: { provider: 'opensearch', index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-emptied` },
    },
  ];
  const file = path.join(folder, 'flow.json');
  writeFileSync(file, JSON.stringify({ flow_name: 'emptied', flow: operators }));
  const run = async (...options: string[]) => (await system.run(file, '--user', 'alice', ...options)).report;
  const document = path.join(folder, 'docs', 'note.md');
  mkdirSync(path.dirname(document));
  writeFileSync(document, '# Quokka\n\nA note.');
  expect((await run()).totals).toMatchObject({ completed: 1 });
  rmSync(document);
  const kept = await run();
  expect(kept.totals).toMatchObject({ documents: 0, deleted: 0 });
  expect(kept.warnings.join()).toContain('run the flow once with max_removed_percent 100');
  const removed = await run('--set', 'ingest={"max_removed_percent":100}');
  expect(removed.totals).toMatchObject({ documents: 0, deleted: 1 });
  expect((await run()).totals).toMatchObject({ deleted: 0 });
});

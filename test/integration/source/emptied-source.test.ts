import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createSystem, type System } from '../../support/system/system';

/** What becomes of indexed documents whose source has been emptied. */
let system: System;
beforeAll(async () => {
  system = createSystem();
  await system.startWorker();
});
afterAll(() => system.stop());

const setAll = 'ingest={"max_removed_percent":100}';
const confirmed = 'confirm_empty_source=true';

async function prepare(name: string) {
  const { folder } = system;
  const docs = path.join(folder, name);
  const operators = [
    { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: [docs] } } },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    {
      type: 'vectordb',
      name: 'index',
      depends_on: ['extract'],
      config: { provider: 'opensearch', index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-${name}` },
    },
  ];
  const file = path.join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ flow_name: name, flow: operators }));
  mkdirSync(docs);
  const run = async (...sets: string[]) =>
    (await system.run(file, '--user', 'alice', ...sets.flatMap((set) => ['--set', set]))).report;
  return { docs, run };
}

/** More than the number of documents that a run removes whatever their share. */
test.each([1, 25])('%i documents of an emptied folder stay in the index until a run confirms it', async (count) => {
  const { docs, run } = await prepare(`emptied-${count}`);
  for (let number = 0; number < count; number += 1)
    writeFileSync(path.join(docs, `${number}.md`), `# Quokka ${number}\n\nA note.`);
  expect((await run()).totals).toMatchObject({ completed: count });
  for (const name of readdirSync(docs)) rmSync(path.join(docs, name));
  for (const sets of [[], [setAll]]) {
    const kept = await run(...sets);
    expect(kept.totals).toMatchObject({ documents: 0, deleted: 0 });
    expect(kept.warnings.join()).toContain('run the flow once with the parameter confirm_empty_source=true');
  }
  expect((await run(confirmed, ...(count === 1 ? [] : [setAll]))).totals).toMatchObject({
    documents: 0,
    deleted: count,
  });
  expect((await run()).totals).toMatchObject({ deleted: 0 });
});

test('a confirmation is for one run: a flow cannot hold it', async () => {
  const { folder } = system;
  const file = path.join(folder, 'standing.json');
  const flow = [{ type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: [folder] } } }];
  writeFileSync(file, JSON.stringify({ flow_name: 'standing', global_config: { confirm_empty_source: true }, flow }));
  expect(await system.run(file, '--user', 'alice')).toMatchObject({
    code: 2,
    report: { code: 'FLOW_VALIDATION_FAILED', message: expect.stringContaining('is a parameter of a single run') },
  });
});

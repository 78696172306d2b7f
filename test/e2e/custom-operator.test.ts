import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createSystem, type System } from '../support/system/system';

const bin = path.join(__dirname, '..', '..', 'bin', 'docloom');
let system: System;
let operators: string;

beforeAll(() => {
  system = createSystem();
  operators = path.join(system.folder, 'operators');
});
afterAll(() => system.stop());

test('an operator that docloom new writes passes its own test, is listed, validated and run in a flow', async () => {
  const docloom = (...args: string[]) =>
    execFileSync(process.execPath, [bin, ...args], { env: system.env, cwd: system.folder, encoding: 'utf8' });
  expect(docloom('new', 'operator', 'word_count', '--folder', operators)).toContain('word_count.test.mjs');
  execFileSync(process.execPath, ['--test', path.join(operators, 'word_count.test.mjs')]);
  expect(() => docloom('new', 'operator', 'word_count', '--folder', operators)).toThrow('exists already');
  expect(() => docloom('new', 'operator', 'Word-Count')).toThrow('is not a valid operator name');

  system.env['DOCLOOM_CUSTOM_OPERATORS'] = operators;
  expect(docloom('operators')).toContain('word_count');
  mkdirSync(path.join(system.folder, 'docs'));
  for (const [name, text] of Object.entries({ short: 'too short', long: 'a text that is long enough' }))
    writeFileSync(path.join(system.folder, 'docs', `${name}.txt`), text);
  const flow = path.join(system.folder, 'flow.json');
  const write = (config: object) =>
    writeFileSync(
      flow,
      JSON.stringify({
        flow_name: `custom-${system.env['DOCLOOM_TASK_QUEUE']}`,
        flow: [
          { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: ['docs'] } } },
          { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
          { type: 'word_count', name: 'count', depends_on: ['extract'], config },
          {
            type: 'sql_filter',
            name: 'check',
            depends_on: ['count'],
            config: { criteria_list: ['word_count_words = 6'] },
          },
          { type: 'document_set', name: 'store', depends_on: ['check'], config: { document_set_name: 'counted' } },
        ],
      }),
    );
  write({ least: 'many' });
  expect(() => docloom('validate', flow)).toThrow(/Command failed/);
  write({ least: 3 });
  expect(docloom('validate', flow)).toContain('valid, 0 warnings');

  await system.startWorker();
  const { code, report } = await system.run(flow, '--user', 'alice');
  expect({ code, failures: report.failures }).toEqual({ code: 0, failures: [] });
  expect(report.totals).toMatchObject({ documents: 2, completed: 1, skipped: 1 });
  expect(report.operators.find(({ name }) => name === 'count')).toMatchObject({
    in: 2,
    out: 1,
    skipped: 1,
    metrics: { words_counted: 1 },
  });
  expect(report.operators.find(({ name }) => name === 'store')).toMatchObject({ out: 1 });
});

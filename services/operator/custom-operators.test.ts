import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { loadCustomOperators } from './custom-operators';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-operators-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const limits = { memoryMb: 64, timeoutMs: 5_000 };
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const load = (taken: string[] = []) => loadCustomOperators([folder], taken, limits);
const definition = (name: string) => `export const operator = { name: '${name}', summary: 'It is tested.' };`;
async function run(rows = [documentRow('a', 'one')], config = {}, change = {}) {
  const [custom] = await load();
  const code = await custom?.load();
  if (!code) throw new Error('no operator');
  return code.run(rows, config, contextFor({}, change));
}

test('TypeScript and JavaScript of both module systems are read; tests and other files are not', async () => {
  write(
    'shout.ts',
    `type Word = string;\n${definition('shout')}\nexport const run = async (rows: { content: Word }[]) => ({ rows });`,
  );
  write(
    'old.cjs',
    `exports.operator = { name: 'old', label: 'Old', summary: 'x', reads: ['content'], writes: ['y'], category: 'Quality', scope: 'table' }; exports.run = (rows) => ({ rows });`,
  );
  write('shout.test.ts', 'throw new Error()');
  write('README.md', '#');
  const operators = await load();
  expect(
    operators.map(({ name, label, category, scope, reads, writes }) => ({
      name,
      label,
      category,
      scope,
      reads,
      writes,
    })),
  ).toEqual([
    { name: 'old', label: 'Old', category: 'Quality', scope: 'table', reads: ['content'], writes: ['y'] },
    { name: 'shout', label: 'shout', category: 'Functional', scope: 'row', reads: ['id'], writes: [] },
  ]);
});

test('an error names the line of the operator, in TypeScript too', async () => {
  write(
    'picky.ts',
    `interface Word {\n  content: string;\n}\n\n${definition('picky')}\nexport function run(rows: Word[]) {\n  throw new Error('no text');\n}`,
  );
  await expect(run()).rejects.toMatchObject({ message: 'The operator in picky.ts failed: no text (picky.ts:7).' });
});

test('rows are exchanged with configuration, progress, Node packages and facts of the run', async () => {
  write(
    'hash.mjs',
    `import { createHash } from 'node:crypto';\n${definition('hash')}
    export async function run(rows, config, context) {
      context.progress(1, 1);
      return { rows: rows.map((row) => ({ ...row, hash: createHash('md5').update(row.content).digest('hex'), owner: context.run.owner, ...config })), metrics: { hashed: rows.length } };
    }`,
  );
  const reports: number[] = [];
  const result = await run([documentRow('a', 'one')], { extra: 1 }, { progress: (done: number) => reports.push(done) });
  expect(result.rows[0]).toMatchObject({ id: 'a', hash: 'f97c5d29941bfb1b2fdab0874906ab82', owner: 'alice', extra: 1 });
  expect(result.metrics).toEqual({ hashed: 1 });
  expect(reports).toEqual([1]);
});

test('access lists are unchanged, whatever the code does with them', async () => {
  write(
    'open.mjs',
    `${definition('open')} export const run = (rows) => ({ rows: rows.flatMap((row) => [{ ...row, allowed_users: ['eve'], allowed_principals: ['p:*'], required_lists: [] }, { id: row.id + '_1', document_id: row.id, content: 'x' }]) });`,
  );
  const { rows } = await run();
  expect(rows.map(({ id, allowed_users: users, name }) => ({ id, users, name }))).toEqual([
    { id: 'a', users: ['alice'], name: 'a.md' },
    { id: 'a_1', users: ['alice'], name: 'a.md' },
  ]);
});

test.each([
  ['of no document', `({ rows: [{ id: 'z' }] })`, 'none of its input documents'],
  ['no rows', `({ lines: [] })`, 'rows'],
  ['an id that is not text', `({ rows: [{ id: 7 }] })`, '/rows/0/id'],
  ['an error', `{ throw new TypeError('odd input') }`, 'odd input'],
  ['an exit', `process.exit(3)`, 'ended with 3'],
])('%s fails the operator with an explanation', async (_name, body, reason) => {
  write('odd.mjs', `${definition('odd')} export const run = () => ${body};`);
  await expect(run()).rejects.toMatchObject({
    code: 'OPERATOR_EXECUTION_FAILED',
    message: expect.stringContaining(reason),
  });
});

test('failed and skipped documents are reported', async () => {
  write(
    'picky.mjs',
    `${definition('picky')} export const run = ([row]) => ({ rows: [], failed: [{ id: row.id, name: row.name, message: 'no' }], skipped: [{ id: 's', name: 's', reason: 'why' }] });`,
  );
  const { failed, skipped } = await run();
  expect(failed).toEqual([{ id: 'a', name: 'a.md', message: 'no', code: 'OPERATOR_EXECUTION_FAILED' }]);
  expect(skipped).toEqual([{ id: 's', name: 's', reason: 'why' }]);
});

test('memory limit, time limit and cancellation end a call that does not end itself', async () => {
  write(
    'loop.mjs',
    `${definition('loop')} export const run = (rows, { kind }) => { const kept = []; for (;;) if (kind === 'memory') kept.push(new Array(100_000).fill({ kept })); };`,
  );
  const loaded = async (timeoutMs: number) => {
    const [custom] = await loadCustomOperators([folder], [], { memoryMb: 32, timeoutMs });
    const code = await custom?.load();
    return (kind: string, change = {}) => code?.run([documentRow('a', 'x')], { kind }, contextFor({}, change));
  };
  const [hasty, patient] = [await loaded(1_500), await loaded(60_000)];
  await expect(hasty('time')).rejects.toMatchObject({ message: expect.stringContaining('longer than 1.5 seconds') });
  // With a limit that a busy machine does not reach, it is memory and cancellation that end the call.
  await expect(patient('memory')).rejects.toMatchObject({ message: expect.stringContaining('more than 32 MB') });
  const controller = new AbortController();
  const running = patient('time', { signal: controller.signal });
  controller.abort();
  await expect(running).rejects.toThrow('abort');
}, 30_000);

test('the process has no environment variables', async () => {
  process.env['DOCLOOM_SECRET_TESTED'] = 'secret';
  write(
    'spy.mjs',
    `${definition('spy')} export const run = (rows) => ({ rows: rows.map((row) => ({ ...row, names: Object.keys(process.env) })) });`,
  );
  expect((await run()).rows[0]?.['names']).toEqual([]);
  delete process.env['DOCLOOM_SECRET_TESTED'];
});

test.each([
  ['a.mjs', 'export const nothing = 1;', 'exports no function run'],
  ['a.mjs', 'export const run = () => {};', 'The export'],
  ['a.mjs', `export const operator = { name: 'Bad Name', summary: 'x' }; export const run = () => {};`, '/name'],
  [
    'a.mjs',
    `export const operator = { name: 'good', summary: 'x', colour: 1 }; export const run = () => {};`,
    'colour',
  ],
  [
    'a.mjs',
    `export const operator = { name: 'good', summary: 'x', config: { type: 'object', properties: { a: { type: 'odd' } } } }; export const run = () => {};`,
    'JSON Schema',
  ],
  ['a.mjs', 'export const {', 'cannot be compiled'],
  ['a.mjs', `throw new Error('at once');`, 'at once'],
  ['a.mjs', `${definition('noop')} export const run = () => {};`, "'noop' is taken by the product"],
])('%s with %j is rejected with its name', async (file, text, reason) => {
  write(file, text);
  await expect(load(['noop'])).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining(reason),
  });
});

test('a missing folder is rejected', async () => {
  await expect(loadCustomOperators([path.join(folder, 'none')], [], limits)).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
  });
});

describe('documents with different access lists', () => {
  const mixed = [
    documentRow('a', 'one'),
    documentRow('b', 'two', { allowed_users: ['bob'] }),
    documentRow('c', 'three'),
  ];
  const fold = `export const run = (rows) => ({ rows: rows.map((row) => ({ ...row, path: '/etc/passwd', document_ref: 'k', content: rows.map(({ content }) => content).join(' ') })), metrics: { calls: 1 } });`;
  const getRun = async () => {
    const [custom] = await load();
    return (await custom?.load())?.run(mixed, {}, contextFor());
  };

  test('are passed to an operator over parts as a list, and its results keep the order', async () => {
    write('fold.mjs', `${definition('fold')} ${fold}`);
    const { rows, metrics } = (await getRun()) ?? { rows: [] };
    expect(rows.map(({ id, content, path: file, document_ref: ref }) => [id, content, file, ref])).toEqual([
      ['a', 'one three', '/documents/a.md', undefined],
      ['b', 'two', '/documents/b.md', undefined],
      ['c', 'one three', '/documents/c.md', undefined],
    ]);
    expect(metrics).toEqual({ calls: 2 });
  });

  test('an operator over all rows gets them together; changed rows are for those who may read all', async () => {
    const own = definition('fold').replace('summary:', "scope: 'table', summary:");
    expect(own).toContain('table');
    write('fold.mjs', `${own} ${fold}`);
    const { rows, warnings } = (await getRun()) ?? { rows: [] };
    expect(rows.map(({ content, allowed_users: users }) => [content, users])).toEqual([
      ['one two three', []],
      ['one two three', []],
      ['one two three', []],
    ]);
    expect(warnings).toEqual([expect.stringContaining('3 rows')]);
  });
});

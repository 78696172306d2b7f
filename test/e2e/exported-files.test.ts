import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '../../client';
import type { FlowDefinition } from '../../model/flow/flow';
import { createTokens } from '../../services/login/tokens';
import { reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

const secret = 'a-key-that-signs-tokens-of-this-test-0123456789';
let system: System;
let address: string;
let root: string;
beforeAll(async () => {
  system = createSystem({ JWT_SECRET_KEY: secret, DOCLOOM_ADMIN_GROUPS: 'admins' });
  root = path.join(system.folder, 'export');
  system.env['DOCLOOM_EXPORT_ROOTS'] = root;
  mkdirSync(root);
  mkdirSync(path.join(system.folder, 'docs', 'deep'), { recursive: true });
  mkdirSync(path.join(system.folder, 'flows'));
  address = await system.startApi({ JWT_SECRET_KEY: secret });
  await system.startWorker();
});
afterAll(() => system.stop());

const put = (name: string, text: string) => writeFileSync(path.join(system.folder, 'docs', name), text);
/** Every file below a folder of the root, with its text. */
function exported(folder: string): Record<string, string> {
  const base = path.join(root, folder);
  const names = existsSync(base) ? (readdirSync(base, { recursive: true }) as string[]) : [];
  const files = names.filter((name) => statSync(path.join(base, name)).isFile());
  return Object.fromEntries(files.toSorted().map((name) => [name, readFileSync(path.join(base, name), 'utf8')]));
}

const storage = (name: string, after: string, config: object) => ({
  type: 'storage',
  name,
  depends_on: [after],
  config: { destination: 'folder', path: path.join(root, name), ...config },
});
const flow = (): FlowDefinition => ({
  flow_name: `export-${system.env['DOCLOOM_TASK_QUEUE']}`,
  flow: [
    ...reading(path.join(system.folder, 'docs')),
    storage('documents', 'extract', { formats: ['md', 'json'] }),
    { type: 'chunker', name: 'chunk', depends_on: ['documents'], config: { chunk_size: 50, chunk_overlap: 0 } },
    storage('chunks', 'chunk', { formats: ['jsonl', 'parquet'], columns: ['id', 'content'] }),
  ],
});

test('documents become files; changed documents replace their files, and deleted documents remove them', async () => {
  put('a.txt', 'The first text.');
  put('deep/b.txt', 'The second text, which is longer than fifty characters. So it becomes two chunks, or even three.');
  put('c.txt', 'A third one.');
  const file = path.join(system.folder, 'flows', 'export.json');
  writeFileSync(file, JSON.stringify(flow()));
  const run = async () => (await system.run(file, '--user', 'alice')).report;
  const first = await run();
  expect(first).toMatchObject({ status: 'COMPLETED', failures: [], totals: { completed: 3 } });
  expect(Object.keys(exported('documents'))).toEqual(
    ['a.txt', 'c.txt', 'deep/b.txt'].flatMap((name) => [`${name}.json`, `${name}.md`]),
  );
  expect(exported('documents')['a.txt.md']).toBe('The first text.');
  const lines = (exported('chunks')['deep/b.txt.jsonl'] ?? '').trim().split('\n');
  expect(lines.length).toBeGreaterThan(1);
  expect(Object.keys(JSON.parse(lines[0] ?? '{}') as object)).toEqual(['id', 'content']);
  const before = exported('documents');
  expect((await run()).totals).toMatchObject({ skipped: 3 });
  expect(exported('documents')).toEqual(before);

  put('a.txt', 'The first text has changed.');
  rmSync(path.join(system.folder, 'docs', 'deep', 'b.txt'));
  expect((await run()).totals).toMatchObject({ completed: 1, deleted: 1 });
  expect(Object.keys(exported('documents'))).toEqual(['a.txt.json', 'a.txt.md', 'c.txt.json', 'c.txt.md']);
  expect(exported('documents')['a.txt.md']).toBe('The first text has changed.');
  expect(Object.keys(exported('chunks'))).toEqual(['a.txt.jsonl', 'a.txt.parquet', 'c.txt.jsonl', 'c.txt.parquet']);
  expect(readdirSync(path.join(root, 'documents'))).not.toContain('deep');
});

test('exports into a folder are for administrators only, and no flow reads exported files', async () => {
  const ended = async (username: string, groups: string[], paths: string, name: string) => {
    const user = { username, email: '', full_name: '', groups };
    const token = createTokens({ secret, expireMinutes: 5 }).issue(user);
    const client = createClient({ baseUrl: address, token });
    const { flow_id } = await client.flows.create({
      flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`,
      flow: [...reading(paths), storage(name, 'extract', { formats: ['md'] })],
    });
    return runToEnd(client, flow_id);
  };
  const docs = path.join(system.folder, 'docs');
  const refused = await ended('bob', [], docs, 'by-bob');
  expect(refused).toMatchObject({ status: 'FAILED', message: expect.stringContaining('EXPORT_NOT_ALLOWED') });
  expect(exported('by-bob')).toEqual({});
  const allowed = await ended('root', ['admins'], docs, 'by-root');
  expect(allowed.status).toMatch(/^COMPLETED/);
  expect(Object.keys(exported('by-root'))).toEqual(['a.txt.md', 'c.txt.md']);
  const back = await ended('root', ['admins'], root, 'again');
  expect(back).toMatchObject({ status: 'FAILED', message: expect.stringContaining('SOURCE_NOT_ALLOWED') });
});

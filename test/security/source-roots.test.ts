import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '../../client';
import { createTokens } from '../../services/login/tokens';
import { reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';

/** A key that the data folder holds, as `docloom up` keeps it. */
const canary = 'canary-of-the-signing-key-0123456789abcdef';
let system: System;
let address: string;
let workerPid: number;

beforeAll(async () => {
  system = createSystem({ JWT_SECRET_KEY: canary, CONVERT_SERVE_API_KEY: 'key-of-the-service' });
  const data = system.env['DOCLOOM_DATA'] as string;
  const cache = path.join(system.folder, 'cache');
  Object.assign(system.env, { DOCLOOM_CACHE: cache, DOCLOOM_SOURCE_ROOTS: `${system.folder},/proc` });
  mkdirSync(path.join(system.folder, '.git'));
  mkdirSync(path.join(system.folder, 'docs', '.deep'), { recursive: true });
  for (const folder of [data, cache]) {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
  }
  const files = ['.docloom/jwt-secret', 'cache/server.txt', '.git/config', 'docs/.deep/hidden.txt'];
  for (const file of files) writeFileSync(path.join(system.folder, file), canary, { mode: 0o644 });
  writeFileSync(path.join(system.folder, 'docs', 'open.txt'), 'Nothing of interest.');
  symlinkSync(data, path.join(system.folder, 'docs', 'link'));
  symlinkSync('../.git', path.join(system.folder, 'docs', 'history'));
  linkSync(path.join(data, 'jwt-secret'), path.join(system.folder, 'docs', 'twin.txt'));
  const [started, worker] = await Promise.all([system.startApi({ JWT_SECRET_KEY: canary }), system.startWorker()]);
  address = started;
  workerPid = worker.pid as number;
});
afterAll(() => system.stop());

let count = 0;
/** What bob sees when his flow reads these paths: the run, its documents and the rows of its document set. */
async function ingest(paths: string[], params: Record<string, unknown> = {}) {
  const token = createTokens({ secret: canary, expireMinutes: 5 }).issue({
    username: 'bob',
    email: '',
    full_name: '',
    groups: [],
  });
  const client = createClient({ baseUrl: address, token });
  const [ingesting, extracting] = reading('unused');
  count += 1;
  const set = `roots${count}`;
  const { flow_id } = await client.flows.create({
    flow_name: `roots-${count}-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      { ...ingesting!, config: { provider: 'filesystem', connection_params: { paths, ...params } } },
      extracting!,
      { type: 'document_set', name: 'keep', depends_on: ['extract'], config: { document_set_name: set } },
    ],
  });
  const run = await runToEnd(client, flow_id);
  const headers = { Authorization: `Bearer ${token}` };
  const list = await fetch(`${address}/api/v1/document-sets?name=${set}`, { headers });
  const id = ((await list.json()) as { items: { id: string }[] }).items[0]?.id;
  const rows = id
    ? await (await fetch(`${address}/api/v1/document-sets/${id}/export?format=csv`, { headers })).text()
    : '';
  return { run, rows };
}

test.each([
  ['the file by its name', () => [`${system.folder}/.docloom/jwt-secret`]],
  ['its folder', () => [`${system.folder}/.docloom`]],
  ['a way around', () => [`${system.folder}/docs/../.docloom/jwt-secret`]],
  ['a link to the folder', () => [`${system.folder}/docs/link`]],
  ['a file behind the link', () => [`${system.folder}/docs/link/jwt-secret`]],
  ['the cache folder', () => [`${system.folder}/cache`]],
  ['the history of a repository', () => [`${system.folder}/.git`]],
  ['a link to the history', () => [`${system.folder}/docs/history/config`]],
  ['a hidden folder deeper down', () => [`${system.folder}/docs/.deep/hidden.txt`]],
  ['the folder through the process', () => [`/proc/${workerPid}/cwd/.docloom/jwt-secret`]],
  ['the environment of the worker', () => [`/proc/${workerPid}/environ`]],
])('a flow does not read a secret by %s', async (_name, paths) => {
  const { run, rows } = await ingest(paths());
  expect(rows).not.toContain(canary);
  expect(run.status).toBe('FAILED');
  expect(JSON.stringify(run)).toContain('SOURCE_NOT_ALLOWED');
});

test('a flow that lists everything, hidden files too, gets open files and no secret, not even through a hard link', async () => {
  const { run, rows } = await ingest([system.folder], { ignore_hidden_files: false });
  expect(run.totals.completed).toBeGreaterThan(0);
  expect(rows).toContain('Nothing of interest.');
  expect(rows).not.toContain(canary);
});

test('folders and secrets of the product are for their owner only from the start on', async () => {
  const mode = (...names: string[]) => (statSync(path.join(system.folder, ...names)).mode & 0o777).toString(8);
  await until('the modes are corrected', () => mode('cache') === '700');
  expect([mode('.docloom'), mode('cache'), mode('.docloom', 'jwt-secret')]).toEqual(['700', '700', '600']);
});

test('the worker of docloom up has neither the key that signs tokens nor other secrets of the api', async () => {
  const up = system.spawn(['up', '--json']);
  const pids = await new Promise<Record<string, number>>((resolve, reject) => {
    let text = '';
    up.child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (!text.includes('\n')) return;
      const { processes } = JSON.parse(text) as { processes: { name: string; pid: number }[] };
      resolve(Object.fromEntries(processes.map(({ name, pid }) => [name, pid])));
    });
    void up.result.then(({ stderr }) => reject(new Error(stderr)));
  });
  const environment = (name: string) => readFileSync(`/proc/${pids[name]}/environ`, 'utf8');
  const found = { api: environment('api'), worker: environment('worker') };
  up.child.kill('SIGINT');
  await up.result;
  expect(found.api.includes(canary)).toBe(true);
  for (const secret of [canary, 'key-of-the-service']) expect(found.worker.includes(secret)).toBe(false);
});

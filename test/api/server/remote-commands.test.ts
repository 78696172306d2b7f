import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { memoryConversion } from '../../support/api/conversion-services';
import { alice, bob, sampleFlow, startApi, type TestApi } from '../../support/api/server';

// Commands with --server against an API with services in memory: no run ends by itself there. test/e2e/remote-commands has all servers.
const command = path.join(__dirname, '../../../bin/docloom');
const folder = mkdtempSync(path.join(tmpdir(), 'docloom-remote-'));
const conversion = memoryConversion();
let api: TestApi;

beforeAll(async () => {
  api = await startApi({ conversion: conversion.services });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api.close();
});

/** Starts a command as a user; `sees` resolves when it has printed a text on standard error. */
function start(args: string[], user = alice) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, DOCLOOM_TOKEN: api.tokenOf(user) };
  const child = spawn(process.execPath, [command, ...args, '--server', api.url], { env, cwd: folder });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (texts.stdout += String(text)));
  child.stderr.on('data', (text) => (texts.stderr += String(text)));
  const result = once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts }));
  const sees = async (text: string) => {
    while (!texts.stderr.includes(text) && child.exitCode === null)
      await Promise.race([once(child.stderr, 'data'), once(child, 'close')]);
  };
  return { child, result, sees };
}

const flow = path.join(folder, 'flow.json');
const wanted = sampleFlow('remote');

test('a run is started as the user of the token, with unchanged paths, and Ctrl-C cancels it on the server', async () => {
  writeFileSync(flow, JSON.stringify(wanted));
  const { child, result, sees } = start(['run', flow]);
  await sees('\nQUEUED');
  child.kill('SIGINT');
  const { code, stdout, stderr } = await result;
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('Cancelling the run') });
  expect(stdout).toContain('remote: CANCELED');
  const flows = (await api.call('GET', '/api/v1/flows', { user: alice })).body as { flows: object[] };
  expect(flows.flows).toMatchObject([{ owner: 'alice', flow: wanted.flow }]);
});

test('a flow with the same name of another user is not touched', async () => {
  writeFileSync(flow, JSON.stringify({ ...wanted, description: 'of bob' }));
  // The store in memory has one name space; with a real one, bob gets a flow of his own.
  expect(await start(['run', flow], bob).result).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('FLOW_ALREADY_EXISTS'),
  });
  const flows = (await api.call('GET', '/api/v1/flows', { user: alice })).body as { flows: { description?: string }[] };
  expect(flows.flows.map(({ description }) => description)).not.toContain('of bob');
});

test('documents are converted there and written here; the task belongs to the user', async () => {
  writeFileSync(path.join(folder, 'note.md'), 'words');
  const done = await start(['convert', 'note.md', '--to', 'md', '-o', 'out', '--json']).result;
  expect(done).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('success') });
  expect(JSON.parse(done.stdout)).toMatchObject({ totals: { succeeded: 1 }, documents: [{ source: 'note.md' }] });
  expect(readFileSync(path.join(folder, 'out', 'note.md'), 'utf8')).toContain('note.md');
  expect(conversion.requests.at(-1)?.tenant).toContain('user/alice/');
  const wrong = await start(['convert', 'note.md', '--password', 'x', '--to', 'chunks', '--json']).result;
  expect(wrong).toMatchObject({ code: 2, stdout: expect.stringContaining('--password, --to chunks') });
});

test('a user who may not read the audit log gets an explanation', async () => {
  expect(await start(['audit']).result).toMatchObject({ code: 1, stderr: expect.stringContaining('FORBIDDEN') });
});

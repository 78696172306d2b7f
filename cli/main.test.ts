import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkProbes } from '../services/process/probes';
import { runMain } from '../test/support/code/run-main';

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-main-'));
const before = { ...process.env };
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  process.env = { ...before };
});

const nowhere = path.join(folder, 'nowhere');
test.each([
  [['nonsense']],
  [['--nonsense']],
  [['run']],
  [['run', nowhere]],
  [['validate', nowhere]],
  [['convert', nowhere]],
  [['convert', path.join(folder, '*.pdf')]],
  [['search', '--limit', 'many']],
  [['operators', 'nonsense']],
  [['models', 'nonsense']],
  [['models', 'add', 'nonsense']],
  [['models', 'add', '--nonsense']],
  [['models', 'check', '--nonsense']],
  [['new', 'operator']],
  [['new', 'operator', 'Nonsense']],
  [['new', 'operator', 'chunker']],
  [['new', 'operator', 'word_count', '--folder', '/proc/docloom/a']],
  [['graph', 'nonsense']],
  [['graph', 'inspect', nowhere]],
  [['graph', 'build', nowhere, nowhere]],
  [['token']],
  [['up', '--port', '70000']],
  [['runs', '--server', 'nonsense']],
  [['cancel']],
  [['login']],
  [['login', '--server', 'http://docs.example.org', '--password-stdin']],
  [['logout', '--server', 'https://docs.example.org']],
  [['search', 'x', '--server', 'https://docs.example.org', '--user', 'alice']],
])('misuse exits 2: docloom %j', async (argv) => {
  const { code, err } = await runMain(...argv);
  expect({ code, isTold: err.length > 0 }).toEqual({ code: 2, isTold: true });
  expect(err).not.toMatch(/\n +at /);
});

test.each([
  ['CONVERT', "Unknown command 'CONVERT'. Did you mean convert?"],
  ['serach', "Unknown command 'serach'. Did you mean search?"],
  ['nonsense', "Unknown command 'nonsense'."],
])('an unknown command suggests the one that was probably meant: %s', async (word, message) => {
  expect((await runMain(word)).err).toBe(`docloom: ${message} (VALIDATION_ERROR)\n`);
});

test.each([
  [['models', 'lst'], "Unknown command 'lst'. Did you mean list?"],
  [['graph', 'extrct'], "Unknown command 'extrct'. Did you mean extract?"],
  [['help', 'serach'], "Unknown command 'serach'. Did you mean search?"],
  [['token', '--usr', 'alice'], "Unknown option '--usr'. Did you mean --user?"],
  [['graph', 'extract', 'a.pdf', '--tempate', 'x'], "Unknown option '--tempate'. Did you mean --template?"],
  [['search', 'x', '--user', ' '], "' ' is not a value of --user <name>. It must not be empty."],
  [['runs', '--limit', '0'], "'0' is not a value of --limit <n>. It must be a whole number from 1 to 100."],
  [
    ['access-sync', 'first.json'],
    "'first.json' is not the id of a flow; the address of its page in the console ends in it.",
  ],
])('a mistake is named with what was meant: docloom %j', async (argv, message) => {
  expect((await runMain(...argv)).err).toBe(`docloom: ${message} (VALIDATION_ERROR)\n`);
});

test('help shows no default for an option that has none, and backup names the missing key file', async () => {
  for (const command of ['run', 'search', 'token'])
    expect((await runMain(command, '--help')).out).not.toMatch(/default: (\[\]|"")/);
  const { code, err } = await runMain('backup', path.join(folder, 'b'), '--key-file', nowhere);
  expect({ code, err }).toEqual({
    code: 2,
    err: `docloom: There is no key file '${nowhere}'. (INVALID_CONFIGURATION)\n`,
  });
});

test('a full disk behind standard output is reported in one line', () => {
  const { status, stderr } = spawnSync('bash', ['-c', `"${process.execPath}" bin/docloom operators > /dev/full`], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'docloom: Standard output cannot be written: ENOSPC: no space left on device, write.\n',
  });
});

test('what is wrong with a flow file is said once', async () => {
  const file = path.join(folder, 'empty.json');
  writeFileSync(file, '{}');
  const { err } = await runMain('validate', file);
  expect(err.split("must have the member 'flow_name'")).toHaveLength(2);
  expect((await runMain('run', folder)).err).toContain(`'${folder}' is a folder: expected the path of a JSON file.`);
});

test('an invalid value of an option is reported with the valid ones', async () => {
  expect((await runMain('completion', 'tcsh')).err).toBe(
    "docloom: 'tcsh' is not a value of shell. Expected one of: bash, zsh, fish. (VALIDATION_ERROR)\n",
  );
  expect((await runMain('convert', folder, '--jobs', 'x')).err).toBe(
    "docloom: 'x' is not a value of --jobs <n>. It must be a whole number from 1. (VALIDATION_ERROR)\n",
  );
});

test.each([
  [['validate', nowhere, '--json'], 'FLOW_NOT_FOUND'],
  [['convert', nowhere, '--json'], 'SOURCE_NOT_FOUND'],
  [['operators', 'nonsense', '--json'], 'NOT_FOUND'],
  [['search', '--limit', 'many', '--json'], 'VALIDATION_ERROR'],
  [['nonsense', '--json'], 'VALIDATION_ERROR'],
  [['graph', 'inspect', nowhere, '--json'], 'GRAPH_CONFIGURATION_INVALID'],
])('with --json the error is an object on standard output: docloom %j', async (argv, expected) => {
  const { out } = await runMain(...argv);
  expect(JSON.parse(out)).toMatchObject({ ok: false, code: expected, message: expect.any(String) });
});

test('a data folder that cannot be created is reported on one line, without a stack trace', async () => {
  writeFileSync(path.join(folder, 'file'), '');
  process.env['DOCLOOM_DATA'] = path.join(folder, 'file', 'data');
  const { code, err } = await runMain('up');
  expect(code).toBe(2);
  expect(err).toContain(path.join(folder, 'file', 'data'));
  expect(err.trimEnd().split('\n')).toHaveLength(1);
});

test('a data folder below /proc, where the recursive mkdir of Node never returns, is refused', async () => {
  process.env['DOCLOOM_DATA'] = '/proc/docloom/data';
  expect(await runMain('up')).toMatchObject({ code: 2, err: expect.stringContaining("mkdir '/proc/docloom'") });
});

test('commands that call an api explain how to start one', async () => {
  process.env['DOCLOOM_DATA'] = path.join(folder, 'data');
  process.env['XDG_CONFIG_HOME'] = folder;
  const here = await runMain('runs', '--json');
  expect(here.code).toBe(1);
  expect(JSON.parse(here.out)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(here.err).toMatch(/docloom up.*--server/);
  const there = await runMain('runs', '--server', 'https://docs.example.org');
  expect(there.err).toContain('docloom login --server https://docs.example.org');
});

test('a search in a folder without an installation starts none', async () => {
  process.env['DOCLOOM_DATA'] = path.join(folder, 'none');
  // With the servers of the suite, the search would use those.
  delete process.env['TEMPORAL_ADDRESS'];
  const { code, err } = await runMain('search', 'x');
  expect(code).toBe(1);
  expect(err).toContain(`There is no installation in ${folder}/none`);
  expect(err).not.toContain('starting');
});

test('status, down and logs report that nothing is running', async () => {
  process.env['DOCLOOM_DATA'] = path.join(folder, 'data');
  expect(await runMain('status')).toMatchObject({ code: 1, out: `Docloom is not running in ${folder}/data.\n` });
  expect(await runMain('down')).toMatchObject({ code: 0, out: `Docloom is not running in ${folder}/data.\n` });
  expect((await runMain('logs')).code).toBe(1);
});

test('status of another machine lists what its api is missing', async () => {
  const { isReady, checks } = await checkProbes({ mongo: () => Promise.reject(new Error('no answer')) }, 1_000);
  const server = createServer((_request, response) => {
    response.writeHead(isReady ? 200 : 503).end(JSON.stringify({ status: 'not ready', checks }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { code, out } = await runMain('status', '--server', address);
    expect({ code, out }).toEqual({ code: 1, out: `${address}: not ready\nThe API misses mongo: no answer\n` });
  } finally {
    server.close();
  }
});

test('logs prints the last lines of each log, or of the named logs', async () => {
  process.env['DOCLOOM_DATA'] = path.join(folder, 'logged');
  mkdirSync(path.join(folder, 'logged', 'logs'), { recursive: true });
  writeFileSync(path.join(folder, 'logged', 'logs', 'api.log'), 'one\ntwo\nthree\n');
  writeFileSync(path.join(folder, 'logged', 'logs', 'up.log'), 'started\n');
  expect((await runMain('logs', '-n', '2')).out).toBe('api | two\napi | three\nup | started\n');
  expect((await runMain('logs', 'up')).out).toBe('up | started\n');
  expect(await runMain('logs', 'nonsense')).toMatchObject({ code: 2, err: expect.stringContaining('api, up') });
});

test('help and version exit 0', async () => {
  expect(await runMain('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  expect(await runMain('run', '--help')).toMatchObject({ code: 0, out: expect.stringContaining('--set') });
  expect(await runMain('models', 'add', '--help')).toMatchObject({ code: 0 });
});

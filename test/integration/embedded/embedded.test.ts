import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fetchArchive } from '../../../embedded/archive';
import { install } from '../../../embedded/install';
import { tryLock } from '../../../embedded/lock';
import { chooseFreePort } from '../../../embedded/ports';
import { isRunning, buildMark } from '../../../embedded/process-mark';
import { readStoredSecret } from '../../../embedded/secret';
import type { Context, InstallStep, ServerRecipe } from '../../../embedded/server';
import { type ServerProcess, startProcess } from '../../../embedded/server-process';
import { temporal } from '../../../embedded/servers/temporal';

const root = path.join(__dirname, '..', '..', '..');
const sleeper = { command: 'sleep', args: ['1000'], env: process.env };
let folder: string;

beforeAll(() => {
  // The other processes of these tests run the compiled code.
  const built = spawnSync(process.execPath, [path.join(root, 'scripts', 'build.js')], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'docloom-embedded-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script in another Node process that has `embedded` (a folder of compiled modules) and `folder` at hand. */
function inAnotherProcess(
  script: string,
): ChildProcessWithoutNullStreams & { output: () => string; ended: Promise<number | null> } {
  const head = `const folder = ${JSON.stringify(folder)}; const embedded = (name) => require(${JSON.stringify(path.join(root, 'dist', 'embedded'))} + '/' + name);`;
  const child = spawn(process.execPath, ['-e', head + script]);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return Object.assign(child, { output: () => text, ended });
}

async function until(condition: () => boolean, value: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; !condition();) {
    if (Date.now() > deadline) throw new Error(`not within 20 s: ${value}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function deadMark(): { pid: number; started: string } {
  const { pid } = spawnSync('true');
  return { pid, started: buildMark(process.pid).started };
}

const context = (): Context & { lines: string[] } => {
  const lines: string[] = [];
  return {
    dataDir: folder,
    cacheDir: path.join(folder, 'cache'),
    env: process.env,
    log: (line) => lines.push(line),
    lines,
  };
};
const getRecipe = (...steps: InstallStep[]): ServerRecipe => ({
  ...temporal,
  title: 'Fake',
  folder: 'fake-1',
  findOnPath: undefined,
  steps,
});
const getStep = (run: InstallStep['run'], step: Partial<InstallStep> = {}): InstallStep => ({
  origin: 'build',
  text: 'making it',
  size: '1 kB',
  time: 'a moment',
  needs: [],
  run,
  ...step,
});

describe('getting a server', () => {
  test('two concurrent processes build it once', async () => {
    const script = `
      const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
      const run = async (target) => {
        appendFileSync(folder + '/builds', process.pid + '\\n');
        while (!existsSync(folder + '/go')) await new Promise((resolve) => setTimeout(resolve, 20));
        writeFileSync(target + '/program', 'made');
      };
      const recipe = { title: 'Fake', version: '1', folder: 'fake-1', setting: 'X', steps: [{ origin: 'build', text: 'making it', size: '1 kB', time: 'a moment', needs: [], run }] };
      embedded('install').install(recipe, { dataDir: folder, cacheDir: folder + '/cache', env: {}, log: (line) => console.log(line) }).then((made) => console.log('origin ' + made.origin));`;
    const both = [inAnotherProcess(script), inAnotherProcess(script)];
    await until(() => both.some((child) => child.output().includes('is getting it; waiting')), 'one of them waits');
    writeFileSync(path.join(folder, 'go'), '');
    expect(await Promise.all(both.map((child) => child.ended))).toEqual([0, 0]);
    expect(new Set(both.map((child) => /origin (\w+)/.exec(child.output())?.[1]))).toEqual(new Set(['build', 'cache']));
    expect(readFileSync(path.join(folder, 'builds'), 'utf8').trim().split('\n')).toHaveLength(1);
    expect(readdirSync(path.join(folder, 'cache')).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('leftovers of a killed build are removed and never used as the server', async () => {
    const left = path.join(folder, 'cache', 'fake-1.part-1');
    mkdirSync(left, { recursive: true });
    writeFileSync(path.join(left, 'half'), '');
    const installation = await install(
      getRecipe(getStep(async (target) => writeFileSync(path.join(target, 'whole'), ''))),
      context(),
    );
    expect(readdirSync(installation.path)).toEqual(['whole']);
    expect(existsSync(left)).toBe(false);
  });

  test('the next step is tried when one fails, with a line per failure', async () => {
    const here = context();
    const failing = getStep(async () => Promise.reject(new Error('no network')), {
      origin: 'download',
      text: 'downloading it',
    });
    const installation = await install(
      getRecipe(
        failing,
        getStep(async (target) => writeFileSync(path.join(target, 'x'), '')),
      ),
      here,
    );
    expect(installation.origin).toBe('build');
    expect(here.lines).toEqual(
      expect.arrayContaining([
        expect.stringContaining('downloading it: failed: no network'),
        expect.stringMatching(/^Fake [\d.]+: making it \(1 kB, a moment, once\)$/),
      ]),
    );
  });

  test('when no step works the error names each, what to install, and the setting', async () => {
    const here = { ...context(), env: { PATH: folder } };
    const needsGo = getStep(async () => undefined, { text: 'building it', needs: ['go'] });
    const failing = getStep(async () => Promise.reject(new Error('no network')), {
      origin: 'download',
      text: 'downloading it',
    });
    await expect(install(getRecipe(failing, needsGo), here)).rejects.toMatchObject({
      code: 'EMBEDDED_SERVER_FAILED',
      message: expect.stringMatching(
        /downloading it: no network[\s\S]*building it: go is missing, install Go[\s\S]*set TEMPORAL_ADDRESS/,
      ),
    });
    expect(existsSync(path.join(folder, 'cache', 'fake-1'))).toBe(false);
  });
});

describe('archives', () => {
  test.each(['wrapped', 'flat'])('a %s release archive is unpacked with its files at the top', async (kind) => {
    const tree = path.join(folder, 'tree', kind === 'wrapped' ? 'release-1' : '.');
    mkdirSync(path.join(tree, 'bin'), { recursive: true });
    writeFileSync(path.join(tree, 'bin', 'program'), 'made', { mode: 0o755 });
    writeFileSync(path.join(tree, 'LICENSE'), '');
    const archive = path.join(folder, 'a.tar.gz');
    spawnSync('tar', ['-czf', archive, '-C', path.join(folder, 'tree'), kind === 'wrapped' ? 'release-1' : '.']);
    const server = createHttpServer((_request, response) => response.end(readFileSync(archive)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/a.tar.gz`;
    const checksum = createHash('sha256').update(readFileSync(archive)).digest('hex');
    const target = path.join(folder, 'target');
    mkdirSync(target);
    await fetchArchive('Fake', { url, algorithm: 'sha256', checksum }, target, context());
    expect(new Set(readdirSync(target))).toEqual(new Set(['LICENSE', 'bin']));
    expect(statSync(path.join(target, 'bin', 'program')).mode & 0o111).not.toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('locks', () => {
  test('a lock cannot be acquired twice by this process, and is free after its release', () => {
    const file = path.join(folder, 'lock');
    const lock = tryLock(file);
    expect(tryLock(file)).toBeUndefined();
    lock?.release();
    expect(tryLock(file)).toBeDefined();
  });

  test('the lock of a dead process is replaced', () => {
    const file = path.join(folder, 'lock');
    writeFileSync(file, JSON.stringify(deadMark()));
    expect(tryLock(file)).toBeDefined();
  });

  test('a reused process number does not keep a lock', () => {
    const file = path.join(folder, 'lock');
    writeFileSync(file, JSON.stringify({ pid: process.pid, started: 'earlier' }));
    expect(tryLock(file)).toBeDefined();
  });
});

describe('processes', () => {
  const started: ServerProcess[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((child) => child.stop(0)));
  });

  test('an orphan of a killed parent is ended by the next start', async () => {
    const parent = inAnotherProcess(
      `embedded('server-process').startProcess('fake', { command: 'sleep', args: ['1000'], env: process.env }, folder).then((child) => console.log('pid ' + child.pid)); setInterval(() => {}, 1000);`,
    );
    await until(() => parent.output().includes('pid '), 'the parent started its child');
    const orphan = buildMark(Number(/pid (\d+)/.exec(parent.output())?.[1]));
    parent.kill('SIGKILL');
    await parent.ended;
    expect(isRunning(orphan)).toBe(true);
    started.push(await startProcess('fake', sleeper, folder));
    expect(isRunning(orphan)).toBe(false);
  });

  test('a server whose owner lives is not touched', async () => {
    const first = await startProcess('fake', sleeper, folder);
    started.push(first);
    await expect(startProcess('fake', sleeper, folder)).rejects.toMatchObject({
      code: 'ALREADY_RUNNING',
      message: expect.stringContaining(String(first.pid)),
    });
    expect(first.hasExited()).toBe(false);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('no child outlives a parent that receives %s', async (signal) => {
    const parent = inAnotherProcess(
      `embedded('server-process').startProcess('fake', { command: 'sleep', args: ['1000'], env: process.env }, folder).then((child) => console.log('pid ' + child.pid)); setInterval(() => {}, 1000);`,
    );
    await until(() => parent.output().includes('pid '), 'the parent started its child');
    const child = buildMark(Number(/pid (\d+)/.exec(parent.output())?.[1]));
    parent.kill(signal);
    expect(await parent.ended).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(isRunning(child)).toBe(false);
  });

  test('a child that ignores SIGTERM is killed after the grace time', async () => {
    const child = await startProcess(
      'stubborn',
      { command: 'bash', args: ['-c', 'trap "" TERM; echo trapped; while :; do sleep 1; done'], env: process.env },
      folder,
    );
    await until(() => readFileSync(child.logFile, 'utf8').includes('trapped'), 'the trap is set');
    await child.stop(100);
    expect((await child.exited).signal).toBe('SIGKILL');
    expect(existsSync(path.join(folder, 'servers', 'stubborn.json'))).toBe(false);
  });

  test('a program that does not exist is an error with its name', async () => {
    await expect(
      startProcess('absent', { command: 'no-such-program', args: [], env: process.env }, folder),
    ).rejects.toThrow(/'no-such-program' could not be started/);
  });
});

describe('ports and secrets', () => {
  test('another port is used when the default one is taken, and no port is used twice', async () => {
    const holder: Server = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as { port: number };
    const got = [await chooseFreePort(port), await chooseFreePort(port)];
    expect(new Set([port, ...got]).size).toBe(3);
    await new Promise((resolve) => holder.close(resolve));
  });

  test('the secret of a data folder is created once and readable by its owner only', () => {
    const secret = readStoredSecret(folder);
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(readStoredSecret(folder)).toBe(secret);
    expect(statSync(path.join(folder, 'jwt-secret')).mode & 0o777).toBe(0o600);
  });
});

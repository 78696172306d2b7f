import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { isRunning, buildMark } from '../../../embedded/process-mark';
import { readStack } from '../../../embedded/stack';
import { until } from '../../support/system/system';

const bin = path.join(__dirname, '..', '..', '..', 'bin', 'docloom');
let dataDir: string;
let env: NodeJS.ProcessEnv;

beforeAll(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'docloom-stack-'));
  const name = path.basename(dataDir);
  const database = new URL(process.env['MONGODB_URL'] ?? '');
  database.pathname = `/${name}`;
  // No secret given, so that one is made.
  env = {
    ...process.env,
    DOCLOOM_DATA: dataDir,
    DOCLOOM_TASK_QUEUE: name,
    SEARCH_DEFAULT_INDEX: name.toLowerCase(),
    MONGODB_URL: database.href,
    JWT_SECRET_KEY: undefined,
  };
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  const client = await MongoClient.connect(env['MONGODB_URL'] as string);
  await client.db().dropDatabase();
  await client.close();
});

interface Up {
  process: ChildProcessWithoutNullStreams;
  ended: Promise<number | null>;
  output: () => { out: string; err: string };
}

function up(...args: string[]): Up {
  const child = spawn(process.execPath, [bin, 'up', ...args], { env });
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { process: child, ended, output: () => text };
}

async function docloom(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [bin, ...args], { env });
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()));
  return { code: await new Promise<number | null>((resolve) => child.once('close', resolve)), ...text };
}

async function untilUp(started: Up): Promise<void> {
  const early = started.ended.then((code) =>
    Promise.reject(new Error(`up ended with ${code}: ${started.output().err}`)),
  );
  const line = new Promise<void>((resolve) =>
    started.process.stdout.on('data', () => started.output().out.includes('\n') && resolve()),
  );
  await Promise.race([early, line]);
}

interface Summary {
  api: string;
  docs: string;
  pid: number;
  servers: { name: string; origin: string }[];
  processes: { name: string; pid: number }[];
}

test('up serves the api until SIGINT, rejects a second up, and leaves nothing behind', async () => {
  const first = up('--json');
  await untilUp(first);
  const summary = JSON.parse(first.output().out) as Summary;
  expect(summary.servers.map(({ name, origin }) => `${name} ${origin}`)).toEqual([
    'temporal environment',
    'mongo environment',
    'search environment',
  ]);
  expect(await (await fetch(`${summary.api}/health`)).json()).toEqual({ status: 'ok' });
  expect((await fetch(summary.docs)).status).toBe(200);
  expect(statSync(path.join(dataDir, 'stack.json')).mode & 0o777).toBe(0o600);
  const secret = readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8');
  expect(readFileSync(path.join(dataDir, 'stack.json'), 'utf8')).not.toContain(secret);
  expect(await readStack(dataDir)).toMatchObject({
    apiAddress: summary.api,
    owner: { pid: first.process.pid },
    env: { DOCLOOM_DATA: dataDir },
  });

  const second = up('--json');
  expect(await second.ended).toBe(1);
  expect(second.output().err).toContain(`Docloom is already running in ${dataDir}`);
  expect(second.output().err).toContain(summary.api);
  expect(second.output().err).toContain('ALREADY_RUNNING');

  const marks = summary.processes.map(({ pid }) => buildMark(pid));
  // npm sends a Ctrl-C on to its child, which had it from the terminal already.
  first.process.kill('SIGINT');
  first.process.kill('SIGINT');
  expect(await first.ended).toBe(0);
  expect(marks.filter((mark) => isRunning(mark))).toEqual([]);
  expect(existsSync(path.join(dataDir, 'stack.json'))).toBe(false);
  expect(await readStack(dataDir)).toBeUndefined();
});

test('after a SIGKILL the next up stops leftovers and takes over, with the same secret', async () => {
  const first = up('--json');
  await untilUp(first);
  const left = (JSON.parse(first.output().out) as Summary).processes.map(({ pid }) => buildMark(pid));
  const secret = readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8');
  first.process.kill('SIGKILL');
  await first.ended;
  expect(await readStack(dataDir)).toBeUndefined();
  expect((await docloom('status')).out).toContain('left running: api, worker; docloom down stops them');

  const second = up();
  await untilUp(second);
  expect(left.filter((mark) => isRunning(mark))).toEqual([]);
  // The leftover held the port, which is not another program's.
  expect(second.output().err).not.toContain('in use');
  expect(second.output().out).toMatch(/^Docloom is up\. Ctrl-C stops it\.\n {2}Console +http:.*\n {2}API +http:/);
  expect(second.output().out).toContain('docloom token --user NAME');
  expect(readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8')).toBe(secret);
  second.process.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('after a SIGKILL of up, down stops what it left running', async () => {
  const started = up('--json');
  await untilUp(started);
  const left = (JSON.parse(started.output().out) as Summary).processes.map(({ pid }) => buildMark(pid));
  started.process.kill('SIGKILL');
  await started.ended;
  expect(await docloom('down')).toMatchObject({ code: 0, out: expect.stringContaining('api, worker') });
  expect(left.filter((mark) => isRunning(mark))).toEqual([]);
  expect((await docloom('down', '--json')).out).toContain('"was_running":false');
});

test('a killed worker and a killed api are restarted on the same ports, logged and recorded', async () => {
  const started = up('--json');
  await untilUp(started);
  const { api, processes } = JSON.parse(started.output().out) as Summary;
  for (const name of ['worker', 'api']) {
    const before = processes.find((item) => item.name === name)?.pid as number;
    process.kill(before, 'SIGKILL');
    const restarted = () => readStack(dataDir).then((stack) => (stack?.restarts?.[name] ?? 0) === 1);
    await until(`the ${name} is started again`, restarted, 60_000);
  }
  const stack = await readStack(dataDir);
  expect(stack?.apiAddress).toBe(api);
  expect((await fetch(`${api}/health`)).status).toBe(200);
  expect(stack?.processes.every(({ mark }) => isRunning(mark))).toBe(true);
  expect(started.output().err).toMatch(/Worker was ended by SIGKILL; it starts again in 1 s \(log: .*worker\.log\)/);
  expect(started.output().err).toMatch(/API runs again \(process \d+/);
  expect(readFileSync(path.join(dataDir, 'logs', 'up.log'), 'utf8')).toContain('Worker was ended by SIGKILL');
  const status = JSON.parse((await docloom('status', '--json')).out) as { parts: object[] };
  expect(status).toMatchObject({ ready: true, pid: started.process.pid, missing: { api: {}, worker: {} } });
  expect(status.parts).toContainEqual(expect.objectContaining({ name: 'api', state: 'running', restarts: 1 }));
  expect((await docloom('logs', 'up')).out).toContain('up | ');
  expect(await docloom('down')).toMatchObject({ code: 0, out: `Docloom has stopped in ${dataDir}.\n` });
  expect(await started.ended).toBe(0);

  // The next start has the same address.
  const again = up('--json');
  await untilUp(again);
  expect((JSON.parse(again.output().out) as Summary).api).toBe(api);
  again.process.kill('SIGTERM');
  expect(await again.ended).toBe(0);
});

test('a requested port that is taken is an error, not another port', async () => {
  const taken = new URL(`http://${process.env['SEARCH_HOST']}:${process.env['SEARCH_PORT']}`).port;
  const started = up('--port', taken);
  expect(await started.ended).toBe(1);
  expect(started.output().err).toContain(`port ${taken} is in use`);
  // Detected before any server is started or contacted.
  expect(started.output().err).not.toContain('Temporal:');
});

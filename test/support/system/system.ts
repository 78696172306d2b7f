import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client';
import type { RunReport } from '../../../cli/run/report';
import { type Client as ApiClient, createClient } from '../../../client';
import { createInstallationRecords } from '../../../services/installation/record';
import { connectMongo } from '../../../services/storage/mongo';
import { buildSweepScheduleId } from '../../../services/temporal/sweep-schedule';
import { freePort } from '../servers/free-port';

const root = path.join(__dirname, '..', '..', '..');
const bin = path.join(root, 'bin', 'docloom');

/** A separate Docloom (database, queue, index alias, data folder) on the servers of the environment. */
export interface System {
  env: Record<string, string>;
  /** An empty folder that flows may read; removed at the end. */
  folder: string;
  startWorker(change?: Record<string, string>): Promise<ChildProcess>;
  /** Starts the api and returns its address. */
  startApi(change?: Record<string, string>): Promise<string>;
  /** Starts `docloom …`; nothing is waited for. `change` overrides the environment. */
  spawn(args: string[], change?: Record<string, string>): Finished;
  /** `docloom run FILE --json`, to its end. */
  run(file: string, ...options: string[]): Promise<{ code: number | null; report: RunReport }>;
  /** The prefix of the task queues, with the identity of the installation. */
  queuePrefix(): Promise<string>;
  stop(): Promise<void>;
}

/** A process whose output is collected. */
export interface Finished {
  child: ChildProcess;
  result: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Creates the system; `change` overrides its environment. */
export function createSystem(change: Record<string, string> = {}): System {
  const id = randomUUID().slice(0, 8);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-e2e-'));
  const mongo = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
  mongo.pathname = `/e2e_${id}`;
  const env: Record<string, string> = {
    ...(process.env as Record<string, string>),
    MONGODB_URL: mongo.toString(),
    SEARCH_DEFAULT_INDEX: `e2e-${id}`,
    DOCLOOM_TASK_QUEUE: `e2e-${id}`,
    DOCLOOM_DATA: path.join(folder, '.docloom'),
    DOCLOOM_SOURCE_ROOTS: folder,
    DOCLOOM_DRAIN_SECONDS: '1',
    ...change,
  };
  const workers: ChildProcess[] = [];
  const start = (args: string[], own: Record<string, string> = {}): Finished =>
    collect(spawn(process.execPath, [bin, ...args], { env: { ...env, ...own }, cwd: folder }));
  return {
    env,
    folder,
    spawn: start,
    async startWorker(own = {}) {
      const port = own['DOCLOOM_METRICS_PORT'] ?? String(await freePort());
      const log = openSync(path.join(folder, 'worker.log'), 'a');
      const child = spawn(process.execPath, [bin, 'worker'], {
        env: { ...env, ...own, DOCLOOM_METRICS_PORT: port },
        cwd: folder,
        stdio: ['ignore', log, log],
      });
      workers.push(child);
      await until(
        `the worker polls; its log: ${folder}/worker.log`,
        async () => {
          if (child.exitCode !== null)
            throw new Error(
              `the worker ended:\n${readFileSync(path.join(folder, 'worker.log'), 'utf8').slice(-4_000)}`,
            );
          return (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.ok ?? false;
        },
        startMs,
      );
      return child;
    },
    async startApi(own = {}) {
      const port = change['DOCLOOM_PORT'] ?? String(await freePort());
      const log = openSync(path.join(folder, 'api.log'), 'a');
      const settings = { ...env, DOCLOOM_PORT: port, JWT_SECRET_KEY: randomUUID() + randomUUID(), ...own };
      const child = spawn(process.execPath, [bin, 'api'], { env: settings, cwd: folder, stdio: ['ignore', log, log] });
      workers.push(child);
      const address = `http://127.0.0.1:${port}`;
      await until(
        'the api answers',
        async () => (await fetch(`${address}/health`).catch(() => undefined))?.ok ?? false,
        startMs,
      );
      return address;
    },
    async run(file, ...options) {
      const { code, stdout, stderr } = await start(['run', file, '--json', ...options]).result;
      if (!stdout.trim()) throw new Error(`docloom run printed nothing (exit ${code}):\n${stderr}`);
      return { code, report: JSON.parse(stdout) as RunReport };
    },
    queuePrefix: () => getPrefix(env),
    async stop() {
      await Promise.all(
        workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).map(end),
      );
      await removeSchedule(env);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The schedule that a worker makes outlives it; a system of a test must leave nothing behind. */
async function removeSchedule(env: Record<string, string>): Promise<void> {
  const connection = await Connection.connect({ address: env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  try {
    const { schedule } = new Client({ connection });
    await schedule
      .getHandle(buildSweepScheduleId(await getPrefix(env)))
      .delete()
      .catch((error: unknown) => {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
      });
  } finally {
    await connection.close();
  }
}

async function getPrefix(env: Record<string, string>): Promise<string> {
  const mongo = connectMongo(env['MONGODB_URL'] ?? '');
  try {
    const record = await createInstallationRecords(mongo).find();
    return `${env['DOCLOOM_TASK_QUEUE']}-${record?.identity}`;
  } finally {
    await mongo.close();
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}

function collect(child: ChildProcess): Finished {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  return { child, result: once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr })) };
}

/** Starts api and worker; returns a client that is logged in as alice. */
export async function startAsAlice(system: System): Promise<ApiClient> {
  const [baseUrl] = await Promise.all([system.startApi(), system.startWorker()]);
  const { access_token: token } = await createClient({ baseUrl }).login('alice', 'alice-secret');
  return createClient({ baseUrl, token });
}

/** Beside other tests on two cores, a process takes minutes to start. */
const startMs = 180_000;

/** Waits for a condition, at most `limitMs`; the error of a timeout contains `what`. */
export async function until(
  value: string,
  condition: () => Promise<boolean> | boolean,
  limitMs = 150_000,
): Promise<void> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline;) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${limitMs} ms until ${value}`);
}

/**
 * A TCP proxy in front of a server that can be closed, so that the server appears unavailable. `host` may be the path of a
 * socket.
 */
export async function createDoor(
  host: string,
  port: number,
): Promise<{ port: number; shut(): void; open(): Promise<void>; close(): void }> {
  const sockets = new Set<net.Socket>();
  const serve = () =>
    net.createServer((client) => {
      const upstream = host.startsWith('/') ? net.connect(host) : net.connect(port, host);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
      }
      client.pipe(upstream).pipe(client);
    });
  const own = await freePort();
  let server = serve().listen(own, '127.0.0.1');
  await once(server, 'listening');
  const shut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: own,
    shut,
    close: shut,
    async open() {
      server = serve().listen(own, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}

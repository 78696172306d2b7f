import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withoutApiSecrets } from '../model/config';
import { AppError } from '../model/errors';
import { sampleAdminGroup } from './servers/ldap';
import { type Lock, tryLock } from './lock';
import { type Environment, modelsFolder, packageRoot } from './paths';
import { freePort, loopback } from './ports';
import { giveWay } from './priority';
import { markOf } from './process-mark';
import { keptSecret } from './secret';
import { serverError } from './server';
import { type ServerProcess, startProcess, tailOf } from './server-process';
import { type RunningServers, startServers } from './servers';
import {
  type StackInfo,
  answersOk,
  describeHolder,
  lockFile,
  removeStackFile,
  withoutSecrets,
  writeStackFile,
} from './stack-file';

export { type StackInfo, readStack } from './stack-file';

/** What to start: `ldap` adds the directory of sample users; `port` is wanted exactly, else the usual one or a free one is taken. */
export interface StackOptions {
  dataDir: string;
  cacheDir: string;
  env: Environment;
  log: (line: string) => void;
  ldap: boolean;
  port?: number;
}

/** Everything running on one machine. */
export interface Stack extends StackInfo {
  /** Resolves when the api or the worker ended; while `stop` is not called, that is a failure. */
  ended: Promise<{ name: string; code: number | null; logFile: string }>;
  /** The api first, then the worker, both after a drain, then the servers; may be called more than once. */
  stop(): Promise<void>;
}

/** Starts servers, worker and api and resolves when all are ready. ALREADY_RUNNING when the data folder is in use. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = path.resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = tryLock(lockFile(dataDir));
  if (!lock) throw new AppError('ALREADY_RUNNING', describeHolder(dataDir));
  const parts: Parts = { dataDir, lock, processes: [] };
  try {
    return await bringUp({ ...options, dataDir }, parts);
  } catch (error) {
    await stopAll(parts, 0);
    throw error;
  }
}

interface Parts {
  dataDir: string;
  lock: Lock;
  servers?: RunningServers;
  processes: ServerProcess[];
}

async function bringUp(options: StackOptions, parts: Parts): Promise<Stack> {
  const { dataDir, cacheDir, log } = options;
  const which = {
    temporal: true,
    mongo: true,
    search: true,
    ldap: options.ldap,
    s3: options.env['DOCLOOM_STORAGE']?.trim() === 's3',
  };
  parts.servers = await startServers({ dataDir, cacheDir, env: options.env, log, which });
  const env = await settingsOf(options, parts.servers);
  // Two arenas: the many native threads of a worker would otherwise keep freed memory in arenas of their own.
  const full = { MALLOC_ARENA_MAX: '2', ...options.env, ...env };
  const launch = { command: process.execPath, cwd: process.cwd() };
  const environments = { worker: withoutApiSecrets(full), api: full };
  const bin = path.join(packageRoot, 'bin', 'docloom');
  const apiAddress = `http://${loopback}:${env['DOCLOOM_PORT']}`;
  for (const name of ['worker', 'api'] as const)
    parts.processes.push(await startProcess(name, { ...launch, env: environments[name], args: [bin, name] }, dataDir));
  const [worker, api] = parts.processes as [ServerProcess, ServerProcess];
  giveWay(worker.pid);
  await Promise.all([
    waitReady('Worker', worker, `http://${loopback}:${env['DOCLOOM_METRICS_PORT']}/ready`, log),
    waitReady('API', api, `${apiAddress}/health`, log, apiAddress),
  ]);
  const info: StackInfo = {
    dataDir,
    owner: markOf(process.pid),
    startedAt: new Date().toISOString(),
    apiAddress,
    docsAddress: `${apiAddress}/api/v1/docs`,
    temporalUiAddress: env['TEMPORAL_UI_ADDRESS'] ?? '',
    servers: parts.servers.servers,
    processes: [describe('api', api), describe('worker', worker)],
    env: withoutSecrets(env),
  };
  writeStackFile(info);
  const drainMs = Number(options.env['DOCLOOM_DRAIN_SECONDS']?.trim() || 10) * 1000;
  let stopping: Promise<void> | undefined;
  const ended = Promise.race(
    [api, worker].map(async (child) => ({ name: child.name, code: (await child.exited).code, logFile: child.logFile })),
  );
  return { ...info, ended, stop: () => (stopping ??= stopAll(parts, drainMs)) };
}

/** What api and worker get over the environment. */
async function settingsOf(options: StackOptions, servers: RunningServers): Promise<Record<string, string>> {
  const { env, dataDir } = options;
  const roots = [...(env['DOCLOOM_SOURCE_ROOTS'] ?? '').split(','), process.cwd()]
    .map((root) => root.trim())
    .filter(Boolean);
  const directory = servers.servers.find(({ name }) => name === 'ldap');
  return {
    TEMPORAL_UI_ADDRESS: env['TEMPORAL_UI_ADDRESS']?.trim() || 'http://127.0.0.1:8233',
    ...servers.env,
    DOCLOOM_DATA: dataDir,
    DOCLOOM_MODELS_FOLDER: modelsFolder({ ...env, DOCLOOM_CACHE: options.cacheDir }),
    DOCLOOM_PORT: String(await apiPort(options)),
    DOCLOOM_METRICS_PORT: String(Number(env['DOCLOOM_METRICS_PORT']?.trim() || 0) || (await freePort(9464))),
    DOCLOOM_SOURCE_ROOTS: [...new Set(roots)].join(','),
    JWT_SECRET_KEY: env['JWT_SECRET_KEY']?.trim() || keptSecret(dataDir),
    ...(directory && directory.origin !== 'environment'
      ? { DOCLOOM_ADMIN_GROUPS: env['DOCLOOM_ADMIN_GROUPS']?.trim() || sampleAdminGroup }
      : {}),
  };
}

async function apiPort({ port, env }: StackOptions): Promise<number> {
  const got = await freePort(port ?? Number(env['DOCLOOM_PORT']?.trim() || 8080));
  if (port !== undefined && got !== port) throw serverError('API', `port ${port} is in use; name another one`);
  return got;
}

async function waitReady(
  title: string,
  child: ServerProcess,
  address: string,
  log: (line: string) => void,
  shown?: string,
): Promise<void> {
  const start = Date.now();
  while (!(await answersOk(address))) {
    if (child.hasExited())
      throw serverError(title, `ended while it started; the log is ${child.logFile}:\n${tailOf(child.logFile)}`);
    if (Date.now() - start > 120_000)
      throw serverError(
        title,
        `is not ready after 2 minutes (${address}); the log is ${child.logFile}:\n${tailOf(child.logFile)}`,
      );
    await delay(100);
  }
  log(`${title}: ${shown ?? 'ready'} (process ${child.pid}, ${((Date.now() - start) / 1000).toFixed(1)} s)`);
}

async function stopAll(parts: Parts, drainMs: number): Promise<void> {
  removeStackFile(parts.dataDir);
  // In reverse of their start: the api first, so that nothing new comes in.
  for (const child of parts.processes.toReversed()) await child.stop(drainMs + 5000);
  await parts.servers?.stop();
  parts.lock.release();
}

function describe(name: 'api' | 'worker', child: ServerProcess): StackInfo['processes'][number] {
  return { name, mark: markOf(child.pid), logFile: child.logFile };
}

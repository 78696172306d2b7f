import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, createConversionClient, type ConversionClient } from '../../client';
import { readCacheFolder } from '../../embedded/paths';
import { chooseFreePort, releasePort } from '../../embedded/ports';
import { listRecipes, type RunningServers, startServers } from '../../embedded/servers';
import { findRunningStack, type StackInfo } from '../../embedded/stack-file';
import { readStoredPorts, storePorts } from '../../embedded/supervision/kept-ports';
import { type Part, type Supervisor, supervise } from '../../embedded/supervision/supervisor';
import { createTokens } from '../../services/login/tokens';
import { docloom } from '../support/stack';
import { type Proxy, startProxy } from './proxy';

/** The servers that api and worker reach through a proxy. */
export const servers = ['temporal', 'mongo', 'search'] as const;
/** Everything that a fault can affect. */
export const processes = ['worker', 'api', ...servers] as const;
export type ServerName = (typeof servers)[number];
export type ProcessName = (typeof processes)[number];

/** A separate installation in which every process can be disturbed. */
export interface ChaosStack {
  dataDir: string;
  /** How long a piece of work may take. */
  patienceMs: number;
  proxies: Record<ServerName, Proxy>;
  /** Addresses of the servers without the proxies. */
  direct: { mongo: string; search: string; temporal: string };
  client: Client;
  conversions: ConversionClient;
  /** The process that currently has this role; also its process group. */
  pidOf(name: ProcessName): number;
  /** Waits until the api and the worker report that they and all their servers are ready. */
  isReady(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface ChaosOptions {
  dataDir: string;
  patienceMs: number;
  log: (line: string) => void;
}

/** Starts servers, proxies in front of them, and `docloom up` behind the proxies. Processes that end are restarted. */
export async function startChaosStack({ dataDir, patienceMs, log }: ChaosOptions): Promise<ChaosStack> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const plain = { ...process.env, MONGODB_URL: undefined, TEMPORAL_ADDRESS: undefined, SEARCH_HOST: undefined };
  const serversFolder = path.join(dataDir, 'servers-of-chaos');
  const own = path.join(dataDir, 'installation');
  await keepOwnPorts(serversFolder, own);
  const running = await startServers({
    dataDir: serversFolder,
    cacheDir: readCacheFolder(process.env),
    env: plain,
    log,
    which: { temporal: true, mongo: true, search: true },
  });
  const supervisor = supervise(running.parts, { log, patience: restartPatience });
  const direct = readAddresses(running);
  const proxies = await startProxies(direct);
  const up = startUp(own, { ...plain, ...buildSettings(proxies) });
  const info = await waitUntilUp(own, up).catch(async (error: unknown) => {
    await stopAll(up, supervisor, running);
    throw error;
  });
  const secret = readFileSync(path.join(own, 'jwt-secret'), 'utf8');
  const user = { username: 'alice', email: '', full_name: '', groups: ['docloom-admins'] };
  const token = createTokens({ secret, expireMinutes: 600 }).issue(user);
  const ready = [`${info.apiAddress}/ready`, `http://127.0.0.1:${info.env['DOCLOOM_METRICS_PORT']}/ready`];
  return {
    dataDir: own,
    patienceMs,
    proxies,
    direct,
    client: createClient({ baseUrl: info.apiAddress, token }),
    conversions: createConversionClient({ baseUrl: info.apiAddress }),
    pidOf: (name) => getPid(name, running.parts, own),
    isReady: async () => (await Promise.all(ready.map(answersOk))).every(Boolean),
    stop: async () => {
      await stopAll(up, supervisor, running);
      for (const proxy of Object.values(proxies)) proxy.cut();
    },
  };
}

/** Chooses free ports instead of the default ones, which belong to the `docloom up` that people use. */
async function keepOwnPorts(serversFolder: string, installation: string): Promise<void> {
  for (const folder of [serversFolder, installation]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keep = async (folder: string, name: string, roles: readonly string[]) => {
    const ports = readStoredPorts(folder, name);
    for (const role of roles) ports[role] ??= await chooseFreePort(0);
    for (const port of Object.values(ports)) releasePort(port);
    storePorts(folder, name, ports);
  };
  for (const { name, ports } of listRecipes(serversFolder)) await keep(serversFolder, name, Object.keys(ports));
  for (const name of ['api', 'worker']) await keep(installation, name, ['main']);
}

/** Restarts without limit, because the many faults here are intended. */
const restartPatience = { maxExits: 10_000, windowMs: 60_000, firstPauseMs: 1_000, longestPauseMs: 5_000 };

function readAddresses({ env }: RunningServers): ChaosStack['direct'] {
  return {
    mongo: env['MONGODB_URL'] ?? '',
    search: `http://127.0.0.1:${env['SEARCH_PORT']}`,
    temporal: env['TEMPORAL_ADDRESS'] ?? '',
  };
}

async function startProxies({ mongo, search, temporal }: ChaosStack['direct']): Promise<Record<ServerName, Proxy>> {
  const place = decodeURIComponent(/\/\/([^/]+)\//.exec(mongo)?.[1] ?? '');
  const getPort = (address: string) => Number(address.split(':').at(-1));
  const [forTemporal, forMongo, forSearch] = await Promise.all([
    startProxy(getPort(temporal)),
    startProxy(place.startsWith('/') ? place : getPort(place)),
    startProxy(getPort(search)),
  ]);
  return { temporal: forTemporal, mongo: forMongo, search: forSearch };
}

function buildSettings({ temporal, mongo, search }: Record<ServerName, Proxy>): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
    MONGODB_URL: `mongodb://127.0.0.1:${mongo.port}/docloom`,
    SEARCH_HOST: '127.0.0.1',
    SEARCH_PORT: String(search.port),
  };
}

function startUp(dataDir: string, env: Record<string, string | undefined>): ChildProcess {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const roots = `${path.dirname(dataDir)}-documents`;
  // On the same disk as the data, which a fault may fill up.
  const temporary = path.join(path.dirname(dataDir), 'tmp');
  mkdirSync(temporary, { recursive: true });
  const output = openSync(path.join(path.dirname(dataDir), 'up.log'), 'a', 0o600);
  return spawn(process.execPath, [docloom, 'up'], {
    stdio: ['ignore', output, output],
    env: {
      ...{ ...env, DOCLOOM_DATA: dataDir, DOCLOOM_SOURCE_ROOTS: roots, DOCLOOM_DRAIN_SECONDS: '1' },
      TMPDIR: temporary,
    },
  });
}

async function waitUntilUp(dataDir: string, up: ChildProcess): Promise<StackInfo> {
  for (const deadline = Date.now() + 180_000; Date.now() < deadline; await delay(100)) {
    const info = findRunningStack(dataDir);
    if (info) return info;
    if (up.exitCode !== null) break;
  }
  throw new Error(`docloom up did not start; its output is in ${path.join(path.dirname(dataDir), 'up.log')}`);
}

function getPid(name: ProcessName, parts: readonly Part[], dataDir: string): number {
  const server = parts.find((part) => part.name === name);
  const pid = server?.process.pid ?? findRunningStack(dataDir)?.processes.find((item) => item.name === name)?.mark.pid;
  if (pid === undefined) throw new Error(`${name} does not run.`);
  return pid;
}

async function answersOk(address: string): Promise<boolean> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(3_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function stopAll(up: ChildProcess, supervisor: Supervisor, running: RunningServers): Promise<void> {
  const exited = once(up, 'exit');
  if (up.exitCode === null) {
    up.kill('SIGTERM');
    await exited;
  }
  supervisor.stop();
  await running.stop();
}

import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../model/errors';
import { rejectUnfinishedRestore } from './backup/unfinished';
import { type Lock, tryLock } from './lock';
import { type Environment, readModelsFolder, createFolder } from './paths';
import { loopback, type ReservedPort, reservePort } from './ports';
import { buildMark } from './process-mark';
import { readStoredSecret } from './secret';
import { createServerError } from './server';
import type { ServerProcess } from './server-process';
import { type RunningServer, type RunningServers, startServers } from './servers';
import { sampleAdminGroup } from './servers/ldap';
import { isStopping } from './shutdown';
import {
  type StackInfo,
  isAnsweringOk,
  describeHolder,
  buildLockPath,
  removeStackFile,
  omitSecrets,
  isWorkerPolling,
  writeStackFile,
} from './stack-file';
import { explainFailedStart, isDiskFull } from './supervision/disk-space';
import { storePorts, readStoredPorts } from './supervision/kept-ports';
import { endOrphans } from './supervision/orphans';
import { launchPart } from './supervision/own-process';
import { askApi, askWorker, watchReadiness } from './supervision/readiness';
import { type GivenUp, type Part, type Supervisor, supervise } from './supervision/supervisor';

/** What a process may take to end after its drain. */
const exitReserveMs = 5_000;

export { type StackInfo, readStack } from './stack-file';

/**
 * Options of a start. `ldap` adds the directory of sample users. `port` must be free if given; otherwise the default or any
 * free port is used.
 */
export interface StackOptions {
  dataDir: string;
  cacheDir: string;
  env: Environment;
  log: (line: string) => void;
  ldap: boolean;
  port?: number;
}

/** All processes on one machine. Processes that end are restarted on the same ports. */
export interface Stack extends StackInfo {
  /** Resolves when a process has ended too often to be restarted. */
  givenUp: Promise<GivenUp>;
  /** Stops the api, then the worker, both after draining, then the servers; may be called more than once. */
  stop(): Promise<void>;
}

/** Starts servers, worker and api, and resolves when all are ready. Throws ALREADY_RUNNING when the data folder is in use. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = path.resolve(options.dataDir);
  const lock = takeLock(dataDir);
  const parts: Parts = { dataDir, lock, processes: [], reserved: [], watch: new AbortController() };
  try {
    rejectUnfinishedRestore(dataDir);
    // They hold the ports on which this start is expected.
    await endOrphans(dataDir);
    return await bringUp({ ...options, dataDir }, parts);
  } catch (error) {
    await stopAll(parts, 0);
    // Servers that end because of Ctrl-C have not failed.
    throw isStopping()
      ? new DOMException('The start was interrupted.', 'AbortError')
      : explainFailedStart(error, dataDir);
  }
}

function takeLock(dataDir: string): Lock {
  let lock;
  try {
    createFolder(dataDir, 0o700);
    lock = tryLock(buildLockPath(dataDir));
  } catch (error) {
    throw explainFailedStart(error, dataDir);
  }
  if (!lock) throw new AppError('ALREADY_RUNNING', describeHolder(dataDir));
  return lock;
}

interface Parts {
  dataDir: string;
  lock: Lock;
  servers?: RunningServers;
  /** The worker, then the api. */
  processes: Part[];
  /** Ports of the api and of the worker's probe, bound until these start. */
  reserved: ReservedPort[];
  supervisor?: Supervisor;
  /** Aborted when the stack stops. */
  watch: AbortController;
}

async function bringUp(options: StackOptions, parts: Parts): Promise<Stack> {
  const { dataDir, cacheDir } = options;
  const log = createStackLog(options.log, dataDir);
  // Before anything starts, so that a port in use is reported immediately.
  const ports = await reservePorts(options, parts, log);
  const which = {
    temporal: true,
    mongo: true,
    search: true,
    ldap: options.ldap,
    s3: options.env['DOCLOOM_STORAGE']?.trim() === 's3',
  };
  parts.servers = await startServers({ dataDir, cacheDir, env: options.env, log, which });
  const env = buildSettings(options, parts.servers, ports);
  const apiAddress = `http://${loopback}:${ports.api}`;
  for (const reserved of parts.reserved) await reserved.release();
  const { worker, api } = await launchProcesses(options, env, { ports, parts });
  await Promise.all([worker.waitReady(log), api.waitReady(log, apiAddress)]);
  for (const name of ['api', 'worker'] as const) storePorts(dataDir, name, { main: ports[name] });
  const startedAt = new Date().toISOString();
  const describeStack = (): StackInfo => ({
    dataDir,
    owner: buildMark(process.pid),
    startedAt,
    apiAddress,
    docsAddress: `${apiAddress}/api/v1/docs`,
    temporalUiAddress: env['TEMPORAL_UI_ADDRESS'] ?? '',
    servers: (parts.servers?.servers ?? []).map((server) => updatePid(server, parts.servers?.parts ?? [])),
    processes: [describeProcess('api', api.part.process), describeProcess('worker', worker.part.process)],
    restarts: parts.supervisor?.restarts() ?? {},
    env: omitSecrets(env),
  });
  parts.supervisor = supervise([...parts.servers.parts, worker.part, api.part], {
    log,
    onChange: () => writeStackFile(describeStack()),
    isDiskFull: () => isDiskFull(dataDir),
  });
  void watchReadiness([...parts.servers.parts, worker.part, api.part], {
    ask: async () => {
      const [missing, worker] = await Promise.all([
        askApi(apiAddress),
        askWorker(`http://${loopback}:${ports.worker}`),
      ]);
      return { ...missing, ...worker };
    },
    log,
    signal: parts.watch.signal,
  });
  const info = describeStack();
  writeStackFile(info);
  const drainMs = Number(options.env['DOCLOOM_DRAIN_SECONDS']?.trim() || 10) * 1000;
  let stopping: Promise<void> | undefined;
  return { ...info, givenUp: parts.supervisor.givenUp, stop: () => (stopping ??= stopAll(parts, drainMs)) };
}

/** Starts the worker, then the api. */
async function launchProcesses(
  options: StackOptions,
  env: Record<string, string>,
  { ports, parts }: { ports: { api: number; worker: number }; parts: Parts },
) {
  const worker = await launchPart(options, env, {
    name: 'worker',
    title: 'Worker',
    port: ports.worker,
    answers: isWorkerPolling,
    path: '/ready',
    takePort: (port) => {
      ports.worker = port;
      env['DOCLOOM_METRICS_PORT'] = String(port);
    },
  });
  parts.processes.push(worker.part);
  const api = await launchPart(options, env, {
    name: 'api',
    title: 'API',
    port: ports.api,
    answers: isAnsweringOk,
    path: '/health',
  });
  parts.processes.push(api.part);
  return { worker, api };
}

/** Sends lines to the caller, and with a timestamp to `up.log`, where `docloom logs` reads them. */
function createStackLog(log: (line: string) => void, dataDir: string): (line: string) => void {
  const file = path.join(dataDir, 'logs', 'up.log');
  createFolder(path.dirname(file));
  return (line) => {
    log(line);
    try {
      appendFileSync(file, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 });
    } catch {
      // A full disk must not end what keeps the servers running.
    }
  };
}

function updatePid(server: RunningServer, parts: readonly Part[]): RunningServer {
  const part = parts.find(({ name }) => name === server.name);
  return part ? { ...server, pid: part.process.pid } : server;
}

/** The ports of api and worker: the requested ones, else those of the last start, else the default or any free ones. */
async function reservePorts(
  { dataDir, port, env }: StackOptions,
  parts: Parts,
  log: (line: string) => void,
): Promise<{ api: number; worker: number }> {
  const readNumber = (name: string) => Number(env[name]?.trim() || 0);
  const reserve = async (name: 'api' | 'worker', configuredPort: number, defaultPort: number) => {
    const preferred = configuredPort || readStoredPorts(dataDir, name)['main'] || defaultPort;
    const reserved = await reservePort(preferred);
    parts.reserved.push(reserved);
    if (name === 'api' && port === undefined && reserved.port !== preferred)
      log(`API: port ${preferred} is in use by another program; it will listen on ${reserved.port}`);
    return reserved.port;
  };
  const api = await reserve('api', port ?? readNumber('DOCLOOM_PORT'), 8080);
  if (port !== undefined && api !== port) throw createServerError('API', `port ${port} is in use; name another one`);
  return { api, worker: await reserve('worker', readNumber('DOCLOOM_METRICS_PORT'), 9464) };
}

/** Settings for api and worker in addition to the environment. */
function buildSettings(
  options: StackOptions,
  servers: RunningServers,
  ports: { api: number; worker: number },
): Record<string, string> {
  const { env, dataDir } = options;
  const roots = [...(env['DOCLOOM_SOURCE_ROOTS'] ?? '').split(','), process.cwd()]
    .map((root) => root.trim())
    .filter(Boolean);
  const directory = servers.servers.find(({ name }) => name === 'ldap');
  const hasSampleUsers = directory !== undefined && directory.origin !== 'environment';
  const adminGroups = env['DOCLOOM_ADMIN_GROUPS']?.trim() || (hasSampleUsers ? sampleAdminGroup : '');
  return {
    TEMPORAL_UI_ADDRESS: env['TEMPORAL_UI_ADDRESS']?.trim() || 'http://127.0.0.1:8233',
    ...servers.env,
    DOCLOOM_DATA: dataDir,
    DOCLOOM_MODELS_FOLDER: readModelsFolder({ ...env, DOCLOOM_CACHE: options.cacheDir }),
    DOCLOOM_PORT: String(ports.api),
    DOCLOOM_METRICS_PORT: String(ports.worker),
    DOCLOOM_SOURCE_ROOTS: [...new Set(roots)].join(','),
    JWT_SECRET_KEY: env['JWT_SECRET_KEY']?.trim() || readStoredSecret(dataDir),
    ...(adminGroups === '' ? {} : { DOCLOOM_ADMIN_GROUPS: adminGroups }),
  };
}

async function stopAll(parts: Parts, drainMs: number): Promise<void> {
  parts.watch.abort();
  parts.supervisor?.stop();
  removeStackFile(parts.dataDir);
  for (const reserved of parts.reserved) await reserved.release();
  // In reverse order of start: the api first, so that no new requests arrive.
  for (const { process: child } of parts.processes.toReversed()) await child.stop(drainMs + exitReserveMs);
  await parts.servers?.stop();
  parts.lock.release();
}

function describeProcess(name: 'api' | 'worker', child: ServerProcess): StackInfo['processes'][number] {
  return { name, mark: buildMark(child.pid), logFile: child.logFile };
}

import { setTimeout as delay } from 'node:timers/promises';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { version } from 'docloom/package.json';
import type { Config } from '../model/config';
import { AppError, asAppError } from '../model/errors';
import { addOperators, operators } from '../operators/index';
import { createDueSyncs } from '../services/identity/rights-sync';
import { verifyAtStart } from '../services/installation/places';
import type { InstallationRecord } from '../services/installation/record';
import { loadConfiguredOperators } from '../services/operator/custom-operators';
import { createLog, type Log } from '../services/process/log';
import { createOperatorCounter, createRegistry } from '../services/process/metrics';
import type { Probes } from '../services/process/probes';
import { buildOwnFolders, secretFiles } from '../services/source/closed-folders';
import { closeFolders } from '../services/storage/own-folders';
import { readQueuePrefix } from '../services/temporal/client';
import { ensureSearchAttributes } from '../services/temporal/search-attributes';
import { ensureSweep } from '../services/temporal/sweep-schedule';
import { readTemporalTls } from '../services/temporal/tls';
import { startTracing, type Tracing } from '../services/tracing/tracing';
import { createActivities } from './activities';
import { waitUntilDrained } from './drain';
import { startDueSyncs } from './identity/due-syncs';
import { serveProbe } from './probe';
import { createQueueWorkers } from './queues';
import { type ConnectedServices, connectServices } from './services';
import { ensureWorkflowBundle } from './workflow-bundle';

/** Pause between attempts of a migration. */
const migrationPauseMs = 5_000;

/** A running worker. `stop` lets running activities finish within the drain time, then resolves. */
export interface RunningWorker {
  stop(): Promise<void>;
  /** Resolves when the worker has stopped; rejects when it failed. */
  done: Promise<void>;
}

/**
 * Connects, verifies that database, store and index belong to one installation (INSTALLATION_MISMATCH otherwise), bundles the
 * workflows and polls the task queues until `stop`.
 */
export async function startWorker(config: Config, env: Record<string, string | undefined>): Promise<RunningWorker> {
  const log = createLog(config.DS_LOG_LEVEL, { process: 'worker' });
  const traces = await installRuntime(config, log);
  const dataFolders = buildOwnFolders(config);
  for (const problem of closeFolders(dataFolders.data, dataFolders.cache, secretFiles)) log.warn(problem);
  const state: State = { ready: false, connected: false, proven: false, reason: 'connecting to Temporal' };
  const registry = createRegistry();
  const services = connectServices(config, env);
  const probes = readProbes(state, services);
  const probe = await serveProbe(config, probes, registry);
  await addConfiguredOperators(config);
  const stopping = new AbortController();
  const warn = (message: string) => {
    state.waiting = message;
    log.warn(message);
  };
  const connecting = connectWhenReady(config, log, state);
  const { installation, failed } = verifyAtStart(services.installation, { warn, signal: stopping.signal });
  const close = async (): Promise<void> => {
    state.ready = false;
    stopping.abort();
    await services.close().then(() => traces.close());
    probe?.close();
  };
  try {
    const record = await Promise.race([installation, failed]);
    state.proven = true;
    const input = { config, env, log, services, connecting, record, registry, state, signal: stopping.signal };
    const { done: polled, stop } = await poll(input);
    failed.catch((error: unknown) => {
      log.error({ error: asAppError(error).message }, 'worker stops');
      stop();
    });
    const runToEnd = async (): Promise<void> => {
      try {
        await Promise.race([failed, polled]);
      } finally {
        // Let running work finish first.
        await polled.catch(() => undefined);
        await close();
      }
    };
    const done = runToEnd();
    done.catch(() => undefined);
    return {
      done,
      async stop() {
        Object.assign(state, { ready: false, reason: 'draining' });
        stop();
        await done;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function addConfiguredOperators(config: Config): Promise<void> {
  const names = operators.map(({ name }) => name);
  addOperators(await loadConfiguredOperators(config, names));
}

/** Progress of the start. */
interface State {
  ready: boolean;
  /** Temporal is connected and has the search attributes that runs need. */
  connected: boolean;
  /** Database and store are verified to belong to one installation. */
  proven: boolean;
  /** Why the worker does not poll yet. */
  reason: string;
  /** Why the installation is not verified yet. */
  waiting?: string;
}

interface Polling {
  config: Config;
  env: Record<string, string | undefined>;
  log: Log;
  services: ConnectedServices;
  connecting: Promise<NativeConnection>;
  record: InstallationRecord;
  registry: ReturnType<typeof createRegistry>;
  state: State;
  signal: AbortSignal;
}

/** Polls the queues of the installation, and those of an earlier version until they are drained. */
async function poll(polling: Polling): Promise<{ done: Promise<void>; stop: () => void }> {
  const { config, env, log, services, connecting, record, registry, state, signal } = polling;
  const temporal = services.temporal;
  const [connection, bundle] = await Promise.all([connecting, ensureWorkflowBundle()]);
  await retryUntilReady(config, log, state, () => ensureSweep(temporal));
  const waitMs = config.DOCLOOM_WAIT_HOURS * 3_600_000;
  const activities = createActivities({
    operators,
    ...services,
    env,
    retentionDays: config.DOCLOOM_TABLE_RETENTION_DAYS,
    waitMs,
    count: createOperatorCounter(
      registry,
      operators.map(({ name }) => name),
    ),
  });
  const prefix = await readQueuePrefix(temporal);
  const polled = { config, connection, temporal, bundle, activities, privateTexts: services.privateTexts, waitMs };
  const build = config.DOCLOOM_WORKER_BUILD || undefined;
  const workers = await createQueueWorkers(prefix, { ...polled, build });
  const earlier = record.drained ? [] : await createQueueWorkers(config.DOCLOOM_TASK_QUEUE, polled);
  if (earlier.length > 0) void drainEarlier(polling, earlier);
  const runToEnd = async (): Promise<void> => {
    try {
      await Promise.all([...workers, ...earlier].map((worker) => worker.run()));
    } catch (error) {
      log.error({ error: asAppError(error).message }, 'worker broke');
      throw error;
    } finally {
      state.ready = false;
      await connection.close();
    }
  };
  const done = runToEnd();
  state.ready = !signal.aborted;
  void migrateStored(polling);
  void startDueSyncs({ ...services, log, dueSyncs: createDueSyncs(temporal) }, signal);
  const prefixes = earlier.length > 0 ? [prefix, config.DOCLOOM_TASK_QUEUE] : [prefix];
  const deployment = build === undefined ? {} : { deployment: prefix, build };
  log.info(
    { installation: record.identity, queues: prefixes, temporal: config.TEMPORAL_ADDRESS, ...deployment },
    'worker polls',
  );
  return { done, stop: () => shutDown([...workers, ...earlier]) };
}

function shutDown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}

/** Migrates stored data in the background, since both forms can be read. Retries until it succeeds or the worker stops. */
async function migrateStored({ log, services, signal }: Polling): Promise<void> {
  for (; !signal.aborted; await delay(migrationPauseMs, undefined, { signal }).catch(() => undefined)) {
    try {
      return await services.migrate({ log: (message) => log.info(message), signal });
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: asAppError(error).message }, 'the migration of stored data is tried again');
    }
  }
}

/** Stops the workers of the earlier version's queues once those queues are empty. */
async function drainEarlier({ log, services, record, signal }: Polling, workers: Worker[]): Promise<void> {
  const queues = services.earlierQueues();
  try {
    await queues.moveSchedules();
    const { records } = services.installation;
    await waitUntilDrained({ record, records, queues, warn: (message) => log.warn(message), signal });
    shutDown(workers);
    log.info('the task queues of the earlier version are drained');
  } catch (error) {
    // The next start continues.
    if (!signal.aborted) log.warn({ error: String(error) }, 'the task queues of the earlier version stay polled');
  } finally {
    await queues.close();
  }
}

/** Each task queue has either workflows or activities. */
const expectedWarning = /^No (?:activities|workflows) registered/;

async function installRuntime(config: Config, log: Log): Promise<Tracing> {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const facts = { ...meta, error: meta?.['error'] ? String(meta['error']) : undefined };
      if (level === 'ERROR') log.error(facts, message);
      else if (level === 'WARN' && !expectedWarning.test(message)) log.warn(facts, message);
      else log.debug(facts, message);
    }),
    // The entry file decides what signals do. The runtime would swallow those that arrive before the worker polls.
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
  });
  log.debug({ level: config.DS_LOG_LEVEL }, 'runtime installed');
  return startTracing(config, 'docloom-worker', version);
}

/**
 * Temporal may start after its workers, or go down again while they start. Retries until Temporal has accepted everything that
 * runs need.
 */
async function connectWhenReady(config: Config, log: Log, state: State): Promise<NativeConnection> {
  const tls = readTemporalTls(config);
  return retryUntilReady(config, log, state, async () => {
    const connection = await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS, tls });
    try {
      await connection.workflowService.describeNamespace({ namespace: config.TEMPORAL_NAMESPACE });
      await ensureSearchAttributes(connection, config.TEMPORAL_NAMESPACE);
      state.connected = true;
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
}

async function retryUntilReady<T>(config: Config, log: Log, state: State, work: () => Promise<T>): Promise<T> {
  const address = config.TEMPORAL_ADDRESS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const { message } = asAppError(error);
      state.reason = `Temporal at ${address} is not ready: ${message}`;
      log.warn({ address, error: message }, 'waiting for Temporal');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** The checks of `/ready`. Each missing server is reported once. */
function readProbes(state: State, { probes }: ConnectedServices): Probes {
  const askDatabase = shareWhilePending(probes['mongo'] ?? (() => Promise.resolve()));
  return {
    temporal: async () => {
      if (!state.ready && !(state.connected && !state.proven))
        throw new AppError('WORKFLOW_ENGINE_UNAVAILABLE', state.reason);
    },
    ...probes,
    mongo: askDatabase,
    installation: async () => {
      if (state.proven) return;
      const isDatabaseThere = await askDatabase().then(
        () => true,
        () => false,
      );
      if (isDatabaseThere) throw new AppError('INSTALLATION_MISMATCH', state.waiting ?? 'comparing database and store');
    },
  };
}

/** Calls that begin before an earlier one has ended get its answer, so that checks of one request cannot disagree. */
function shareWhilePending(ask: () => Promise<void>): () => Promise<void> {
  let pending: Promise<void> | undefined;
  return () => (pending ??= ask().finally(() => (pending = undefined)));
}

import { createServer, type Server } from 'node:http';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Config } from '../model/config';
import { asAppError } from '../model/errors';
import { addOperators, operators } from '../operators/index';
import { configuredOperators } from '../services/operator/custom-operators';
import { ownFolders, secretFiles } from '../services/source/closed-folders';
import { closeFolders } from '../services/storage/own-folders';
import { createLog, type Log } from '../services/process/log';
import { createOperatorCounter, createRegistry, type Metrics } from '../services/process/metrics';
import { ensureSearchAttributes } from '../services/temporal/search-attributes';
import { ensureSweep } from '../services/temporal/sweep-schedule';
import { temporalOptions } from '../services/temporal/client';
import { createActivities } from './activities';
import { connectServices, graphThreads } from './services';
import { workflowBundle } from './workflow-bundle';

/** A running worker: `stop` lets running work end within the drain time, then returns. */
export interface RunningWorker {
  stop(): Promise<void>;
  /** Ends when the worker has stopped; rejects when it broke. */
  done: Promise<void>;
}

/** Connects, bundles the workflows and polls the five task queues until `stop`. */
export async function startWorker(config: Config, env: Record<string, string | undefined>): Promise<RunningWorker> {
  const log = createLog(config.DS_LOG_LEVEL, { process: 'worker' });
  installRuntime(config, log);
  const own = ownFolders(config);
  for (const problem of closeFolders(own.data, own.cache, secretFiles)) log.warn(problem);
  const state = { ready: false, reason: 'connecting to Temporal' };
  const registry = createRegistry();
  const probe = await serveProbe(config.DOCLOOM_METRICS_PORT, state, registry);
  addOperators(
    await configuredOperators(
      config,
      operators.map(({ name }) => name),
    ),
  );
  const services = connectServices(config);
  const [connection, bundle] = await Promise.all([
    connectWhenThere(config.TEMPORAL_ADDRESS, log, state),
    workflowBundle(),
  ]);
  await ensureSearchAttributes(connection, config.TEMPORAL_NAMESPACE);
  await ensureSweep(temporalOptions(config));
  const { runActivities, operatorActivities, convertActivities, graphActivities } = createActivities({
    operators,
    ...services,
    env,
    retentionDays: config.DOCLOOM_TABLE_RETENTION_DAYS,
    count: createOperatorCounter(registry),
  });
  const { namespace, dataConverter } = temporalOptions(config);
  const shared = {
    connection,
    namespace,
    ...(dataConverter ? { dataConverter } : {}),
    shutdownGraceTime: config.DOCLOOM_DRAIN_SECONDS * 1_000,
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    stickyQueueScheduleToStartTimeout: '1s',
  } as const;
  const queue = (kind: string) => `${config.DOCLOOM_TASK_QUEUE}-${kind}`;
  const onQueue = (kind: 'cpu' | 'io') =>
    Object.fromEntries(
      operators.filter((operator) => operator.queue === kind).map(({ name }) => [name, operatorActivities[name]]),
    );
  const workers = await Promise.all([
    Worker.create({ ...shared, taskQueue: queue('flow'), workflowBundle: bundle, maxCachedWorkflows: 100 }),
    Worker.create({
      ...shared,
      taskQueue: queue('cpu'),
      activities: onQueue('cpu'),
      maxConcurrentActivityTaskExecutions: config.DOCLOOM_CONVERSION_THREADS * 2,
    }),
    Worker.create({
      ...shared,
      taskQueue: queue('io'),
      activities: { ...onQueue('io'), ...runActivities, ...graphActivities },
      maxConcurrentActivityTaskExecutions: 20,
    }),
    Worker.create({
      ...shared,
      taskQueue: queue('graph'),
      activities: graphActivities,
      maxConcurrentActivityTaskExecutions: graphThreads(config),
    }),
    Worker.create({
      ...shared,
      taskQueue: queue('convert'),
      workflowBundle: bundle,
      activities: convertActivities,
      maxCachedWorkflows: 100,
      maxConcurrentLocalActivityExecutions: 64,
      maxConcurrentActivityTaskExecutions: 32,
    }),
  ]);
  const runToEnd = async (): Promise<void> => {
    try {
      await Promise.all(workers.map((worker) => worker.run()));
    } catch (error) {
      log.error({ error: asAppError(error).message }, 'worker broke');
      throw error;
    } finally {
      state.ready = false;
      await connection.close();
      await services.close();
      probe?.close();
    }
  };
  const done = runToEnd();
  state.ready = true;
  log.info(
    { queues: ['flow', 'cpu', 'io', 'graph', 'convert'].map(queue), temporal: config.TEMPORAL_ADDRESS },
    'worker polls',
  );
  return {
    done,
    async stop() {
      state.ready = false;
      state.reason = 'draining';
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}

function installRuntime(config: Config, log: Log): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      log[level === 'ERROR' ? 'error' : level === 'WARN' ? 'warn' : 'debug'](
        { ...meta, error: meta?.['error'] ? String(meta['error']) : undefined },
        message,
      );
    }),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
  });
  log.debug({ level: config.DS_LOG_LEVEL }, 'runtime installed');
}

/** Temporal may come up after its workers: try until it answers. */
async function connectWhenThere(address: string, log: Log, state: { reason: string }): Promise<NativeConnection> {
  for (;;) {
    try {
      return await NativeConnection.connect({ address });
    } catch (error) {
      state.reason = `Temporal at ${address} does not answer`;
      log.warn({ address, error: asAppError(error).message }, 'waiting for Temporal');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** /health, /ready (503 with the reason until the worker polls) and /metrics. */
async function serveProbe(
  port: number,
  state: { ready: boolean; reason: string },
  registry: Metrics,
): Promise<Server | undefined> {
  if (port === 0) return undefined;
  const server = createServer((request, response) => {
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/health') json(200, { status: 'ok' });
    else if (request.url === '/ready')
      json(
        state.ready ? 200 : 503,
        state.ready ? { status: 'ready' } : { status: 'unavailable', reason: state.reason },
      );
    else if (request.url === '/metrics') {
      void registry
        .metrics()
        .then((text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text))
        .catch(() => json(500, { status: 'metrics cannot be collected' }));
    } else json(404, { status: 'not found' });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return server;
}

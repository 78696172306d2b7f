import type { NativeConnection, Worker, WorkerOptions } from '@temporalio/worker';
import type { Config } from '../model/config';
import { listPolledKinds, type QueueKind } from '../model/run/queue-kinds';
import { operators } from '../operators/index';
import type { TemporalOptions } from '../services/temporal/client';
import type { PrivateTexts } from '../services/temporal/private-texts';
import type { createActivities } from './activities';
import { createPrivacy } from './privacy';
import { countGraphThreads } from './services';
import { createActivityTracing, tracingSinks } from './traced';
import { WorkflowWorker } from './workflow-worker';

/** What all workers of a process poll with. */
export interface Polled {
  config: Config;
  connection: NativeConnection;
  temporal: Pick<TemporalOptions, 'namespace' | 'dataConverter'>;
  bundle: { code: string } | { codePath: string };
  activities: ReturnType<typeof createActivities>;
  /** Keeps document content out of histories. */
  privateTexts: PrivateTexts;
  /** The longest that activities wait for an unavailable server. */
  waitMs: number;
  /** With it the workers belong to a worker deployment that is named like the prefix, and their runs stay with this build. */
  build?: string;
}

/** Creates one worker per task queue with this prefix. None polls before it runs. */
export function createQueueWorkers(prefix: string, polled: Polled): Promise<Worker[]> {
  const { config, connection, temporal, bundle } = polled;
  const { runActivities, operatorActivities, convertActivities, graphActivities, webhookActivities, rightsActivities } =
    polled.activities;
  const shared: Omit<WorkerOptions, 'taskQueue'> = {
    connection,
    namespace: temporal.namespace,
    // Spans see codes only, because the privacy interceptor runs first on outgoing results.
    interceptors: { activity: [createActivityTracing(), createPrivacy(polled.privateTexts, polled)] },
    sinks: tracingSinks,
    ...(temporal.dataConverter ? { dataConverter: temporal.dataConverter } : {}),
    shutdownGraceTime: config.DOCLOOM_DRAIN_SECONDS * 1_000,
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    stickyQueueScheduleToStartTimeout: '1s',
    ...buildDeploymentOptions(prefix, polled),
  };
  const pickActivities = (kind: 'cpu' | 'io') =>
    Object.fromEntries(
      operators.filter((operator) => operator.queue === kind).map(({ name }) => [name, operatorActivities[name]]),
    );
  const kinds = listPolledKinds(config.DOCLOOM_WORKER_QUEUES);
  const createWorkers = (kind: QueueKind, options: Omit<WorkerOptions, 'taskQueue'>) =>
    kinds.has(kind) ? [WorkflowWorker.create({ ...shared, ...options, taskQueue: `${prefix}-${kind}` })] : [];
  return Promise.all([
    ...createWorkers('flow', { workflowBundle: bundle, maxCachedWorkflows: 100 }),
    ...createWorkers('cpu', {
      activities: pickActivities('cpu'),
      maxConcurrentActivityTaskExecutions: config.DOCLOOM_CONVERSION_THREADS * 2,
    }),
    ...createWorkers('io', {
      activities: { ...pickActivities('io'), ...runActivities, ...graphActivities, ...rightsActivities },
      maxConcurrentActivityTaskExecutions: 20,
    }),
    // Receivers may be slow; nothing else waits for them.
    ...createWorkers('webhook', {
      activities: webhookActivities,
      maxConcurrentActivityTaskExecutions: 10,
    }),
    ...createWorkers('graph', {
      activities: graphActivities,
      maxConcurrentActivityTaskExecutions: countGraphThreads(config),
    }),
    ...createWorkers('convert', {
      workflowBundle: bundle,
      activities: convertActivities,
      maxCachedWorkflows: 100,
      maxConcurrentLocalActivityExecutions: 64,
      maxConcurrentActivityTaskExecutions: 32,
    }),
  ]);
}

function buildDeploymentOptions(
  deploymentName: string,
  { build: buildId }: Polled,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (!buildId) return {};
  const version = { deploymentName, buildId };
  return { workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'PINNED' } };
}

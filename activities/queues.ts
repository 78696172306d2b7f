import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Config } from '../model/config';
import { operators } from '../operators/index';
import type { TemporalOptions } from '../services/temporal/client';
import type { PrivateTexts } from '../services/temporal/private-texts';
import type { createActivities } from './activities';
import { createPrivacy } from './privacy';
import { graphThreads } from './services';

/** Dependencies shared by the workers of a process. */
export interface Polled {
  config: Config;
  connection: NativeConnection;
  temporal: Pick<TemporalOptions, 'namespace' | 'dataConverter'>;
  bundle: { code: string } | { codePath: string };
  activities: ReturnType<typeof createActivities>;
  /** Keeps document content out of histories. */
  privateTexts: PrivateTexts;
}

/** Creates one worker per task queue with this prefix. None polls before it runs. */
export function createQueueWorkers(prefix: string, polled: Polled): Promise<Worker[]> {
  const { config, connection, temporal, bundle } = polled;
  const { runActivities, operatorActivities, convertActivities, graphActivities, webhookActivities } =
    polled.activities;
  const shared: Omit<WorkerOptions, 'taskQueue'> = {
    connection,
    namespace: temporal.namespace,
    interceptors: { activity: [createPrivacy(polled.privateTexts)] },
    ...(temporal.dataConverter ? { dataConverter: temporal.dataConverter } : {}),
    shutdownGraceTime: config.DOCLOOM_DRAIN_SECONDS * 1_000,
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    stickyQueueScheduleToStartTimeout: '1s',
  };
  const onQueue = (kind: 'cpu' | 'io') =>
    Object.fromEntries(
      operators.filter((operator) => operator.queue === kind).map(({ name }) => [name, operatorActivities[name]]),
    );
  return Promise.all([
    Worker.create({ ...shared, taskQueue: `${prefix}-flow`, workflowBundle: bundle, maxCachedWorkflows: 100 }),
    Worker.create({
      ...shared,
      taskQueue: `${prefix}-cpu`,
      activities: onQueue('cpu'),
      maxConcurrentActivityTaskExecutions: config.DOCLOOM_CONVERSION_THREADS * 2,
    }),
    Worker.create({
      ...shared,
      taskQueue: `${prefix}-io`,
      activities: { ...onQueue('io'), ...runActivities, ...graphActivities },
      maxConcurrentActivityTaskExecutions: 20,
    }),
    // Receivers may be slow; nothing else waits for them.
    Worker.create({
      ...shared,
      taskQueue: `${prefix}-webhook`,
      activities: webhookActivities,
      maxConcurrentActivityTaskExecutions: 10,
    }),
    Worker.create({
      ...shared,
      taskQueue: `${prefix}-graph`,
      activities: graphActivities,
      maxConcurrentActivityTaskExecutions: graphThreads(config),
    }),
    Worker.create({
      ...shared,
      taskQueue: `${prefix}-convert`,
      workflowBundle: bundle,
      activities: convertActivities,
      maxCachedWorkflows: 100,
      maxConcurrentLocalActivityExecutions: 64,
      maxConcurrentActivityTaskExecutions: 32,
    }),
  ]);
}

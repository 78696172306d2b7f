import { type QueueKind, queueKinds } from '../../model/run/queue-kinds';
import { openTemporal, getQueueName, type TemporalOptions } from './client';

/** Workflow tasks and activity tasks, in Temporal's enumeration TaskQueueType. */
const taskTypes = [1, 2];
/** Metrics must not wait for an unavailable Temporal. */
const patienceMs = 2_000;

/** How much work waits in the task queues of the installation, for metrics and autoscaling. */
export interface QueueBacklog {
  /** Tasks that no worker has taken yet, by queue. Approximate, as Temporal counts them. */
  readCounts(): Promise<Record<QueueKind, number>>;
  close(): Promise<void>;
}

/** Connects with the first call. */
export function createQueueBacklog(options: TemporalOptions): QueueBacklog {
  const { connection, client } = openTemporal(options);
  const { namespace } = client.options;
  const readBacklog = async (kind: QueueKind): Promise<number> => {
    const taskQueue = { name: await getQueueName(options, kind) };
    const reports = await Promise.all(
      taskTypes.map((taskQueueType) =>
        client.workflowService.describeTaskQueue({ namespace, taskQueue, taskQueueType, reportStats: true }),
      ),
    );
    return reports.reduce((sum, { stats }) => sum + Number(stats?.approximateBacklogCount ?? 0), 0);
  };
  return {
    readCounts: () =>
      connection.withDeadline(Date.now() + patienceMs, async () => {
        const counts = await Promise.all(queueKinds.map(async (kind) => [kind, await readBacklog(kind)] as const));
        return Object.fromEntries(counts) as Record<QueueKind, number>;
      }),
    close: () => connection.close(),
  };
}

import type { TaskDescriptor } from '../../model/conversion/task/task';
import { shareNextResult } from '../pacing/request-batching';
import { type ConversionQueues, findPosition } from './queues';
import { describeTask, type TaskSummary } from './record';

/** Descriptors of tasks with their positions. Concurrent callers share one query of a tenant's queue. */
export class TaskPositions {
  /** Tenants that had pending tasks when their queue was last read. */
  private readonly queueing = new Set<string>();
  /** Ids of the pending tasks of a tenant, oldest first, as of after the call. */
  readonly waiting;

  constructor(queues: Pick<ConversionQueues, 'listWaiting'>) {
    this.waiting = shareNextResult(async (tenant) => {
      const ids = await queues.listWaiting(tenant);
      if (ids.length > 0) this.queueing.add(tenant);
      else this.queueing.delete(tenant);
      return ids;
    });
  }

  /** `queue` is the queue of the task's tenant, where it was read already. */
  async describe(task: TaskSummary, queue?: Promise<string[]>): Promise<TaskDescriptor> {
    if (task.state !== 'pending') return describeTask(task, 1);
    return describeTask(task, findPosition(await (queue ?? this.waiting(task.tenant)), task._id));
  }

  /** Like `describe`, but reads the task and the queue in parallel. */
  async describeNow<T extends TaskSummary | undefined>(tenant: string, look: () => Promise<T>) {
    const queue = this.queueing.has(tenant) ? this.waiting(tenant) : undefined;
    queue?.catch(() => undefined);
    const task = await look();
    return { task, descriptor: task && (await this.describe(task, queue)) };
  }
}

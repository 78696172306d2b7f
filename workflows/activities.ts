import { ActivityCancellationType, type ActivityOptions, patched, proxyActivities, sleep } from '@temporalio/workflow';
import type { PlannedOperator } from '../model/flow/plan';
import type { RunActivities } from '../model/run/activities';
import type { OperatorCall, PartReport } from '../model/run/run';
import { isWorkerLost } from './failures';
import { getTaskQueue } from './task-queue';

const heartbeats: ActivityOptions = {
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 3 },
};

/** The activities that maintain a run's records. They wait for an unavailable database, so they are retried for a long time. */
export const runActivities: RunActivities = new Proxy({} as RunActivities, {
  get: (_target, name: string) => {
    const options: ActivityOptions = {
      ...heartbeats,
      taskQueue: getTaskQueue('io'),
      startToCloseTimeout: name === 'acquire_job' ? '7d' : '1h',
      retry: { ...heartbeats.retry, maximumAttempts: 1_000 },
    };
    return proxyActivities<Record<string, (argument: unknown) => Promise<unknown>>>(options)[name];
  },
});

/** Runs one operator on one part. The Temporal UI shows `summary` next to the activity. */
export async function callOperator(
  operator: PlannedOperator,
  call: OperatorCall,
  summary: string,
  maximumAttempts = heartbeats.retry?.maximumAttempts,
): Promise<PartReport> {
  const activities = proxyActivities<Record<string, (call: OperatorCall) => Promise<PartReport>>>({
    ...heartbeats,
    taskQueue: getTaskQueue(operator.queue),
    startToCloseTimeout: '7d',
    retry: { ...heartbeats.retry, maximumAttempts },
    summary,
  });
  // The proxy has a function for every name; an unknown activity fails when it is called.
  return activities[operator.type]!(call);
}

/** Runs one operator whose work cannot be split. */
export function callWholeOperator(operator: PlannedOperator, call: OperatorCall, summary: string): Promise<PartReport> {
  return repeatLostWork((maximumAttempts) => callOperator(operator, call, summary, maximumAttempts));
}

/**
 * Calls once more, with a single attempt, if every attempt ended because its worker stopped answering. A worker that hangs takes
 * several attempts with it, because Temporal hands tasks to its open polls.
 */
export async function repeatLostWork<Result>(call: (maximumAttempts?: number) => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!isWorkerLost(error) || !(await outlastHungWorker())) throw error;
    return call(1);
  }
}

/**
 * Waits until the open polls of a worker that hangs have expired: a minute after they began, most of which the attempts took. False
 * for executions that began before there was this wait.
 */
export async function outlastHungWorker(): Promise<boolean> {
  if (!patched('repeat-lost-work')) return false;
  await sleep('40s');
  return true;
}

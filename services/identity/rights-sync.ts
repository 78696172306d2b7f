import { hash } from 'node:crypto';
import { ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { rightsRequest, type SyncRightsInput } from '../../model/identity/sync';
import type { Workflows } from '../../model/run/workflows';
import { getQueueName, readQueuePrefix, type TemporalOptions } from '../temporal/client';
import { openKnownWorkflows } from '../temporal/known-workflows';

/** Requests syncs of rights from a worker. A request during a sync of the same subject runs after it. */
export interface RightsSync {
  startIdentities(map: string, by: string): Promise<void>;
  startAccess(jobIds: readonly string[], by: string): Promise<void>;
}

/** Starts syncs as Temporal workflows. Connects lazily. */
export function createRightsSync(options: TemporalOptions): RightsSync & { close(): Promise<void> } {
  const { client, connection, call } = openKnownWorkflows(options);
  // Temporal does not encrypt ids, so names are hashed.
  const requestSync = (subject: string, request: SyncRightsInput) =>
    call(async () =>
      client.workflow.signalWithStart<Workflows['syncRights'], [SyncRightsInput]>('syncRights', {
        workflowId: `rights/${hash('sha256', subject).slice(0, 24)}`,
        taskQueue: await getQueueName(options, 'flow'),
        workflowRunTimeout: '6h',
        args: [{ isAsked: true }],
        signal: rightsRequest,
        signalArgs: [request],
      }),
    );
  return {
    async startIdentities(map, by) {
      await requestSync(`map ${map}`, { identities: [{ map, by }] });
    },
    async startAccess(jobIds, by) {
      for (const jobId of jobIds) await requestSync(`job ${jobId}`, { access: [{ jobId, by }] });
    },
    close: () => connection.close(),
  };
}

/** The workflow of the syncs that are due. */
export interface DueSyncs {
  /** Starts it, unless it is running or began less than a minute ago: every worker asks. */
  start(): Promise<void>;
  /** Removes the schedule of earlier versions, which filled Temporal's list with a workflow every minute. */
  removeSchedule(): Promise<void>;
  close(): Promise<void>;
}

/** A little less than the minute between the requests of one worker. */
const startAgainMs = 55_000;

/** Starts due syncs as a Temporal workflow. Connects lazily. */
export function createDueSyncs(options: TemporalOptions, now: () => number = Date.now): DueSyncs {
  const { client, connection, call, startOnce } = openKnownWorkflows(options);
  const getId = async () => `rights-${await readQueuePrefix(options)}`;
  return {
    async start() {
      const workflowId = await getId();
      const last = await call(() => ignoreMissing(client.workflow.getHandle(workflowId).describe()));
      // The clock of the server may differ, and may have been set back.
      if (last && Math.abs(now() - last.startTime.getTime()) < startAgainMs) return;
      await startOnce(async () =>
        client.workflow.start<Workflows['syncRights']>('syncRights', {
          workflowId,
          taskQueue: await getQueueName(options, 'flow'),
          workflowRunTimeout: '6h',
          args: [{}],
        }),
      );
    },
    async removeSchedule() {
      const scheduleId = await getId();
      await call(() => ignoreMissing(client.schedule.getHandle(scheduleId).delete()));
    },
    close: () => connection.close(),
  };
}

async function ignoreMissing<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

import { hash } from 'node:crypto';
import { rightsRequest, type SyncRightsInput } from '../../model/identity/sync';
import type { Workflows } from '../../model/run/workflows';
import { getQueueName, type TemporalOptions } from '../temporal/client';
import { ensureSchedule } from '../temporal/interval-schedule';
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

/** Creates the schedule that starts due syncs, unless it exists. */
export function ensureRightsSchedule(options: TemporalOptions): Promise<void> {
  return ensureSchedule(options, {
    workflow: 'syncRights',
    getId: buildRightsScheduleId,
    every: '1m',
    args: [{}],
    note: 'Synchronizes accounts, groups and access lists that are due, without runs.',
  });
}

/** The id of that schedule, and the prefix of its workflow ids. */
export function buildRightsScheduleId(prefix: string): string {
  return `rights-${prefix}`;
}

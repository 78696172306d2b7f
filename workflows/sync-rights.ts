import { defineSignal, isCancellation, proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow';
import {
  rightsRequest,
  type RightsActivities,
  type SyncRightsInput,
  type SyncRightsReport,
} from '../model/identity/sync';
import { getTaskQueue } from './task-queue';

/** The user name in the audit log for syncs that nobody requested. */
const scheduled = 'schedule';

const requestSignal = defineSignal<[SyncRightsInput]>(rightsRequest);

/**
 * Synchronizes accounts and groups, then access lists: those requested by its input or by signals, or those that are due. A
 * request that arrives during the work is processed afterwards, so that it includes all changes made before it. A failure
 * is recorded with its map or job, and does not keep the others from being synchronized.
 */
export async function syncRights(input: SyncRightsInput = {}): Promise<SyncRightsReport> {
  const activities = proxyActivities<RightsActivities>({
    taskQueue: getTaskQueue('io'),
    heartbeatTimeout: '10s',
    startToCloseTimeout: '6h',
    // Work that still fails is retried when it is due again.
    retry: { initialInterval: '2s', backoffCoefficient: 2, maximumAttempts: 3 },
  });
  const report: SyncRightsReport = { synced: 0, failed: 0 };
  const requests: SyncRightsInput[] = input.isAsked ? [] : [input];
  setHandler(requestSignal, (request) => void requests.push(request));
  for (let next = requests.shift(); next; next = requests.shift()) await syncOnce(activities, next, report);
  setCurrentDetails(`${report.synced} synchronized, ${report.failed} failed.`);
  return report;
}

/** Also synchronizes the access lists that may list the members of changed groups by name. */
async function syncOnce(activities: RightsActivities, input: SyncRightsInput, report: SyncRightsReport): Promise<void> {
  const isExplicit = input.identities !== undefined || input.access !== undefined;
  const due = isExplicit ? { maps: [], jobs: [] } : await activities.list_due_syncs({});
  const maps = [...(input.identities ?? []), ...due.maps.map((map) => ({ map, by: scheduled }))];
  const accessSyncs = [...(input.access ?? []), ...due.jobs.map((jobId) => ({ jobId, by: scheduled }))];
  const jobs = new Map(accessSyncs.map((item) => [item.jobId, item]));
  for (const entry of maps) {
    const synced = await attempt(report, () => activities.sync_identities(entry));
    for (const jobId of synced?.jobs ?? []) if (!jobs.has(jobId)) jobs.set(jobId, { jobId, by: entry.by });
  }
  for (const job of jobs.values()) await attempt(report, () => activities.sync_access(job));
}

async function attempt<T>(report: SyncRightsReport, work: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await work();
    report.synced += 1;
    return result;
  } catch (error) {
    if (isCancellation(error)) throw error;
    report.failed += 1;
    return undefined;
  }
}

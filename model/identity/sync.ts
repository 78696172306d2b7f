/** What a sync of rights works on; what is due, if it names nothing. */
export interface SyncRightsInput {
  identities?: { map: string; by: string }[];
  access?: { jobId: string; by: string }[];
  /** True if the requests come by signals alone. */
  isAsked?: true;
}

/** The signal with a further request, a SyncRightsInput. */
export const rightsRequest = 'request';

/** The outcome of one `syncRights`. */
export interface SyncRightsReport {
  synced: number;
  failed: number;
}

/** What the sync of a job's access lists found; `AccessSyncCounts` in wire-sync describes the members. */
export interface AccessSyncCounts {
  listed: number;
  changed: number;
  left_to_run: number;
  unknown: number;
}

/** The activities that synchronize rights. All are safe to run twice. */
export interface RightsActivities {
  /** Accounts, groups and access lists that are older than promised. */
  list_due_syncs: (input: Record<string, never>) => Promise<{ maps: string[]; jobs: string[] }>;
  /** Reads the accounts and groups of a map. `jobs`: those whose access lists may name accounts one by one. */
  sync_identities: (input: { map: string; by: string }) => Promise<{ changed: number; jobs: string[] }>;
  /** Brings the access lists of a job's documents up to date, without reading their content. */
  sync_access: (input: { jobId: string; by: string }) => Promise<AccessSyncCounts>;
}

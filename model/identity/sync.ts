/** The subjects of a sync of rights; if empty, everything that is due. */
export interface SyncRightsInput {
  identities?: { map: string; by: string }[];
  access?: { jobId: string; by: string }[];
  /** True if requests come only through signals. */
  isAsked?: true;
}

/** The signal with a further request, a SyncRightsInput. */
export const rightsRequest = 'request';

/** The outcome of one `syncRights`. */
export interface SyncRightsReport {
  synced: number;
  failed: number;
}

/** The results of the sync of a job's access lists; `AccessSyncCounts` in wire-sync describes the members. */
export interface AccessSyncCounts {
  listed: number;
  changed: number;
  left_to_run: number;
  unknown: number;
}

/** The activities that synchronize rights. All are safe to run twice. */
export interface RightsActivities {
  /** Maps and jobs whose accounts, groups or access lists are older than their sync interval. */
  list_due_syncs: (input: Record<string, never>) => Promise<{ maps: string[]; jobs: string[] }>;
  /** Reads the accounts and groups of a map. `jobs`: those whose access lists may name individual accounts. */
  sync_identities: (input: { map: string; by: string }) => Promise<{ changed: number; jobs: string[] }>;
  /** Updates the access lists of a job's documents without reading their content. */
  sync_access: (input: { jobId: string; by: string }) => Promise<AccessSyncCounts>;
}

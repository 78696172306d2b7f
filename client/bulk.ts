import type { DocumentSetsBulk } from '../model/document-set/wire-bulk';
import type { SchedulesBulk } from '../model/flow/wire-schedules';
import type { JobRunsBulk } from '../model/run/wire-bulk';
import type { BulkReply } from '../model/wire-bulk';
import type { Call } from './http';

/** Changes of up to 100 items with one request. The reply contains the outcome of each. */
export interface BulkMethods {
  bulk: {
    jobRuns(request: JobRunsBulk): Promise<BulkReply>;
    schedules(request: SchedulesBulk): Promise<BulkReply>;
    documentSets(request: DocumentSetsBulk): Promise<BulkReply>;
  };
}

/** Methods of the client for bulk requests. */
export function createBulkMethods(send: <T>(call: Call) => Promise<T>): BulkMethods {
  const post = (path: string) => (body: object) =>
    send<BulkReply>({ method: 'POST', path: `/api/v1/${path}/bulk`, body });
  return {
    bulk: { jobRuns: post('job_runs'), schedules: post('schedules'), documentSets: post('document-sets') },
  };
}

import { randomUUID } from 'node:crypto';
import type { FailedDocument } from '../../../services/run/failures';
import type { RunRecord } from '../../../services/run/run-record';

/** The record of a run that was just made, overridden by `change`. */
export function runRecord(change: Partial<RunRecord> = {}): RunRecord {
  return {
    job_run_id: randomUUID(),
    job_id: 'job',
    flow_id: 'flow',
    flow_name: 'flow',
    project_id: null,
    owner: 'alice',
    status: 'QUEUED',
    message: '',
    warnings: [],
    created_at: new Date().toISOString(),
    started_at: null,
    ended_at: null,
    totals: { documents: 0, completed: 0, failed: 0, skipped: 0, deleted: 0, pages: 0 },
    metadata: { 'with.dot': 'x' },
    snapshot: {
      flow: { flow_name: 'flow', flow: [] },
      plan: { sources: [], stages: [], batchSize: 1, maxConcurrentBatches: 1, failFast: false },
      plan_hash: 'h',
    },
    ...change,
  };
}

/** A failed document of alice, with these facts changed. */
export function failedDocument(change: Partial<FailedDocument> = {}): FailedDocument {
  const time = '2026-01-02T03:04:05.000Z';
  return {
    id: 'failure-1',
    document_id: 'd1',
    name: 'broken.pdf',
    flow_id: 'flow',
    flow_name: 'flow',
    owner: 'alice',
    job_run_id: 'run',
    operator: 'extract',
    code: 'DOCUMENT_CORRUPT',
    message: "'broken.pdf' is damaged.",
    state: 'failed',
    first_failed_at: time,
    failed_at: time,
    ...change,
  };
}

import type { RunRecord } from './run-record';

/** Longer names are truncated, so that ids stay readable in the addresses and lists of Temporal. */
const maxNameLength = 80;

/**
 * A workflow id that people can read: the flow, when the run was made, and the id of the run at the end, as in
 * `invoices/2026-11-23T08.15.07/99ecb0d4-…`.
 */
export function getReadableWorkflowId({
  flow_name,
  created_at,
  job_run_id,
  sample,
}: Pick<RunRecord, 'flow_name' | 'created_at' | 'job_run_id' | 'sample'>): string {
  const time = created_at.slice(0, 19).replaceAll(':', '.');
  return [toIdName(flow_name), ...(sample ? ['sample'] : []), time, job_run_id].join('/');
}

/** The id of the run's workflow. Runs of earlier versions, and those without readable ids, have the id of the run. */
export function getWorkflowId({ job_run_id, workflow_id }: Pick<RunRecord, 'job_run_id' | 'workflow_id'>): string {
  return workflow_id ?? job_run_id;
}

/** Letters, digits, dots and dashes of a name; never empty. */
export function toIdName(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  return plain.slice(0, maxNameLength) || 'unnamed';
}

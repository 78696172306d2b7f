import { hash } from 'node:crypto';
import { toIdName } from '../run/workflow-id';
import type { TaskSource } from './ports';

/** Hexadecimal digits of a key, enough that no two tasks share one. */
const keyLength = 24;

/**
 * The key under which a task is stored, and its name in Temporal and logs. Without API keys, the id of a task grants access to
 * its result; the key is a one-way digest of that id, and grants nothing.
 */
export function computeTaskKey(taskId: string): string {
  return hash('sha256', taskId).slice(0, keyLength);
}

/** The ids in the record of a task. */
interface StoredIds {
  _id: string;
  task_id?: string;
  workflow_id?: string;
}

/** The id that the clients of a task have. Tasks of earlier versions are stored under it. */
export function getClientTaskId({ _id, task_id }: StoredIds): string {
  return task_id ?? _id;
}

/** The id of the task's workflow. Tasks of earlier versions, and those without readable ids, have the key of the task. */
export function getTaskWorkflowId({ _id, workflow_id }: StoredIds): string {
  return workflow_id ?? _id;
}

/** A workflow id that people can read: the first file and the key of the task, as in `convert/report.pdf/3f2a…`. */
export function buildReadableTaskId(type: 'convert' | 'chunk', sources: readonly TaskSource[], key: string): string {
  return [type, toIdName(findSourceName(sources[0])), key].join('/');
}

/** The name of a source in ids and logs. A URL is named by its host, because its path may be a secret link. */
export function findSourceName(source: TaskSource | undefined): string {
  if (source?.kind === 'file') return source.filename.split(/[\\/]/).at(-1) ?? '';
  if (source?.kind === 'http') return URL.canParse(source.url) ? new URL(source.url).hostname : '';
  if (source?.kind === 'azure_blob') return source.container;
  return source ? source.bucket : '';
}

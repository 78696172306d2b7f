import { type BucketSource, isBucket } from '../../model/conversion/request/sources';
import type { ConvertPlan } from '../../model/conversion/task/work';
import type { TaskResult, TaskTarget } from '../../services/conversion/ports';
import { readResult } from '../../services/conversion/tasks';
import type { ConvertDeps } from './deps';
import { createMemberBudget, findMemberRules, openSource } from './member-sources';
import { nothingToDo, buildPlan } from './plan';
import { type DocumentSource, buildListingKey, type OpenTask, type OpenTasks } from './sources';

/** Maximum number of documents that one task may read from buckets. */
const maxDocuments = 100_000;

/**
 * Lists the buckets of a task, opens its archives where the request asks for it, and stores the listing, so that every attempt
 * sees the same documents in the same order.
 */
export async function listSources(
  deps: ConvertDeps,
  tasks: OpenTasks,
  taskId: string,
  signal: AbortSignal,
): Promise<ConvertPlan> {
  const record = await deps.store.getWhole(taskId);
  const request = record?.request;
  if (!record || !request) return nothingToDo;
  if (record.documents === null) {
    const sources: DocumentSource[] = [];
    const rules = findMemberRules(request);
    const left = rules && createMemberBudget(rules);
    const password = request.options.password ?? undefined;
    for (const [index, source] of request.sources.entries()) {
      if (isBucket(source))
        sources.push(...(await listObjects(deps, { index, source, limit: maxDocuments - sources.length, signal })));
      else if (rules && left)
        sources.push(...(await openSource(deps, { taskId, index, source, rules, left, password, signal })));
      else sources.push(source);
    }
    await deps.files.put(buildListingKey(taskId), Buffer.from(JSON.stringify(sources)));
    await deps.store.noteDocuments(taskId, sources.length);
  }
  tasks.forget(taskId);
  return buildPlan(record, await tasks.get(taskId));
}

async function listObjects(
  { buckets }: Pick<ConvertDeps, 'buckets'>,
  { index, source, limit, signal }: { index: number; source: BucketSource; limit: number; signal: AbortSignal },
): Promise<DocumentSource[]> {
  const objects: DocumentSource[] = [];
  const maxObjects = Math.min(source.max_num_elements ?? Infinity, limit);
  const bucket = buckets.open(source);
  try {
    for await (const { key, size } of bucket.list(signal)) {
      signal.throwIfAborted();
      if (objects.length >= maxObjects) break;
      objects.push({ kind: 'object', source: index, key, size });
    }
  } finally {
    bucket.close();
  }
  return objects;
}

/** Sends the result of a task to its targets, one after the other. A retry sends again what was sent before the failure. */
export async function deliver(deps: ConvertDeps, task: OpenTask, signal: AbortSignal): Promise<void> {
  const record = await deps.store.get(task.id);
  if (!record) return;
  const result = await readResult(deps.store, record);
  for (const target of [task.request.target, ...(task.request.further_targets ?? [])])
    await deliverTo(deps, task.id, { result, target, signal });
}

async function deliverTo(
  { store, targets }: ConvertDeps,
  key: string,
  { result, target, signal }: { result: TaskResult; target: TaskTarget; signal: AbortSignal },
): Promise<void> {
  switch (target.kind) {
    case 'put':
      return targets.put(result, target.url, signal);
    case 's3':
    case 'azure_blob':
    case 'google_cloud_storage':
      return targets.uploadToBucket(result, target, signal);
    case 'presigned_url': {
      const artifacts = await targets.uploadAndPresign(result, signal);
      for (const [index, uploads] of artifacts) await store.setUploads(key, index, uploads);
      return;
    }
    case 'inbody':
    case 'zip':
      return;
  }
}

import { setMaxListeners } from 'node:events';
import { isBucket } from '../../model/conversion/request/sources';
import { isFinalTask, TaskDescriptor } from '../../model/conversion/task/task';
import { AppError, asAppError } from '../../model/errors';
import { createFairSlots } from '../pacing/fair-slots';
import { batchReads } from '../pacing/request-batching';
import type { FilesStore } from '../storage/files';
import { listIndexes } from './documents';
import type { ConversionEngine } from './engine';
import { removeTask, buildUploadKey, listUploadPrefixes } from './files';
import type { ConversionTasks, DocumentResult, NewConversionTask, TaskResult } from './ports';
import { TaskPositions } from './positions';
import {
  describeListed,
  type DocumentRecord,
  describeTask,
  createEmptyCounts,
  isOpen,
  choosePackaging,
  type TaskRecord,
  type TaskSummary,
} from './record';
import type { ConversionStore } from './store';
import { getClientTaskId, computeTaskKey, getTaskWorkflowId, findSourceName } from './task-ids';
import { createTaskWatches, type TaskView } from './watches';

/** Error message of a task that was cancelled on request. */
export const cancelledMessage = 'The task was cancelled by request.';

/** Dependencies of the conversion tasks. */
export interface ConversionTasksDeps {
  store: ConversionStore;
  engine: ConversionEngine;
  files: Pick<FilesStore, 'removePrefix'>;
  keepsArtifacts: boolean;
}

/** A task that has been open for this long is checked, at this interval, for a workflow that ended without recording it. */
const suspectMs = 20_000;
/** How long a client repeats a failed request with the same idempotency key. */
const repeatedForMs = 10 * 60_000;
const removalsPerQuery = 500;
/** Further submissions queue, and tenants take turns, so that other requests are still answered. */
const maxConcurrentSubmissions = 8;
const neverAborted = new AbortController().signal;
setMaxListeners(0, neverAborted);
/** How long a task counts as recent, and how many recent tasks are remembered. */
const recentMs = 1_000;
const maxRecent = 100;

/** The tasks as the API uses them. */
export function createConversionTasks(deps: ConversionTasksDeps): ConversionTasks {
  return new QueuedConversionTasks(deps);
}

class QueuedConversionTasks implements ConversionTasks {
  readonly keepsArtifacts;
  private readonly store;
  private readonly engine;
  private readonly files;
  private readonly find;
  private readonly look;
  private readonly slots = createFairSlots(maxConcurrentSubmissions);
  private readonly justEnded = createRecentTasks();
  private readonly positions;
  private readonly watches;

  constructor(private readonly deps: ConversionTasksDeps) {
    const { store, engine, files, keepsArtifacts } = deps;
    this.keepsArtifacts = keepsArtifacts;
    this.store = store;
    this.engine = engine;
    this.files = files;
    this.find = batchReads((ids) => this.store.getMany(ids));
    this.look = createTaskReader(deps, this.find);
    this.positions = new TaskPositions(store.queues);
    this.watches = createTaskWatches({
      store: this.store,
      positions: this.positions,
      look: this.look,
      waitForEnd: async (waiting, signal) => {
        await this.engine.waitForEnd(getTaskWorkflowId(waiting), signal);
        const { _id: key } = waiting;
        const summary = await this.find(key);
        const task = summary && isOpen(summary) ? await failOrphanedTask({ store: this.store }, key) : summary;
        if (task) this.justEnded.keep(task);
        return task;
      },
    });
  }

  uploadKey(taskId: string, index: number) {
    return buildUploadKey(computeTaskKey(taskId), index, new Date());
  }

  async submit(request: NewConversionTask) {
    const leave = await this.slots.take(request.tenant, neverAborted);
    try {
      const { task, position } = await this.store.create(toRecord(request, this.engine));
      if (task.state === 'pending') await start(this.deps, task, request);
      this.watches.expect(task);
      return position === undefined ? await this.positions.describe(task) : describeTask(task, position);
    } finally {
      leave();
    }
  }

  get(tenant: string, id: string) {
    return this.describeNow(tenant, id);
  }

  async wait(tenant: string, id: string, ms: number, signal?: AbortSignal) {
    const view = await this.openView(tenant, id, false);
    const until = createDeadline(ms, signal);
    try {
      while (!isFinalTask(view.getDescriptor().task_status) && !until.signal.aborted)
        await view.waitForChange(until.signal);
      const { task_status: state } = view.getDescriptor();
      // The view reports only the end of the task.
      return isFinalTask(state) ? view.getDescriptor() : await this.describeNow(tenant, id);
    } finally {
      until.clear();
      view.close();
    }
  }

  async *watch(tenant: string, id: string, signal: AbortSignal) {
    const view = await this.openView(tenant, id, true);
    try {
      while (!signal.aborted) {
        const descriptor = view.getDescriptor();
        yield descriptor;
        if (isFinalTask(descriptor.task_status)) return;
        await view.waitForChange(signal);
      }
    } finally {
      view.close();
    }
  }

  async list(tenant: string, query: { state?: TaskDescriptor['task_status']; limit: number; offset: number }) {
    const { items, total } = await this.store.list(tenant, query);
    const describe = async (task: TaskSummary) => ({
      ...(await this.positions.describe(task)),
      ...describeListed(task),
    });
    return { items: await Promise.all(items.map(describe)), total };
  }

  async cancel(tenant: string, id: string) {
    const { _id: key } = await this.own(tenant, id);
    const { task, ended } = await this.store.end(key, {
      state: 'failure',
      error_message: cancelledMessage,
      failure: {
        category: 'policy',
        message: cancelledMessage,
        retryable: false,
        phase: 'orchestration',
        details: { reason: 'cancelled' },
      },
    });
    if (!task) throw createNotFoundError(id);
    this.watches.end(task);
    if (ended) await this.engine.cancel(getTaskWorkflowId(task));
    return this.positions.describe(task);
  }

  async readResult(tenant: string, id: string) {
    const ended = this.justEnded.take(computeTaskKey(id));
    if (ended?.tenant === tenant && ended.state === 'success') {
      const result = await readResult(this.store, ended);
      // Otherwise the result was deleted in the meantime.
      if (result.documents.length === ended.documents) return result;
    }
    const task = await this.own(tenant, id);
    if (task.state !== 'success')
      throw new AppError('CONVERSION_RESULT_NOT_READY', describeMissingResult(task), {
        moreInfo: task.error_message ?? undefined,
      });
    return readResult(this.store, task);
  }

  async clear(tenant: string, olderThanSeconds: number) {
    const before = new Date(Date.now() - olderThanSeconds * 1_000);
    for (let removed = 0; ;) {
      const ended = await this.store.listEnded(before, removalsPerQuery, tenant);
      for (const { _id } of ended) await removeTask({ store: this.store, files: this.files }, _id);
      removed += ended.length;
      if (ended.length < removalsPerQuery) return removed;
    }
  }

  countByState() {
    return this.store.countByState();
  }

  ping() {
    return this.engine.ping();
  }

  async close() {
    this.watches.close();
    await this.engine.close();
  }

  private async describeNow(tenant: string, id: string): Promise<TaskDescriptor> {
    return (await this.positions.describeNow(tenant, () => this.own(tenant, id))).descriptor;
  }

  private async own(tenant: string, id: string): Promise<TaskSummary> {
    const task = (await this.look(computeTaskKey(id))) ?? (await this.look(id));
    // A task of an earlier version is stored under its id. The key of a newer one, which Temporal shows, opens nothing.
    if (!task || task.tenant !== tenant || getClientTaskId(task) !== id) throw createNotFoundError(id);
    return task;
  }

  private async openView(tenant: string, taskId: string, changes: boolean): Promise<TaskView> {
    const view = { tenant, taskId, changes };
    const opened = (await this.watches.open(computeTaskKey(taskId), view)) ?? (await this.watches.open(taskId, view));
    if (!opened) throw createNotFoundError(taskId);
    return opened;
  }
}

/** Tasks that ended a moment ago, so that a caller that waited for a result does not read the task again. */
function createRecentTasks(): { keep(task: TaskSummary): void; take(id: string): TaskSummary | undefined } {
  const summaries = new Map<string, { task: TaskSummary; until: number }>();
  return {
    keep(task) {
      summaries.delete(task._id);
      summaries.set(task._id, { task, until: performance.now() + recentMs });
      if (summaries.size > maxRecent) summaries.delete(summaries.keys().next().value ?? '');
    },
    take(id) {
      const summary = summaries.get(id);
      summaries.delete(id);
      return summary && summary.until > performance.now() ? summary.task : undefined;
    },
  };
}

/** Reads a task. When its workflow ended without recording it, the task is marked as failed. */
function createTaskReader(
  { store, engine }: ConversionTasksDeps,
  find: (id: string) => Promise<TaskSummary | undefined>,
): (id: string) => Promise<TaskSummary | undefined> {
  const lastAsked = new Map<string, number>();
  return async (id) => {
    const task = await find(id);
    if (!task || !isOpen(task)) {
      lastAsked.delete(id);
      return task;
    }
    const now = Date.now();
    if (mayStartLater(task, now)) return task;
    if (now - (lastAsked.get(id) ?? task.created_at.getTime()) < suspectMs) return task;
    lastAsked.set(id, now);
    // While Temporal is unavailable, the task keeps its state.
    if (await engine.isRunning(getTaskWorkflowId(task)).catch(() => true)) return task;
    return (await failOrphanedTask({ store }, id)) ?? task;
  };
}

/**
 * True for a task whose workflow may not have been started yet: after a failed start, its client repeats the request with the same
 * idempotency key.
 */
export function mayStartLater({ state, idempotency_key: key, created_at }: TaskSummary, now: number): boolean {
  return state === 'pending' && key !== undefined && now - created_at.getTime() < repeatedForMs;
}

/** Ends a task whose workflow no longer exists and returns it; a task that the workflow has ended is returned unchanged. */
export async function failOrphanedTask(
  { store }: Pick<ConversionTasksDeps, 'store'>,
  id: string,
): Promise<TaskSummary | undefined> {
  const message = 'The workflow of the task ended before its documents did.';
  const failure = {
    category: 'internal' as const,
    message,
    retryable: true,
    phase: 'orchestration' as const,
    details: {},
  };
  return (await store.end(id, { state: 'failure', error_message: message, failure })).task;
}

async function start(deps: ConversionTasksDeps, task: TaskSummary, request: NewConversionTask): Promise<void> {
  try {
    await deps.engine.start({
      key: task._id,
      workflowId: getTaskWorkflowId(task),
      tenant: task.tenant,
      type: task.task_type,
      sources: request.sources,
    });
  } catch (error) {
    // With an idempotency key, the same request can start the task later; without a key, no request could.
    if (request.idempotency_key === undefined) {
      await deps.store.remove(task._id).catch(() => undefined);
      for (const prefix of task.uploads) await deps.files.removePrefix(prefix).catch(() => undefined);
    }
    throw asAppError(error);
  }
}

function toRecord(request: NewConversionTask, engine: Pick<ConversionEngine, 'nameWorkflow'>): TaskRecord {
  const { id, task_type: type, sources } = request;
  const key = computeTaskKey(id);
  const workflow_id = engine.nameWorkflow({ key, type, sources });
  const opensFiles = (request.options.members ?? 'none') !== 'none';
  const expandable = opensFiles || sources.some(isBucket);
  const documents = expandable ? null : request.sources.length;
  return {
    _id: key,
    task_id: id,
    ...(workflow_id === undefined ? {} : { workflow_id }),
    tenant: request.tenant,
    task_type: request.task_type,
    name: findSourceName(sources[0]).slice(0, 255),
    state: 'pending',
    created_at: new Date(),
    started_at: null,
    ended_at: null,
    counts: createEmptyCounts(documents ?? 0),
    error_message: null,
    failure: null,
    target: request.target.kind,
    packaging: choosePackaging(request),
    include_converted_doc: request.include_converted_doc ?? false,
    chunking: request.chunking ?? null,
    documents,
    expandable,
    uploads: listUploadPrefixes(request),
    callbacks: request.callbacks,
    request,
    ...(request.idempotency_key === undefined ? {} : { idempotency_key: request.idempotency_key }),
    ...(request.request_hash === undefined ? {} : { request_hash: request.request_hash }),
  };
}

/** The result of a task whose documents are finished, without their contents. */
export async function readResult(
  store: Pick<ConversionStore, 'listDocuments'>,
  task: TaskSummary,
): Promise<TaskResult> {
  const records = await store.listDocuments(task._id, listIndexes(task.documents ?? 0));
  const ended = task.ended_at ?? new Date();
  return {
    task_id: getClientTaskId(task),
    task_type: task.task_type,
    target: task.target,
    packaging: task.packaging,
    include_converted_doc: task.include_converted_doc,
    ...(task.chunking ? { chunking: task.chunking } : {}),
    processing_time: (ended.getTime() - task.created_at.getTime()) / 1_000,
    counts: {
      documents: task.counts.num_docs,
      succeeded: task.counts.num_succeeded,
      partially_succeeded: task.counts.num_partially_succeeded,
      failed: task.counts.num_failed,
    },
    documents: records.map(hideInternals),
  };
}

/** Omits the members that only callbacks and the store need. */
function hideInternals(record: DocumentRecord): DocumentResult {
  const {
    _id: _key,
    task: _task,
    hash: _hash,
    characters: _characters,
    tables: _tables,
    pictures: _pictures,
    ...result
  } = record;
  return result;
}

function describeMissingResult(task: TaskSummary): string {
  const id = getClientTaskId(task);
  if (task.state === 'failure') return `The task ${id} failed: ${task.error_message ?? 'no reason is known'}`;
  return `The task ${id} is ${task.state}; its result is available when it is 'success'.`;
}

function createNotFoundError(id: string): AppError {
  return new AppError('CONVERSION_TASK_NOT_FOUND', `There is no task '${id}', or it is no longer stored.`);
}

function createDeadline(ms: number, signal: AbortSignal | undefined): { signal: AbortSignal; clear: () => void } {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), ms);
  return {
    signal: signal ? AbortSignal.any([over.signal, signal]) : over.signal,
    clear: () => clearTimeout(timer),
  };
}

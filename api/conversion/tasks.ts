import { type TSchema, Type } from '@sinclair/typebox';
import { oneOf } from '../../model/conversion/request/schema-parts';
import { ChunkResult, ConvertResult, PresignedResult, RemoteResult } from '../../model/conversion/task/result';
import { isFinalTask, TaskDescriptor, TaskPage, taskStates } from '../../model/conversion/task/task';
import { AppError } from '../../model/errors';
import { createTimeLimit } from '../../model/time/time-limit';
import { readRequestBytes } from './body/request-bytes';
import { createErrorDetail } from './http/error-detail';
import { Ok, unionReplies, zip } from './http/reply-schemas';
import { RequestError } from './http/request-error';
import { type ConversionExchange, defineConversionRoute } from './http/route';
import { toResultReply } from './result-body';

const tags = ['tasks'];
const TaskId = Type.Object({ task_id: Type.String() });
const taskReplies = { 'application/json': TaskDescriptor };
const maxWaitSeconds = 30;
const maxProgressBytes = 1024 * 1024;
const unlistedNote = 'Tasks are listed for callers with a key or token only.';
const Poll = Type.Object({
  wait: Type.Number({
    default: 0,
    description: `Seconds to wait for a change of state or position; at most ${maxWaitSeconds}.`,
  }),
});

/** Returns the task immediately, or once its state or position changes, or when `wait` is over. */
async function poll({
  params,
  query,
  tenant,
  conversion,
  signal,
  options: { closing },
}: ConversionExchange<{ task_id: string }, { wait: number }>): Promise<TaskDescriptor> {
  const waitMs = Math.ceil(Math.min(Math.max(query.wait, 0), maxWaitSeconds) * 1_000);
  if (waitMs === 0) return conversion.tasks.get(tenant, params.task_id);
  let first: TaskDescriptor | undefined;
  const until = AbortSignal.any([signal, createTimeLimit(waitMs), ...(closing ? [closing] : [])]);
  for await (const task of conversion.tasks.watch(tenant, params.task_id, until)) {
    first ??= task;
    const { task_status: state, task_position: position } = task;
    if (isFinalTask(state) || state !== first.task_status || position !== first.task_position) return task;
  }
  // Counts may have changed without ending the wait.
  return conversion.tasks.get(tenant, params.task_id);
}

export const pollStatus = defineConversionRoute({
  method: 'GET',
  path: '/v1/status/poll/{task_id}',
  operationId: 'getTaskStatus',
  summary: 'A task; with `wait`, a long poll.',
  tags,
  needsKey: true,
  params: TaskId,
  query: Poll,
  replies: taskReplies,
  refusals: [404, 503],
  handler: async (exchange) => ({ json: await poll(exchange) }),
});

export const getStatus = defineConversionRoute({
  method: 'GET',
  path: '/v1/status/{task_id}',
  summary: 'The same as /v1/status/poll/{task_id}, at an address that some clients use.',
  tags,
  needsKey: true,
  isHidden: true,
  params: TaskId,
  query: Poll,
  replies: taskReplies,
  refusals: [404, 503],
  handler: async (exchange) => ({ json: await poll(exchange) }),
});

const resultReplies: Record<string, TSchema> = {
  'application/json': unionReplies(ConvertResult, ChunkResult, PresignedResult, RemoteResult),
  'application/zip': zip,
};

export const getResult = defineConversionRoute({
  method: 'GET',
  path: '/v1/result/{task_id}',
  operationId: 'getTaskResult',
  summary: 'The result of a successful task; can be fetched repeatedly until it expires.',
  tags,
  needsKey: true,
  audit: 'read',
  params: TaskId,
  replies: resultReplies,
  refusals: [404, 503],
  handler: async ({ params, tenant, conversion }) => {
    const result = await conversion.tasks.readResult(tenant, params.task_id).catch((error: unknown) => {
      throw addReason(error);
    });
    const reply = toResultReply(result, conversion.results);
    return { ...reply, headers: { 'X-Task-Id': params.task_id, ...reply.headers } };
  },
});

/** Explains the missing result of a failed task. Clients check the start of the text. */
function addReason(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'CONVERSION_RESULT_NOT_READY') return error;
  const { detail } = createErrorDetail(error, '');
  const reason = error.details.moreInfo;
  return new RequestError(404, reason ? `Task result not found. The task failed: ${reason}` : String(detail));
}

export const listTasks = defineConversionRoute({
  method: 'GET',
  path: '/v1/tasks',
  summary: 'The tasks of your key or token, newest first. Without a key or token the list is empty.',
  tags,
  needsKey: true,
  query: Type.Object({
    state: Type.Optional(oneOf(taskStates, { description: 'Only tasks in this state.' })),
    limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
    offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
  }),
  replies: { 'application/json': TaskPage },
  refusals: [503],
  handler: async ({ query, tenant, isKnown, conversion }) => {
    // Without a key or token, only the id protects a task, so ids are not listed.
    const { items, total } = isKnown ? await conversion.tasks.list(tenant, query) : { items: [], total: 0 };
    const headers: Record<string, string> = isKnown ? {} : { Warning: `299 - "${unlistedNote}"` };
    return { json: { tasks: items, total, limit: query.limit, offset: query.offset }, headers };
  },
});

export const deleteTask = defineConversionRoute({
  method: 'DELETE',
  path: '/v1/tasks/{task_id}',
  summary: 'Cancels an unfinished task; a finished one is not changed. Returns the task.',
  tags,
  needsKey: true,
  params: TaskId,
  replies: taskReplies,
  refusals: [404, 503],
  handler: async ({ params, tenant, conversion }) => ({ json: await conversion.tasks.cancel(tenant, params.task_id) }),
});

export const clearResults = defineConversionRoute({
  method: 'GET',
  path: '/v1/clear/results',
  operationId: 'clearResults',
  summary: 'Deletes your tasks that finished at least `older_then` seconds ago, with their results.',
  tags: ['clear'],
  needsKey: true,
  audit: 'change',
  // Clients use this spelling.
  query: Type.Object({ older_then: Type.Number({ default: 3_600, minimum: 0, description: 'Seconds.' }) }),
  replies: { 'application/json': Ok },
  refusals: [403, 503],
  handler: async ({ query, tenant, isKnown, conversion }) => {
    if (!isKnown)
      throw new RequestError(403, 'Forbidden. Results are cleared for callers with an API key or a token only.');
    await conversion.tasks.clear(tenant, query.older_then);
    return { json: { status: 'ok' } };
  },
});

export const clearConverters = defineConversionRoute({
  method: 'GET',
  path: '/v1/clear/converters',
  operationId: 'clearConverters',
  summary: 'Does nothing: this server keeps no converters in memory.',
  tags: ['clear'],
  needsKey: true,
  replies: { 'application/json': Ok },
  refusals: [],
  handler: () => ({ json: { status: 'ok' } }),
});

export const taskProgress = defineConversionRoute({
  method: 'POST',
  path: '/v1/callback/task/progress',
  operationId: 'reportTaskProgress',
  summary: 'Accepted for compatibility: tasks of this server report their own progress.',
  tags,
  needsKey: true,
  audit: 'none',
  isHidden: true,
  replies: { 'application/json': Type.Object({ status: Type.Literal('ack') }) },
  refusals: [400, 404, 413],
  handler: async ({ context, tenant, conversion, settings }) => {
    const { task_id: id } = await readProgress(context, settings.maxJsonBytes);
    await conversion.tasks.get(tenant, id);
    return { json: { status: 'ack' } };
  },
});

async function readProgress(
  context: ConversionExchange<unknown, unknown>['context'],
  maxBytes: number,
): Promise<{ task_id: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of readRequestBytes(context, Math.min(maxBytes, maxProgressBytes))) chunks.push(chunk);
  const id = findProgressTaskId(Buffer.concat(chunks).toString('utf8'));
  if (id === undefined) throw new RequestError(400, 'Invalid progress payload.');
  return { task_id: id };
}

function findProgressTaskId(text: string): string | undefined {
  try {
    const { task_id: id, progress } = JSON.parse(text) as { task_id?: unknown; progress?: unknown };
    const isProgress = typeof progress === 'object' && progress !== null && 'kind' in progress;
    return typeof id === 'string' && isProgress ? id : undefined;
  } catch {
    return undefined;
  }
}

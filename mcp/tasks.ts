import { ProtocolError, ProtocolErrorCode, RELATED_TASK_META_KEY } from '@modelcontextprotocol/server';
import { AppError } from '../model/errors';
import { cut, formatError, fitBlocks } from './answer';
import type { LongWork, Tool, ToolContext, WorkState } from './tool';

/** A task as revision 2025-11-25 of the protocol describes it; task-extension.ts has the one of revision 2026-07-28. */
interface Task extends Record<string, unknown> {
  taskId: string;
  status: WorkState['status'];
  statusMessage: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** Null: settings of the server decide how long results are kept, not the client. */
  ttl: null;
  pollInterval: number;
}

/** The server capabilities for tasks. */
export const taskCapability = { cancel: {}, requests: { tools: { call: {} } } };

/** How often clients should ask for the state of a task. */
const pollMs = 2_000;
/** The latest moment that a `Date` can hold (ECMAScript, Time Values). */
const maxDateMs = 8.64e15;

/**
 * Starts long work. The id of its task names the tool, the moment, and the work, so that any api process can answer for it
 * without a separate record.
 */
export async function startWork(name: string, work: LongWork, input: unknown, context: ToolContext) {
  const createdAt = Date.now();
  const id = await work.start(input, context);
  return { taskId: [name, createdAt.toString(36), id].join('/'), createdAt, id };
}

/** Starts the work of a tool as a task. */
export async function startTask(tool: Tool, input: unknown, context: ToolContext) {
  if (!tool.work)
    throw new ProtocolError(
      ProtocolErrorCode.MethodNotFound,
      `${tool.name} answers at once and cannot run as a task; only tools with execution.taskSupport can.`,
    );
  const { taskId, createdAt, id } = await startWork(tool.name, tool.work, input, context);
  const state = await tool.work.read(id, context);
  // The validator of the library expects content in each result of a call.
  return { content: [], task: describeTask(taskId, createdAt, state) };
}

/** The state of a task. */
export async function readTask(tools: readonly Tool[], taskId: string, context: ToolContext): Promise<Task> {
  const { work, createdAt, id } = findWork(tools, taskId);
  return describeTask(taskId, createdAt, await work.read(id, context));
}

/** Waits for the end of a task, with progress, and returns what the tool answers. */
export async function readTaskResult(tools: readonly Tool[], taskId: string, context: ToolContext) {
  const { work, id } = findWork(tools, taskId);
  const _meta = { [RELATED_TASK_META_KEY]: { taskId } };
  try {
    return { content: fitBlocks(await work.result(id, context)), _meta };
  } catch (error) {
    return { content: [{ type: 'text' as const, text: formatError(error) }], isError: true, _meta };
  }
}

/** Cancels a task, which does not change afterwards. */
export async function cancelTask(tools: readonly Tool[], taskId: string, context: ToolContext): Promise<Task> {
  const { work, createdAt, id } = findWork(tools, taskId);
  const { status } = await work.read(id, context);
  if (status !== 'working')
    throw new AppError('JOB_RUN_INVALID_STATE', `The task is ${status}, so it cannot be cancelled.`);
  await work.cancel(id, context);
  return describeTask(taskId, createdAt, { status: 'cancelled', message: 'The task was cancelled.' });
}

/** A task as revision 2025-11-25 describes it. */
export function describeTask(taskId: string, createdAt: number, { status, message }: WorkState): Task {
  return {
    taskId,
    status,
    statusMessage: cut(message, 1_000),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(Math.max(createdAt, Date.now())).toISOString(),
    ttl: null,
    pollInterval: pollMs,
  };
}

/** The work that a task id names. Throws NOT_FOUND for an id that no tool can have issued. */
export function findWork(tools: readonly Tool[], taskId: string) {
  const [name = '', created = '', ...idParts] = taskId.split('/');
  const work = tools.find((tool) => tool.name === name)?.work;
  const createdAt = Number.parseInt(created, 36);
  if (!work || !/^[0-9a-z]{1,11}$/.test(created) || createdAt > maxDateMs)
    throw new AppError('NOT_FOUND', `There is no task '${cut(taskId, 100)}'.`);
  return { work, createdAt, id: idParts.join('/') };
}

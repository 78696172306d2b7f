import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { createTimeLimit } from '../model/time/time-limit';
import { formatError, fitBlocks } from './answer';
import { describeTask, findWork, startWork } from './tasks';
import type { LongWork, Tool, ToolContext, WorkState } from './tool';

/** The extension of revision 2026-07-28 in which the server decides whether a call becomes a task. */
export const taskExtension = 'io.modelcontextprotocol/tasks';

/** How long a call waits for its result before it becomes a task. */
const graceMs = 2_000;

/** True if the client takes tasks as answers. It says so in each request. */
export function acceptsTasks({ mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const declared = (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined)?.extensions;
  return declared !== undefined && taskExtension in declared;
}

/** Refuses methods of tasks to clients that do not declare the extension. */
export function requireTaskClient(context: ServerContext): void {
  if (acceptsTasks(context)) return;
  throw createTaskClientError();
}

/**
 * The refusal of a `subscriptions/listen` that names tasks, from a client that does not declare the extension; undefined for all other
 * messages. The library answers that method itself, without asking.
 */
export function findTaskSubscriptionError(message: unknown) {
  if (!isRecord(message) || message['method'] !== 'subscriptions/listen' || !isRecord(message['params']))
    return undefined;
  const { notifications, _meta: envelope } = message['params'];
  if (!isRecord(notifications) || notifications['taskIds'] === undefined) return undefined;
  const capabilities = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const declared = isRecord(capabilities) ? capabilities['extensions'] : undefined;
  if (isRecord(declared) && taskExtension in declared) return undefined;
  const { code, message: text, data } = createTaskClientError();
  const id = message['id'];
  const isId = typeof id === 'string' || typeof id === 'number';
  return { jsonrpc: '2.0' as const, ...(isId && { id }), error: { code, message: text, data } };
}

/** Answers these subscriptions of a transport that is being served, before they reach the library. */
export function refuseTaskSubscriptions(transport: Transport): void {
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const refusal = findTaskSubscriptionError(message);
    if (!refusal) return receive?.(message, extra);
    transport.send(refusal).catch((error: Error) => transport.onerror?.(error));
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const createTaskClientError = () =>
  new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [taskExtension]: {} } } },
    `Tasks need the extension ${taskExtension} in the clientCapabilities of the request.`,
  );

/** The result of a tool that is done soon; otherwise the task that continues the work. */
export async function callAsTask(tool: Tool & { work: LongWork }, input: unknown, context: ToolContext) {
  const { taskId, createdAt, id } = await startWork(tool.name, tool.work, input, context);
  const grace = createTimeLimit(graceMs);
  const limitedContext = { ...context, signal: AbortSignal.any([context.signal, grace]) };
  const result = await readResult(tool.work, id, limitedContext);
  if (!grace.aborted) return result;
  const state = await tool.work.read(id, context);
  if (state.status !== 'working') return readResult(tool.work, id, context);
  // The validator of the library expects content in each result of a call.
  return { resultType: 'task', content: [], ...describeExtended(taskId, createdAt, state) };
}

/** The state of a task, with the result once it has ended. The extension counts a task whose tool failed as completed. */
export async function readDetailedTask(tools: readonly Tool[], taskId: string, context: ToolContext) {
  const { work, createdAt, id } = findWork(tools, taskId);
  const state = await work.read(id, context);
  const { status } = state;
  if (status === 'working' || status === 'cancelled') return describeExtended(taskId, createdAt, state);
  const result = { resultType: 'complete', ...(await readResult(work, id, context)) };
  return { ...describeExtended(taskId, createdAt, { ...state, status: 'completed' }), result };
}

/** Cancels a task. A task that has ended stays as it is. */
export async function requestCancel(tools: readonly Tool[], taskId: string, context: ToolContext) {
  const { work, id } = findWork(tools, taskId);
  const { status } = await work.read(id, context);
  if (status === 'working') await work.cancel(id, context);
  return {};
}

/** Accepts input for a task and ignores it, because no task asks for any. Throws NOT_FOUND if there is no such task. */
export async function ignoreInput(tools: readonly Tool[], taskId: string, context: ToolContext) {
  const { work, id } = findWork(tools, taskId);
  await work.read(id, context);
  return {};
}

/** A task as the extension describes it: two members have other names than in revision 2025-11-25. */
function describeExtended(taskId: string, createdAt: number, state: WorkState) {
  const { ttl: ttlMs, pollInterval: pollIntervalMs, ...task } = describeTask(taskId, createdAt, state);
  return { ...task, ttlMs, pollIntervalMs };
}

async function readResult(work: LongWork, id: string, context: ToolContext) {
  try {
    return { content: fitBlocks(await work.result(id, context)) };
  } catch (error) {
    return { content: [{ type: 'text' as const, text: formatError(error) }], isError: true };
  }
}

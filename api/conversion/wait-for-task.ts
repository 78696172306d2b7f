import { isFinalTask, type TaskDescriptor } from '../../model/conversion/task/task';
import { RequestError } from './http/request-error';
import type { ConversionExchange } from './http/route';

type Exchange = ConversionExchange<unknown, unknown>;

/**
 * Waits for the end of a task in a synchronous call. After the limit it throws 504 and the task continues. A client that
 * disconnects cancels the task. A failed task throws its reason.
 */
export async function waitForTask(exchange: Exchange, task: TaskDescriptor): Promise<TaskDescriptor> {
  const { conversion, settings, tenant, signal, options } = exchange;
  const ended = await conversion.tasks.wait(tenant, task.task_id, settings.maxSyncWaitMs, signal);
  if (signal.aborted && !isFinalTask(ended.task_status)) {
    // A server that is stopping also closes connections, which is not a request to cancel.
    if (options.closing?.aborted) throw new RequestError(499, 'The server is stopping; the task continues.');
    await conversion.tasks.cancel(tenant, task.task_id);
    throw new RequestError(499, 'The client went away; the task was cancelled.');
  }
  if (!isFinalTask(ended.task_status)) throw createTimeoutError(settings.maxSyncWaitMs, task.task_id);
  if (ended.task_status === 'failure') throw createTaskFailedError(ended);
  return ended;
}

function createTimeoutError(limitMs: number, id: string): RequestError {
  // Word for word what clients of this protocol know, with its slip.
  const seconds = limitMs / 1_000;
  return new RequestError(
    504,
    `Conversion is taking too long. The maximum wait time is configure as DOCLING_SERVE_MAX_SYNC_WAIT=${seconds}.`,
    { 'X-Task-Id': id, Location: `/v1/status/poll/${id}` },
  );
}

/** The error for a failed task: 422 when the same request would fail again, otherwise a status that means try later. */
function createTaskFailedError({ task_id: id, error_message: message, failure }: TaskDescriptor): RequestError {
  const detail = message ?? failure?.message ?? 'Internal processing error.';
  const headers = { 'X-Task-Id': id };
  if (failure?.category === 'timeout') return new RequestError(504, detail, headers);
  if (failure?.category === 'target_unavailable') return new RequestError(502, detail, headers);
  if (failure?.retryable) return new RequestError(503, detail, { ...headers, 'Retry-After': '1' });
  return new RequestError(failure?.category === 'internal' ? 500 : 422, detail, headers);
}

import { AppError, asAppError, type ErrorCode, errorCatalogue } from '../../../model/errors';
import { RequestError } from './request-error';

// Clients compare the first text, and check the start of the second.
const texts: Partial<Record<ErrorCode, string>> = {
  CONVERSION_TASK_NOT_FOUND: 'Task not found.',
  CONVERSION_RESULT_NOT_READY: 'Task result not found. Please wait for a completion status.',
  TABLE_NOT_FOUND: 'Task not found.',
  UNAUTHORIZED: 'Unauthorized',
  NOT_FOUND: 'Not Found',
  METHOD_NOT_ALLOWED: 'Method Not Allowed',
};
const statuses: Partial<Record<ErrorCode, number>> = { VALIDATION_ERROR: 422, TABLE_NOT_FOUND: 404 };

/** Status, headers and `detail` for any error. With status 500, `detail` contains only the trace id. */
export function createErrorDetail(
  error: unknown,
  trace: string,
): { status: number; headers: Readonly<Record<string, string>>; detail: unknown } {
  if (error instanceof RequestError) return error;
  const { code, message, details } = asAppError(error);
  const status = statuses[code] ?? errorCatalogue[code].status;
  if (status === 500) return { status, headers: {}, detail: `Internal Server Error (trace ${trace}).` };
  const waitMs = details.retryAfterMs ?? (status === 503 ? 1_000 : undefined);
  const headers: Record<string, string> =
    waitMs === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1_000))) };
  return { status, headers, detail: texts[code] ?? message };
}

/** True for the error of a task that does not exist or belongs to another tenant. */
export function isTaskNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'CONVERSION_TASK_NOT_FOUND';
}

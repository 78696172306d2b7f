import {
  type Connection,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { AppError } from '../../model/errors';

const callTimeoutMs = 8_000;
/** Errors that callers handle individually. All others are wrapped. */
const expectedErrors = [
  AppError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
];
/** gRPC status code INVALID_ARGUMENT. */
const invalidArgument = 3;

/**
 * Calls Temporal with a deadline. Throws WORKFLOW_ENGINE_UNAVAILABLE when it does not answer, VALIDATION_ERROR when it rejects an
 * argument.
 */
export async function callTemporal<T>(
  { connection, address }: { connection: Connection; address: string },
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await connection.withDeadline(Date.now() + callTimeoutMs, action);
  } catch (error) {
    if (expectedErrors.some((expected) => error instanceof expected)) throw error;
    const rootCause = findRootCause(error);
    const reason = error instanceof Error ? error.message : String(error);
    if (isGrpcServiceError(rootCause) && (rootCause.code as number) === invalidArgument)
      throw new AppError(
        'VALIDATION_ERROR',
        `Temporal rejects the request: ${rootCause.details || reason}.`,
        {},
        error,
      );
    if (!isGrpcServiceError(rootCause) && !/deadline|unavailable|connect/i.test(reason)) throw error;
    throw new AppError('WORKFLOW_ENGINE_UNAVAILABLE', `Temporal at ${address} does not answer: ${reason}.`, {}, error);
  }
}

function findRootCause(error: unknown): unknown {
  return error instanceof Error && error.cause ? findRootCause(error.cause) : error;
}

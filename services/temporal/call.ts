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
/** Answers of Temporal, which callers tell apart; everything else is wrapped. */
const answers = [
  AppError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
];
/** INVALID_ARGUMENT among the status codes of gRPC. */
const invalidArgument = 3;

/** Asks Temporal within a deadline. WORKFLOW_ENGINE_UNAVAILABLE when it does not answer, VALIDATION_ERROR when it refuses what it was given. */
export async function callTemporal<T>(
  { connection, address }: { connection: Connection; address: string },
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await connection.withDeadline(Date.now() + callTimeoutMs, action);
  } catch (error) {
    if (answers.some((known) => error instanceof known)) throw error;
    const root = rootOf(error);
    const reason = error instanceof Error ? error.message : String(error);
    if (isGrpcServiceError(root) && (root.code as number) === invalidArgument)
      throw new AppError('VALIDATION_ERROR', `Temporal refuses this: ${root.details || reason}.`, {}, error);
    if (!isGrpcServiceError(root) && !/deadline|unavailable|connect/i.test(reason)) throw error;
    throw new AppError('WORKFLOW_ENGINE_UNAVAILABLE', `Temporal at ${address} does not answer: ${reason}.`, {}, error);
  }
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause ? rootOf(error.cause) : error;
}

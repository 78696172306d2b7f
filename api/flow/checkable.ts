import { AppError } from '../../model/errors';
import { createTimeLimit } from '../../model/time/time-limit';

interface Problem {
  message: string;
  pointer?: string;
}

/** Throws OPERATOR_CONFIGURATION_INVALID with every problem of a configuration that is to be checked. */
export function requireCheckable(what: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new AppError(
    'OPERATOR_CONFIGURATION_INVALID',
    `${what} cannot be checked: ${problems.map(({ message }) => message).join(' ')}`,
    {
      problems: problems.map(({ message, pointer }) => ({
        message,
        target: { type: 'field', name: `config${(pointer ?? '').replaceAll('/', '.')}` },
      })),
    },
  );
}

const defaultCheckMs = 30_000;

/** Passes the check a signal that also ends it after `limitMs`. It then fails with its own error, or with SERVICE_UNAVAILABLE. */
export async function limitCheck<Result>(
  signal: AbortSignal,
  check: (limited: AbortSignal) => Promise<Result>,
  limitMs = defaultCheckMs,
): Promise<Result> {
  const limit = createTimeLimit(limitMs);
  try {
    return await check(AbortSignal.any([signal, limit]));
  } catch (error) {
    if (!limit.aborted || error instanceof AppError) throw error;
    throw new AppError('SERVICE_UNAVAILABLE', `There was no answer within ${limitMs / 1_000} s.`, {}, error);
  }
}

import { AppError } from '../../model/errors';

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

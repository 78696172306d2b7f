import { ApiError } from '../../client/api-error';
import { asGraphAppError, ConfigurationError, GraphLibraryError, ValueError } from '../../graph';
import { findServiceError } from '../../graph/failure';
import { AppError } from '../../model/errors';
import { exitCodes } from '../exit-codes';
import { asCommandError, isInterruption, isMisuse } from '../report-error';

/**
 * Runs the action of a graph command. Prints errors of the library on standard error, those of a model host in the host's words;
 * with `--json` also as the object `{ok: false, error, code, message, details}` on standard output. The exit code is 2 for
 * invalid input and 1 for other failures.
 */
export async function reportOutcome(isJson: boolean | undefined, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (isInterruption(error)) throw error;
    const refusal = findOutsideError(error) ?? findServiceError(error) ?? asGraphAppError(error);
    if (!(refusal instanceof AppError)) throw error;
    const isInputError = error instanceof ConfigurationError || error instanceof ValueError;
    process.exitCode = isInputError || isMisuse(refusal.code) ? exitCodes.usage : exitCodes.failed;
    if (isJson) process.stdout.write(`${JSON.stringify(buildErrorRecord(error, refusal), null, 2)}\n`);
    process.stderr.write(formatErrorLines(error, refusal));
  }
}

/** The error that an API answered, or of a file, folder or address that cannot be used: as other commands report it. */
function findOutsideError(error: unknown): AppError | undefined {
  const isOutside = error instanceof ApiError || (error instanceof Error && 'syscall' in error);
  return isOutside ? asCommandError(error) : undefined;
}

function buildErrorRecord(error: unknown, { code, message }: AppError) {
  const details = error instanceof GraphLibraryError ? error.details : {};
  return { ok: false, error: error instanceof Error ? error.name : 'Error', code, message, details };
}

function formatErrorLines(error: unknown, { code, message, details }: AppError): string {
  const lines = [`docloom: ${message} (${code})`];
  for (const problem of details.problems ?? []) lines.push(`  - ${problem.message}`);
  if (!details.problems && error instanceof GraphLibraryError)
    for (const [key, value] of Object.entries(error.details))
      lines.push(`  ${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return `${lines.join('\n')}\n`;
}

/** Prints a value as JSON, like all commands with `--json`. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, toJsonSafe, 2)}\n`);
}

// JSON.stringify throws for a bigint.
const toJsonSafe = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

import { CommanderError } from 'commander';
import { ApiError } from '../client/api-error';
import { AppError, type ErrorCode, errorCatalogue } from '../model/errors';
import { exitCodes } from './exit-codes';

/** Refusals that are not mistakes in the command: they depend on state, time, user or the answer of a model. */
const refusedForNow: readonly ErrorCode[] = [
  'ALREADY_RUNNING',
  'CONVERSION_RESULT_NOT_READY',
  'EMBEDDING_REFUSED',
  'FLOW_IN_USE',
  'FORBIDDEN',
  'GRAPH_EXTRACTION_FAILED',
  'GRAPH_LIMIT_REACHED',
  'GRAPH_NOT_READY',
  'JOB_RUN_BUSY',
  'JOB_RUN_INVALID_STATE',
  'JOB_RUN_NOT_FINISHED',
  'MODEL_REQUEST_REFUSED',
  'REMOVAL_INVALID_STATE',
  'SOURCE_SIGN_IN_FAILED',
  'TOO_MANY_REQUESTS',
  'UNAUTHORIZED',
];
/** Mistakes in settings or in what is installed, which the API reports as its own failure. */
const wrongSetup: readonly ErrorCode[] = ['INVALID_CONFIGURATION', 'INSTALLATION_MISMATCH', 'OPTIONAL_PACKAGE_MISSING'];

/**
 * True for an error that the caller has to correct: in the command, an option, a setting, or what they name (exit code
 * 2).
 */
export function isMisuse(code: ErrorCode): boolean {
  const { status } = errorCatalogue[code];
  return wrongSetup.includes(code) || (status >= 400 && status < 500 && !refusedForNow.includes(code));
}

/**
 * Prints the error that ended a command and returns its exit code: 2 for misuse, 1 for other failures. One line on standard
 * error, plus a list if there are several problems; with `isJson` also `{ok: false, error, code, message, details}` on
 * standard output.
 */
export function reportError(error: unknown, isJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.completed;
  if (isInterruption(error)) {
    process.stderr.write('docloom: cancelled\n');
    return exitCodes.cancelled;
  }
  const appError = asCommandError(error);
  if (isJson) process.stdout.write(`${JSON.stringify(toRecord(error, appError), null, 2)}\n`);
  // Commander has already printed the help of a command that needs a subcommand.
  if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
  if (!appError) {
    process.stderr.write(`docloom: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCodes.failed;
  }
  process.stderr.write(`docloom: ${appError.message} (${appError.code})\n`);
  // A message that contains its problems needs no list of them.
  const problems = (appError.details.problems ?? []).filter(({ message }) => !appError.message.includes(message));
  for (const { message } of problems) process.stderr.write(`  - ${message}\n`);
  return isMisuse(appError.code) ? exitCodes.usage : exitCodes.failed;
}

/** True for the error of a command that Ctrl-C ended. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Converts an error to one of the catalogue; undefined for a bug, which is shown with its stack. */
export function asCommandError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof CommanderError) return new AppError('VALIDATION_ERROR', describeMisuse(error), {}, error);
  if (error instanceof ApiError) return toApiError(error);
  if (typeof error !== 'object' || error === null || !('syscall' in error)) return undefined;
  // A system error names the file or address; our stack would add nothing.
  const isFile = 'path' in error;
  const reason = describeFailure(error as NodeJS.ErrnoException);
  return new AppError(isFile ? 'INVALID_CONFIGURATION' : 'CONNECTION_ERROR', `${reason}.`, {}, error);
}

/** The message of Commander as one sentence. */
function describeMisuse({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A subcommand is missing; the help lists them.';
  const [first = '', ...hints] = describeInvalidValue(message.replace(/^error: /, '')).split('\n');
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
  const text = [
    sentence.endsWith('.') ? sentence : `${sentence}.`,
    ...hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')),
  ];
  return text.join(' ');
}

const invalidValue = [
  /^option '(?<target>[^']*)' argument '(?<value>[^]*)' is invalid\. (?<reason>[^]*)$/,
  /^command-argument value '(?<value>[^]*)' is invalid for argument '(?<target>[^']*)'\. (?<reason>[^]*)$/,
];

/** The message of Commander about a value of an option or argument, with what was expected; other messages as they are. */
function describeInvalidValue(message: string): string {
  const groups = invalidValue.map((pattern) => pattern.exec(message)?.groups).find(Boolean);
  if (!groups) return message;
  const { target, value, reason = '' } = groups;
  const choices = /^(?:Allowed choices are|'[^']*' is not one of) (?<list>[^]*?)\.?$/.exec(reason)?.groups?.['list'];
  return `'${value}' is not a value of ${target}. ${choices === undefined ? reason : `Expected one of: ${choices}.`}`;
}

/** Converts an error reply of the api, keeping its code if the catalogue contains it. */
function toApiError(error: ApiError): AppError {
  const { code, entries, trace } = error;
  const message = `${error.message}${getCertificateHint(error)}${getTokenHint(error)}`;
  const errorCode = (code in errorCatalogue ? code : 'INTERNAL_ERROR') as ErrorCode;
  const problems = entries.length > 1 ? { problems: entries.map((entry) => ({ message: entry.message })) } : {};
  return new AppError(
    errorCode,
    trace && errorCode === 'INTERNAL_ERROR' ? `${message} (trace ${trace})` : message,
    problems,
  );
}

/** Explains what to do about a certificate that Node refuses. A command never switches the checks off. */
function getCertificateHint(error: ApiError): string {
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause)
    if (/CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(String((cause as NodeJS.ErrnoException).code)))
      return ' If the certificate is one of your own authority, name the file of that authority in NODE_EXTRA_CA_CERTS.';
  return '';
}

/** Names the variable that may hold a refused token: a new login would not replace it. */
function getTokenHint({ code }: ApiError): string {
  const isSet = Boolean(process.env['DOCLOOM_TOKEN']?.trim());
  return code === 'UNAUTHORIZED' && isSet
    ? ' DOCLOOM_TOKEN is set: commands with --server use it in place of the login.'
    : '';
}

function describeFailure(error: NodeJS.ErrnoException): string {
  const { code, path } = error;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `This user may not write to or read '${path}' (${error.message})`;
  return path === undefined ? error.message : `A file or folder cannot be used: ${error.message}`;
}

function toRecord(error: unknown, appError: AppError | undefined) {
  const name = error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  if (!appError) return { ok: false, error: name, code: 'INTERNAL_ERROR', message, details: {} };
  return { ok: false, error: name, code: appError.code, message: appError.message, details: appError.details };
}

import { AppError, asAppError, errorCatalogue, spellCode } from '../../model/errors';
import type { ErrorEntry, ErrorReply } from '../../model/wire-errors';

/** How an error is formatted for a client. `invalidStatus` replaces the status of VALIDATION_ERROR. */
export interface ErrorStyle {
  codeCase: 'upper' | 'lower';
  trace: string;
  invalidStatus?: number;
}

/**
 * The status and body of an error, with one entry per problem. With status 500, the body contains the code, its text from the
 * catalogue and the trace id, never the message.
 */
export function createErrorBody(error: unknown, style: ErrorStyle): { status: number; body: ErrorReply } {
  const appError = asAppError(error);
  const status = appError.code === 'VALIDATION_ERROR' ? (style.invalidStatus ?? appError.status) : appError.status;
  const errors = status === 500 ? [toOpaqueEntry(appError, style)] : listEntries(appError, style);
  const body: ErrorReply = { errors, trace: style.trace, status_code: status };
  return { status, body: status === 413 ? { ...body, detail: appError.message } : body };
}

/** The headers of an error reply with this status. */
export function createErrorHeaders(status: number, error: unknown): Record<string, string> {
  const waitMs = error instanceof AppError ? error.details.retryAfterMs : undefined;
  return {
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(waitMs === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1_000))) }),
  };
}

function toOpaqueEntry({ code }: AppError, { codeCase }: ErrorStyle): ErrorEntry {
  return { code: spellCode(code, codeCase), message: errorCatalogue[code].text };
}

function listEntries({ code: plainCode, message, details }: AppError, { codeCase }: ErrorStyle): ErrorEntry[] {
  const code = spellCode(plainCode, codeCase);
  const moreInfo = details.moreInfo === undefined ? {} : { more_info: details.moreInfo };
  const problems = details.problems?.length ? details.problems : [{ message, target: details.target }];
  return problems.map((problem) => ({
    code,
    message: problem.message,
    ...(problem.target ? { target: problem.target } : {}),
    ...moreInfo,
  }));
}

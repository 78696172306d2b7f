import { maskText } from '../flow/secrets';
import { conversionErrors } from './conversion';
import { documentSetErrors } from './document-set';
import type { ErrorEntry } from './entry';
import { flowErrors } from './flow';
import { graphErrors } from './graph';
import { llmErrors } from './llm';
import { loginErrors } from './login';
import { operatorErrors } from './operator';
import { requestErrors } from './request';
import { runErrors } from './run';
import { searchErrors } from './search';
import { serverErrors } from './server';
import { sourceErrors } from './source';

const entries = {
  ...flowErrors,
  ...runErrors,
  ...operatorErrors,
  ...documentSetErrors,
  ...sourceErrors,
  ...searchErrors,
  ...conversionErrors,
  ...llmErrors,
  ...graphErrors,
  ...loginErrors,
  ...requestErrors,
  ...serverErrors,
};

/** A code of the catalogue. Codes never change between versions: clients and retry policies depend on them. */
export type ErrorCode = keyof typeof entries;

/**
 * All error codes of the product, one file per subject. Codes are sent as written here, or in lower case with
 * `DOCLOOM_ERROR_CODE_CASE=lower`.
 */
export const errorCatalogue: Readonly<Record<ErrorCode, ErrorEntry>> = entries;

/** Optional data of an error. `target` names the invalid field, parameter or header. */
export interface ErrorDetails {
  target?: { type: 'parameter' | 'field' | 'header'; name: string };
  moreInfo?: string;
  /** One entry per problem when several are reported together. The error message is then a summary. */
  problems?: { message: string; target?: ErrorDetails['target'] }[];
  /** The delay requested by the failing service. */
  retryAfterMs?: number;
  /** Set when the caller must not wait and retry, regardless of the code. */
  isFinal?: boolean;
}

/** The only error class used across folders: a code for programs, and a message for people (given, expected, where). */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly details: ErrorDetails;
  constructor(
    readonly code: ErrorCode,
    message: string,
    details: ErrorDetails = {},
    override readonly cause?: unknown,
  ) {
    super(maskText(message));
    const problems = details.problems?.map((problem) => ({ ...problem, message: maskText(problem.message) }));
    this.details = problems ? { ...details, problems } : details;
  }
  /** The HTTP status of the code. */
  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** True for the errors of Node.js on a full disk, or when a quota is used up. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/**
 * Returns an AppError unchanged; wraps any other error in an AppError with the code `fallback` and the error as its cause. A full disk is
 * always a STORAGE_ERROR, which passes when somebody makes room.
 */
export function asAppError(error: unknown, fallback: ErrorCode = 'INTERNAL_ERROR'): AppError {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) return new AppError('STORAGE_ERROR', 'The disk is full.', {}, error);
  return new AppError(fallback, error instanceof Error ? error.message : String(error), {}, error);
}

/** The code as sent to clients: in upper case, or in the lower-case spelling of the reference system. */
export function spellCode(code: ErrorCode, letterCase: 'upper' | 'lower'): string {
  if (letterCase === 'upper') return code;
  return errorCatalogue[code].lower ?? code.toLowerCase();
}

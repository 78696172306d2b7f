import { ApiError } from './api';
import { texts } from './texts';

/** How browsers name the failure to read a file that was moved, removed or changed after it was chosen. */
const unreadable: readonly string[] = ['NotFoundError', 'NotReadableError'];

/** An error in words for a person. The reasons that browsers give for lost connections differ and say nothing. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError && error.status === 0) return texts.common.noAnswer;
  if (error instanceof DOMException && unreadable.includes(error.name)) return texts.common.fileGone;
  return error instanceof Error ? error.message : String(error);
}

import type { RequestProblem } from '../../../model/conversion/request/check-value';

/** An answer of the conversion service other than success: `detail` is a sentence, or the list of what is wrong. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  constructor(
    readonly status: number,
    readonly detail: string | readonly RequestProblem[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join(' '));
  }
}

/** Throws the list of what is wrong with a request as 422, unless it is empty. */
export function refuseProblems(problems: readonly RequestProblem[]): void {
  if (problems.length > 0) throw new RequestError(422, problems);
}

import type { RequestProblem } from '../../../model/conversion/request/check-value';

/** An error reply of the conversion service: `detail` is a sentence, or a list of problems. */
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

/** Throws 422 with the list of problems, unless it is empty. */
export function refuseProblems(problems: readonly RequestProblem[]): void {
  if (problems.length > 0) throw new RequestError(422, problems);
}

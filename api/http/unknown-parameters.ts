import { AppError } from '../../model/errors';
import { findNearestName } from '../../model/nearest-name';
import type { Route } from './route';

/** The header lists at most this many parameters. */
const maxListed = 10;

/**
 * The value of the header Warning for parameters of the query that the route does not have; undefined if it has all. Throws
 * VALIDATION_ERROR for one that is probably a typing error: without its filter or option, the request would do something else.
 */
export function warnOfUnknownParameters(
  { auth, query }: Pick<Route, 'auth' | 'query'>,
  input: object,
): string | undefined {
  if (auth === 'none') return undefined;
  const knownNames = Object.keys(query.properties);
  const unknown = Object.keys(input).filter((name) => !knownNames.includes(name));
  for (const name of unknown) {
    const meant = findNearestName(name, knownNames);
    if (meant === undefined) continue;
    throw new AppError('VALIDATION_ERROR', `There is no parameter '${name}' (did you mean '${meant}'?).`, {
      target: { type: 'parameter', name },
    });
  }
  const warnings = unknown.slice(0, maxListed).map((name) => {
    const subject = /^\w{1,100}$/.test(name) ? `The parameter ${name}` : 'A parameter';
    return `299 - "${subject} is unknown and was ignored."`;
  });
  return warnings.length > 0 ? warnings.join(', ') : undefined;
}

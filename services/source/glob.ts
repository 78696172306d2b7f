import { RE2JS } from 're2js';
import { AppError } from '../../model/errors';
import { toGlobExpression, findGlobProblem } from '../../model/glob';

/**
 * Returns a matcher for paths with `/` between their names. A glob without `/` matches names at any depth; a leading `!` inverts
 * the match. Runs in linear time for any glob. Throws OPERATOR_CONFIGURATION_INVALID for an unusable glob.
 */
export function createGlobMatcher(glob: string): (path: string) => boolean {
  const isNegated = glob.startsWith('!') && !glob.startsWith('!(');
  const pattern = isNegated ? glob.slice(1) : glob;
  const problem = findGlobProblem(pattern);
  if (problem)
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `The pattern '${glob.slice(0, 200)}' cannot be used: ${problem}.`,
    );
  const expression = RE2JS.compile(toGlobExpression(pattern), RE2JS.DOTALL);
  const isForNames = !pattern.includes('/');
  return (path) => {
    const subject = isForNames ? path.slice(path.lastIndexOf('/') + 1) : path;
    return expression.test(subject) !== isNegated;
  };
}

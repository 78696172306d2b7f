import { RE2JS } from 're2js';
import { globExpression, globProblem } from '../../model/glob';
import { AppError } from '../../model/errors';

/**
 * Decides whether a path, with `/` between its names, is one that the glob speaks of: a glob without `/` speaks of names at any
 * depth, one with `!` before it of all the others. Linear in time, whatever the glob; OPERATOR_CONFIGURATION_INVALID for one that
 * cannot be used.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const isNegated = glob.startsWith('!') && !glob.startsWith('!(');
  const pattern = isNegated ? glob.slice(1) : glob;
  const problem = globProblem(pattern);
  if (problem)
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `The pattern '${glob.slice(0, 200)}' cannot be used: ${problem}.`,
    );
  const expression = RE2JS.compile(globExpression(pattern), RE2JS.DOTALL);
  const ofName = !pattern.includes('/');
  return (path) => expression.test(ofName ? path.slice(path.lastIndexOf('/') + 1) : path) !== isNegated;
}

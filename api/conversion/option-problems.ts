import type { Location, RequestProblem } from '../../model/conversion/request/check-value';
import { ConvertOptions } from '../../model/conversion/request/options';
import { findOptionRefusals, type OptionPolicy } from '../../model/conversion/request/policy';
import { settleOptions } from '../../model/conversion/request/settle-options';

/** Options of an invalid request. Their values are as converted by the schema. */
export interface InvalidOptions {
  options: unknown;
  /** The names that were sent. */
  names: ReadonlySet<string>;
  /** Where the options are in the request. */
  loc: Location;
  /** All problems that the schema found in the request. */
  problems: readonly RequestProblem[];
}

/**
 * The other problems of a request that is refused anyway: options that contradict each other or the settings of the server. Thus
 * one reply names all invalid options. Options that the schema refused count as not sent.
 */
export function findFurtherProblems(invalid: InvalidOptions, policy: OptionPolicy): RequestProblem[] {
  const { loc, problems } = invalid;
  const isAt = ({ loc: at }: RequestProblem) => loc.every((name, index) => at[index] === name);
  const wrong = new Set(problems.filter(isAt).map((problem) => problem.loc[loc.length]));
  const options = typeof invalid.options === 'object' && invalid.options !== null ? invalid.options : {};
  const usable = Object.entries(ConvertOptions.properties).map(([name, { default: defaultValue }]) => {
    const value: unknown = (options as Record<string, unknown>)[name];
    return [name, wrong.has(name) || value === undefined ? structuredClone(defaultValue) : value];
  });
  const names = new Set([...invalid.names].filter((name) => !wrong.has(name)));
  const settled = settleOptions(Object.fromEntries(usable) as ConvertOptions, names, loc);
  return [...settled.problems, ...toRefusalProblems(settled.options, loc, policy)];
}

/** What the settings of the server refuse, in the form of the other problems of a request. */
export function toRefusalProblems(options: ConvertOptions, loc: Location, policy: OptionPolicy): RequestProblem[] {
  return findOptionRefusals(options, policy).map((reason) => ({
    type: 'value_error',
    loc,
    msg: `Value error, ${reason}`,
  }));
}

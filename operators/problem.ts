import type { OperatorProblem } from '../model/flow/operator';

/** An error in the configuration of an operator. `pointer` is a JSON pointer into that configuration. */
export function createProblem(
  message: string,
  pointer: string,
  messageCode = 'OPERATOR_VALIDATION_FAILED',
): OperatorProblem {
  return { severity: 'error', messageCode, message, pointer };
}

/** Reports an output column whose name is reserved. `member` is the setting that names the column. */
export function findReservedName(member: string, column: unknown, reserved: readonly string[]): OperatorProblem[] {
  if (typeof column !== 'string' || !reserved.includes(column)) return [];
  const message = `${member} is '${column}', which is a column of every flow; choose another name.`;
  return [createProblem(message, `/${member}`)];
}

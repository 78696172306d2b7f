import { AppError } from '../../model/errors';
import { anyColumn } from '../../model/flow/flow-columns';
import type { OperatorProblem } from '../../model/flow/operator';
import { mandatoryColumns } from '../../model/flow/row';
import { writeCriteria, writeList, listVariables } from '../rows/criteria';

/** Problems in `criteria_list` and `criteria_json`. Empty `columns` means unknown columns; the run then reports problems. */
export function listCriteriaProblems(input: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const wrong = getUnreadable(input);
  return wrong.length > 0 ? wrong : listUnknownColumns(input['criteria_json'], columns);
}

function getUnreadable(input: Record<string, unknown>): OperatorProblem[] {
  try {
    if (Array.isArray(input['criteria_list']) && input['criteria_list'].every((item) => typeof item === 'string'))
      writeList(input['criteria_list']);
    if (input['criteria_json'] !== undefined) writeCriteria(input['criteria_json']);
    return [];
  } catch (error) {
    if (error instanceof AppError) return [createFailure(error.details.target?.name ?? '', error.message)];
    throw error;
  }
}

function listUnknownColumns(criteria: unknown, columns: ReadonlySet<string>): OperatorProblem[] {
  const knownColumns = new Set([...columns].map((column) => column.toLowerCase()));
  const areColumnsKnown = columns.size > 0 && !columns.has(anyColumn);
  const unknown = !areColumnsKnown
    ? []
    : listVariables(criteria).filter((name) => !knownColumns.has(name.toLowerCase()));
  return [...new Set(unknown)].map((name) => ({
    severity: 'error',
    messageCode: 'SQL_FILTER_INVALID_COLUMN',
    message: `The criteria name the column '${name}', which no earlier operator provides.`,
    pointer: '/criteria_json',
  }));
}

/** A problem for mandatory columns that the configuration removes. */
export function createDropProblem(columns: readonly string[], pointer: string): OperatorProblem {
  return {
    severity: 'error',
    messageCode: 'DROPPING_MANDATORY_FEATURES',
    message: `The filter drops ${columns.join(', ')}; every row must keep ${mandatoryColumns.join(', ')}.`,
    pointer,
  };
}

/** A problem that prevents the operator from running. */
export function createFailure(pointer: string, message: string): OperatorProblem {
  return { severity: 'error', messageCode: 'OPERATOR_VALIDATION_FAILED', message, pointer };
}

import { AppError } from '../../model/errors';
import { anyColumn } from '../../model/flow/flow-columns';
import type { OperatorProblem } from '../../model/flow/operator';
import { mandatoryColumns } from '../../model/flow/row';
import { createProblem } from '../problem';
import { writeCriteria, writeList, listVariables } from '../rows/criteria';

/** Problems in `criteria_list` and `criteria_json`. Empty `columns` means unknown columns; the run then reports problems. */
export function listCriteriaProblems(input: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const unreadable = findUnreadable(input);
  return unreadable.length > 0 ? unreadable : listUnknownColumns(input['criteria_json'], columns);
}

function findUnreadable(input: Record<string, unknown>): OperatorProblem[] {
  try {
    if (Array.isArray(input['criteria_list']) && input['criteria_list'].every((item) => typeof item === 'string'))
      writeList(input['criteria_list']);
    if (input['criteria_json'] !== undefined) writeCriteria(input['criteria_json']);
    return [];
  } catch (error) {
    if (error instanceof AppError) return [createProblem(error.message, error.details.target?.name ?? '')];
    throw error;
  }
}

function listUnknownColumns(criteria: unknown, columns: ReadonlySet<string>): OperatorProblem[] {
  if (columns.size === 0 || columns.has(anyColumn)) return [];
  const knownColumns = new Set([...columns].map((column) => column.toLowerCase()));
  const unknown = listVariables(criteria).filter((name) => !knownColumns.has(name.toLowerCase()));
  return [...new Set(unknown)].map((name) =>
    createProblem(
      `The criteria name the column '${name}', which no earlier operator provides.`,
      '/criteria_json',
      'SQL_FILTER_INVALID_COLUMN',
    ),
  );
}

/** A problem for mandatory columns that the configuration removes. */
export function createDropProblem(columns: readonly string[], pointer: string): OperatorProblem {
  return createProblem(
    `The filter drops ${columns.join(', ')}; every row must keep ${mandatoryColumns.join(', ')}.`,
    pointer,
    'DROPPING_MANDATORY_FEATURES',
  );
}

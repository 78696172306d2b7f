import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';

/** The vector in a column of the row, if it has one. */
export function readVector(row: Row, column: string): number[] | undefined {
  const value = row[column];
  if (value === undefined || value === null) return undefined;
  const isVector =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((value) => typeof value === 'number' && Number.isFinite(value));
  if (isVector) return value as number[];
  throw new AppError(
    'OPERATOR_EXECUTION_FAILED',
    `The column '${column}' of '${row.name}' holds no vector of numbers but a value of the type ${Array.isArray(value) ? 'list' : typeof value}.`,
  );
}

/** The configured dimension, else that of the first vector. Every vector must match it. */
export function checkDimensions(
  rows: readonly Row[],
  vectors: readonly (number[] | undefined)[],
  configured: number | undefined,
): number | undefined {
  const expected = configured ?? vectors.find((vector) => vector !== undefined)?.length;
  const wrong = vectors.findIndex((vector) => vector !== undefined && vector.length !== expected);
  if (wrong === -1) return expected;
  const origin = configured === undefined ? 'the first vector of the batch has' : 'vector_dimension is';
  throw new AppError(
    'EMBEDDING_DIMENSION_MISMATCH',
    `The vector of '${rows[wrong]?.name}' has ${vectors[wrong]?.length} dimensions; ${origin} ${expected}.`,
  );
}

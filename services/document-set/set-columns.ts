import { createHash } from 'node:crypto';
import { hiddenColumns, isVector } from '../../model/document-set/document-set';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { standardKinds } from '../table/row-columns';

/** Which columns of rows are wanted: those named, else all, and vectors only when asked for. */
export interface ColumnChoice {
  columns?: readonly string[];
  vectors?: boolean;
}

/** The columns that hold something, and which of them are vectors. */
export interface SetColumns {
  columns: string[];
  vectors: string[];
}

/** The columns of one row, with a key that is equal for rows of equal columns. Rows of one operator share a few of these. */
export interface RowShape extends SetColumns {
  key: string;
}

/** The columns of one row in which it holds something. */
export function shapeOf(row: Row): RowShape {
  const filled = Object.entries(row).filter(([, value]) => value !== undefined && value !== null);
  const columns = filled.map(([name]) => name).toSorted();
  const vectors = filled.flatMap(([name, value]) => (isVector(name, value) ? [name] : [])).toSorted();
  const key = createHash('sha256')
    .update(JSON.stringify([columns, vectors]))
    .digest('hex')
    .slice(0, 24);
  return { key, columns, vectors };
}

/** All columns of several rows. */
export function allColumns(shapes: readonly SetColumns[]): SetColumns {
  return {
    columns: [...new Set(shapes.flatMap(({ columns }) => columns))],
    vectors: [...new Set(shapes.flatMap(({ vectors }) => vectors))],
  };
}

/** The columns that `choice` means of these, standard ones first; VALIDATION_ERROR names those that are not among them. */
export function chooseColumns({ columns, vectors }: SetColumns, choice: ColumnChoice): string[] {
  const standard = Object.keys(standardKinds);
  const open = columns.filter((name) => !hiddenColumns.includes(name));
  const available = [
    ...standard.filter((name) => open.includes(name)),
    ...open.filter((name) => !standard.includes(name)).toSorted(),
  ];
  if (!choice.columns) return available.filter((name) => choice.vectors || !vectors.includes(name));
  const unknown = choice.columns.filter((name) => !available.includes(name));
  if (unknown.length > 0) {
    throw new AppError(
      'VALIDATION_ERROR',
      `The set has no column ${unknown.map((name) => `'${name}'`).join(', ')} that you may read; it has: ${available.join(', ') || 'none yet'}.`,
      { target: { type: 'parameter', name: 'columns' } },
    );
  }
  return [...new Set(choice.columns)];
}

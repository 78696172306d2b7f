import { hash } from 'node:crypto';
import { hiddenColumns, isVector } from '../../model/document-set/document-set';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { standardKinds } from '../table/row-columns';

/** The wanted columns of rows: those in `columns`, or all, without vectors unless `vectors` is set. */
export interface ColumnChoice {
  columns?: readonly string[];
  vectors?: boolean;
}

/** The non-empty columns, and those of them that are vectors. */
export interface SetColumns {
  columns: string[];
  vectors: string[];
}

/** The columns of one row, with a key that is the same for rows with the same columns. Rows of one operator share few shapes. */
export interface RowShape extends SetColumns {
  key: string;
}

/** The non-empty columns of one row. */
export function buildShape(row: Row): RowShape {
  const filled = Object.entries(row).filter(([, value]) => value !== undefined && value !== null);
  const columns = filled.map(([name]) => name).toSorted();
  const vectors = filled.flatMap(([name, value]) => (isVector(name, value) ? [name] : [])).toSorted();
  const key = hash('sha256', JSON.stringify([columns, vectors])).slice(0, 24);
  return { key, columns, vectors };
}

/** The union of the columns of several rows. */
export function listAllColumns(shapes: readonly SetColumns[]): SetColumns {
  return {
    columns: [...new Set(shapes.flatMap(({ columns }) => columns))],
    vectors: [...new Set(shapes.flatMap(({ vectors }) => vectors))],
  };
}

/** The chosen columns, standard ones first. Throws VALIDATION_ERROR with the names that are not available. */
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
      `There is no column ${unknown.map((name) => `'${name}'`).join(', ')} that you may read; there are: ${available.join(', ') || 'none yet'}.`,
      { target: { type: 'parameter', name: 'columns' } },
    );
  }
  return [...new Set(choice.columns)];
}

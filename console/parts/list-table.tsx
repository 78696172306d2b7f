import type { ReactNode } from 'react';

/** A column of a list. */
export interface Column<T> {
  title: string;
  /** `name` is what a row is called by; `num` is aligned to the right; `acts` holds buttons and shows no title. */
  kind?: 'name' | 'num' | 'long' | 'when' | 'acts';
  cell: (row: T) => ReactNode;
}

/** Rows under titles; on narrow windows each row is a block of titles and values. */
export function ListTable<T>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}) {
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={label}>
      <table className="list">
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" className={kind === 'num' ? 'num' : undefined}>
                {kind === 'acts' ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, kind, cell }) => (
                <td key={title} className={kind} data-label={kind === 'acts' || kind === 'name' ? undefined : title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

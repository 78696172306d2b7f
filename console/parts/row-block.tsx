import type { ReactNode } from 'react';
import { isEmptyValue, Value } from './value';

/** A row of data as a block: its name, then its columns with their values. Empty values are omitted. */
export function RowBlock({
  title,
  row,
  hidden,
  children,
}: {
  title: string;
  row: Record<string, unknown>;
  hidden?: ReadonlySet<string>;
  children?: ReactNode;
}) {
  const members = Object.entries(row).filter(([column, value]) => !hidden?.has(column) && !isEmptyValue(value));
  return (
    <article className="hit">
      <h3>{title}</h3>
      <dl className="values">
        {members.map(([column, value]) => (
          <div key={column}>
            <dt>{column}</dt>
            <dd>
              <Value value={value} />
            </dd>
          </div>
        ))}
      </dl>
      {children}
    </article>
  );
}

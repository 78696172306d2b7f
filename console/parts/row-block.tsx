import type { ReactNode } from 'react';
import { ValueList } from './page';
import { isEmptyValue, Value } from './value';

/**
 * A row of data as a block: its name with a link, then its columns with their values. Empty values are omitted. If there are only a few
 * short values, they share one line.
 */
export function RowBlock({
  title,
  row,
  hidden,
  link,
}: {
  title: string;
  row: Record<string, unknown>;
  hidden?: ReadonlySet<string>;
  link?: ReactNode;
}) {
  const members = Object.entries(row).filter(([column, value]) => !hidden?.has(column) && !isEmptyValue(value));
  return (
    <article className="hit">
      <div className="row-head">
        <h3>{title}</h3>
        {link}
      </div>
      <ValueList
        values={members.map(([column, value]) => [column, <Value key={column} value={value} />])}
        isInLine={isShort(members)}
      />
    </article>
  );
}

/** True if the values fit on one line of a wide window. */
function isShort(members: readonly (readonly [string, unknown])[]): boolean {
  return (
    members.length <= 4 &&
    members.every(([, value]) => (typeof value === 'string' ? value.length <= 24 : typeof value !== 'object'))
  );
}

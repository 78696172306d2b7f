import type { ReactNode } from 'react';
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
      <dl className={isShort(members) ? 'values in-line' : 'values'}>
        {members.map(([column, value]) => (
          <div key={column}>
            <dt>{column}</dt>
            <dd>
              <Value value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </article>
  );
}

/** Whether the values fit into one line of a wide window. */
function isShort(members: readonly (readonly [string, unknown])[]): boolean {
  return (
    members.length <= 4 &&
    members.every(([, value]) => (typeof value === 'string' ? value.length <= 24 : typeof value !== 'object'))
  );
}

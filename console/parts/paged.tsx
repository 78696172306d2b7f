import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { setQuery, usePlace } from '../router';
import { Empty, QueryState } from './page';
import { Pager } from './pager';

/** Number of rows per page. */
export const pageSize = 50;

/** The first row of the page in the address. */
export function useOffset(): number {
  return Math.max(0, Number(usePlace().query.get('offset')) || 0);
}

/** Puts the first row of a page into the address; the first page needs no offset there. */
export function setOffset(offset: number): void {
  setQuery({ offset: offset === 0 ? undefined : String(offset) });
}

/** A page of a list in a panel, in each of its states; the page number is part of the address. */
export function Paged<T extends { total: number } | { total_count: number }>({
  title,
  isUntitled = false,
  found,
  empty,
  children,
}: {
  title: string;
  /** Shows no title, because it is the title of the screen. */
  isUntitled?: boolean;
  found: UseQueryResult<T>;
  /** Shown when the list is empty. */
  empty: ReactNode;
  children: (page: T) => ReactNode;
}) {
  const offset = useOffset();
  const page = found.data;
  if (!page) return <QueryState query={found} />;
  const total = 'total' in page ? page.total : page.total_count;
  return (
    <>
      <QueryState query={found} />
      <section className="panel" aria-label={title}>
        {isUntitled ? null : <h2>{title}</h2>}
        {total === 0 ? <Empty>{empty}</Empty> : children(page)}
        <Pager offset={offset} limit={pageSize} total={total} updatedAt={found.dataUpdatedAt} onOffset={setOffset} />
      </section>
    </>
  );
}

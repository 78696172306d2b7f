import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { setQuery, usePlace } from '../router';
import { Empty, Failure, Loading, Panel } from './page';
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
export function Paged<T extends { total: number }>({
  title,
  found,
  empty,
  children,
}: {
  title: string;
  found: UseQueryResult<T>;
  /** Shown when the list is empty. */
  empty: ReactNode;
  children: (page: T) => ReactNode;
}) {
  const offset = useOffset();
  return (
    <>
      {found.isError ? <Failure error={found.error} onRetry={() => void found.refetch()} /> : null}
      {found.isPending ? <Loading /> : null}
      {found.data ? (
        <Panel title={title}>
          {found.data.total === 0 ? <Empty>{empty}</Empty> : children(found.data)}
          <Pager
            offset={offset}
            limit={pageSize}
            total={found.data.total}
            updatedAt={found.dataUpdatedAt}
            onOffset={setOffset}
          />
        </Panel>
      ) : null}
    </>
  );
}

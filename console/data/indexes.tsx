import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { IndexReply } from '../../client';
import { api } from '../api';
import { formatCount } from '../format';
import { RemoveButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { useSession } from '../session';
import { texts } from '../texts';

/** The indexes that the user owns or may write into; all indexes for administrators. */
export function Indexes() {
  const offset = useOffset();
  const indexes = useQuery({
    queryKey: ['indexes', offset],
    queryFn: () => api.indexes.list({ limit: pageSize, offset }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <p className="muted">{texts.indexes.help}</p>
      <Paged title={texts.data.tabs.indexes} found={indexes} empty={texts.indexes.empty}>
        {({ items }) => <IndexTable indexes={items} />}
      </Paged>
    </>
  );
}

function IndexTable({ indexes }: { indexes: readonly IndexReply[] }) {
  const { user } = useSession();
  const columns: Column<IndexReply>[] = [
    {
      title: texts.data.name,
      kind: 'name',
      cell: ({ name, description }) => (
        <>
          {name}
          {description ? <span className="state-note below">{description}</span> : null}
        </>
      ),
    },
    { title: texts.indexes.records, kind: 'num', cell: ({ records }) => formatCount(records) },
    { title: texts.indexes.embedder, kind: 'long', cell: describeVectors },
    {
      title: texts.indexes.searched,
      cell: ({ is_searched: isSearched }) => (isSearched ? texts.indexes.yes : texts.indexes.no),
    },
    { title: texts.data.owner, cell: ({ owner }) => owner },
    {
      title: texts.data.actions,
      kind: 'acts',
      cell: ({ name, owner }) =>
        owner === user.username || user.is_administrator ? (
          <RemoveButton
            label={texts.data.remove}
            about={texts.data.removeOne(name)}
            question={texts.indexes.sure}
            queryKey={['indexes']}
            remove={() => api.indexes.remove(name)}
          />
        ) : null,
    },
  ];
  return <ListTable label={texts.data.tabs.indexes} columns={columns} rows={indexes} keyOf={({ name }) => name} />;
}

function describeVectors({ embedder = '', dimension }: IndexReply): string {
  if (dimension === undefined) return texts.indexes.noVectors;
  return texts.indexes.dimension(embedder, formatCount(dimension)).trim();
}

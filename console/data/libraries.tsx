import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { DocumentLibraryReply } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { RemoveButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Start } from '../parts/start';
import { Link, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { NameFilter } from './name-filter';

/** The libraries that the user owns or may read. */
export function Libraries() {
  const name = usePlace().query.get('name') || undefined;
  const offset = useOffset();
  const libraries = useQuery({
    queryKey: ['libraries', name, offset],
    queryFn: () => api.documentLibraries.list({ limit: pageSize, offset, name }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <p className="muted">{texts.libraries.help}</p>
      <NameFilter />
      <Paged
        title={texts.data.tabs.libraries}
        found={libraries}
        empty={name ? texts.data.emptyFiltered : <Start text={texts.libraries.empty} />}
      >
        {({ items }) => <LibraryTable libraries={items} />}
      </Paged>
    </>
  );
}

function LibraryTable({ libraries }: { libraries: readonly DocumentLibraryReply[] }) {
  const { user } = useSession();
  const columns: Column<DocumentLibraryReply>[] = [
    {
      title: texts.data.name,
      kind: 'name',
      cell: ({ name, description, library_id: id }) => (
        <>
          <Link to={`/libraries/${id}`}>{name}</Link>
          {description ? <span className="state-note below">{description}</span> : null}
        </>
      ),
    },
    { title: texts.data.owner, cell: ({ owner }) => owner },
    { title: texts.data.created, kind: 'when', cell: ({ created_at: at }) => formatTime(at) },
    { title: texts.data.changed, kind: 'when', cell: ({ updated_at: at }) => formatTime(at) },
    {
      title: texts.data.actions,
      kind: 'acts',
      cell: ({ library_id: id, name, owner }) =>
        owner === user.username ? (
          <RemoveButton
            label={texts.data.remove}
            about={texts.data.removeOne(name)}
            question={texts.libraries.sure}
            queryKey={['libraries']}
            remove={() => api.documentLibraries.remove(id)}
          />
        ) : null,
    },
  ];
  return (
    <ListTable
      label={texts.data.tabs.libraries}
      columns={columns}
      rows={libraries}
      keyOf={({ library_id: id }) => id}
    />
  );
}

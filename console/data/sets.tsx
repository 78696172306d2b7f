import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DocumentSetReply } from '../../client';
import { api } from '../api';
import { formatBytes, formatCount, formatTime } from '../format';
import { BulkBar, useSelection } from '../parts/bulk';
import { RemoveButton } from '../parts/confirm';
import { splitNames } from '../parts/form-texts';
import { type Column, ListTable } from '../parts/list-table';
import { NameField } from '../parts/name-field';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Start } from '../parts/start';
import { Link, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { NameFilter } from './name-filter';

/** The document sets that the user owns or may read. */
export function Sets() {
  const name = usePlace().query.get('name') || undefined;
  const offset = useOffset();
  const sets = useQuery({
    queryKey: ['sets', name, offset],
    queryFn: () => api.documentSets.list({ limit: pageSize, offset, name }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <p className="muted">{texts.sets.help}</p>
      <NameFilter />
      <Paged
        title={texts.data.tabs.sets}
        found={sets}
        empty={name ? texts.data.emptyFiltered : <Start text={texts.sets.empty} />}
      >
        {({ items }) => <SetTable sets={items} />}
      </Paged>
    </>
  );
}

const bulkActions = [
  { action: 'share', label: texts.bulk.sets.share },
  { action: 'delete', label: texts.bulk.sets.delete, question: texts.sets.sure },
] as const;

function listColumns(username: string): Column<DocumentSetReply>[] {
  return [
    {
      title: texts.data.name,
      kind: 'name',
      cell: ({ name, description, id }) => (
        <>
          <Link to={`/sets/${encodeURIComponent(name)}?id=${id}`}>{name}</Link>
          {description ? <span className="state-note below">{description}</span> : null}
        </>
      ),
    },
    { title: texts.data.documents, kind: 'num', cell: ({ total_documents: count }) => formatCount(count) },
    { title: texts.data.rows, kind: 'num', cell: ({ total_rows: count }) => formatCount(count) },
    { title: texts.data.size, kind: 'num', cell: ({ total_size_bytes: bytes }) => formatBytes(bytes) },
    { title: texts.data.owner, cell: ({ owner }) => owner },
    { title: texts.data.changed, kind: 'when', cell: ({ updated_at: at }) => formatTime(at) },
    {
      title: texts.data.actions,
      kind: 'acts',
      cell: ({ id, name, owner }) =>
        owner === username ? (
          <RemoveButton
            label={texts.data.remove}
            about={texts.data.removeOne(name)}
            question={texts.sets.sure}
            queryKey={['sets']}
            remove={() => api.documentSets.remove(id)}
          />
        ) : null,
    },
  ];
}

function SetTable({ sets }: { sets: readonly DocumentSetReply[] }) {
  const { user } = useSession();
  const queries = useQueryClient();
  const [readers, setReaders] = useState('');
  const ownSets = sets.filter(({ owner }) => owner === user.username);
  const selection = useSelection(ownSets.map(({ id }) => id));
  const columns = listColumns(user.username);
  return (
    <>
      {selection.chosen.length > 0 ? (
        <NameField
          kind="user"
          several
          mb={12}
          label={texts.bulk.readers}
          description={texts.bulk.readersHelp}
          value={readers}
          onValue={setReaders}
        />
      ) : null}
      <BulkBar
        selection={selection}
        actions={bulkActions}
        act={(action, ids) =>
          api.bulk.documentSets({
            action,
            set_ids: [...ids],
            ...(action === 'share' ? { readers: splitNames(readers) } : {}),
          })
        }
        onDone={() => queries.invalidateQueries({ queryKey: ['sets'] })}
      />
      <ListTable
        label={texts.data.tabs.sets}
        columns={columns}
        rows={sets}
        keyOf={({ id }) => id}
        choice={{ selection, nameOf: ({ name }) => name }}
      />
    </>
  );
}

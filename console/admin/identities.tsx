import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { IdentityMapReply } from '../../client';
import { api } from '../api';
import { formatCount, formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Link, usePlace } from '../router';
import { texts } from '../texts';
import { IdentityMap } from './identity-map';
import { NewIdentityMap } from './new-identity-map';
import { SyncState } from './sync-state';

/** Identity maps, or the one that the address names. */
export function Identities() {
  const map = usePlace().query.get('map');
  return map === null ? <IdentityMaps /> : <IdentityMap name={map} />;
}

function IdentityMaps() {
  const offset = useOffset();
  const result = useQuery({
    queryKey: ['identity-maps', offset],
    queryFn: () => api.identityMaps.list({ limit: pageSize, offset }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <>
      <p className="muted">{texts.identities.help}</p>
      <Paged title={texts.identities.list} found={result} empty={texts.identities.empty}>
        {({ items }) => (
          <ListTable label={texts.identities.list} columns={columns} rows={items} keyOf={({ map_id: id }) => id} />
        )}
      </Paged>
      <NewIdentityMap />
    </>
  );
}

const columns: readonly Column<IdentityMapReply>[] = [
  {
    title: texts.identities.map,
    kind: 'name',
    cell: ({ map_id: id }) => <Link to={`/admin/identities?map=${encodeURIComponent(id)}`}>{id}</Link>,
  },
  {
    title: texts.identities.places,
    kind: 'long',
    cell: ({ places }) => (
      <div>
        {places.map((place) => (
          <div key={place}>{place}</div>
        ))}
      </div>
    ),
  },
  {
    title: texts.identities.read,
    cell: ({ sync }) => (
      <div>
        <SyncState sync={sync} />
        <span className="state-note below">{formatTime(sync.synced_at) || texts.identities.never}</span>
      </div>
    ),
  },
  { title: texts.identities.accounts, kind: 'num', cell: ({ sync: { mapped } }) => formatCount(mapped) },
  { title: texts.identities.unmapped, kind: 'num', cell: ({ sync: { unmapped } }) => formatCount(unmapped) },
  { title: texts.identities.ambiguous, kind: 'num', cell: ({ sync: { ambiguous } }) => formatCount(ambiguous) },
  { title: texts.identities.groups, kind: 'num', cell: ({ sync: { groups } }) => formatCount(groups) },
];

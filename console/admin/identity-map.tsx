import { Button, NativeSelect } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { IdentityMapReply, IdentityReply } from '../../client';
import { api } from '../api';
import { formatCount, formatTime } from '../format';
import { ConfirmButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { FactList, Failure, Panel, QueryState, ValueList } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Link, navigate, setQuery, usePlace } from '../router';
import { texts } from '../texts';
import { AssignLogin } from './assign-login';
import { SyncState } from './sync-state';

const words = texts.identities;

/** One identity map: its places, how it finds logins, and its accounts. */
export function IdentityMap({ name }: { name: string }) {
  const result = useQuery({
    queryKey: ['identity-maps', 'one', name],
    queryFn: () => api.identityMaps.get(name),
    refetchInterval: 5_000,
  });
  return (
    <>
      <p>
        <Link to="/admin/identities">{words.back}</Link>
      </p>
      <QueryState query={result} />
      {result.data ? (
        <>
          <Panel title={name}>
            <Facts map={result.data} />
            <Actions map={result.data} />
          </Panel>
          <AccountList map={result.data} />
        </>
      ) : null}
    </>
  );
}

function Facts({ map }: { map: IdentityMapReply }) {
  const { sync } = map;
  return (
    <>
      <FactList
        facts={[
          [words.accounts, formatCount(sync.mapped)],
          [words.unmapped, formatCount(sync.unmapped)],
          [words.ambiguous, formatCount(sync.ambiguous)],
          [words.groups, formatCount(sync.groups)],
        ]}
      />
      <ValueList values={listSettings(map)} />
      {sync.is_closed ? <p>{words.closedHelp}</p> : null}
      {sync.error ? (
        <p>
          {formatTime(sync.error.at)}: {sync.error.message}
        </p>
      ) : null}
    </>
  );
}

function listSettings(map: IdentityMapReply): (readonly [title: string, value: ReactNode])[] {
  const { sync } = map;
  return [
    [
      words.read,
      <>
        <SyncState sync={sync} /> · {formatTime(sync.synced_at) || words.never} ·{' '}
        {words.everyMinutes(map.sync_minutes ?? 5)}
      </>,
    ],
    [words.places, map.places.map((place) => <div key={place}>{place}</div>)],
    [words.directory, words.directories[map.directory ?? 'given']],
    [words.rules, describeRules(map)],
    [words.changed, words.changedBy(formatTime(map.updated_at), map.updated_by)],
  ];
}

function describeRules({ match = [] }: IdentityMapReply): string {
  if (match.length === 0) return words.byNothing;
  const rules = match.map((rule) => {
    if (rule.by === 'mail') return words.byMail;
    const { prefix = '', suffix = '' } = rule;
    return [words.byName, prefix && words.after(prefix), suffix && words.before(suffix)].filter(Boolean).join(' ');
  });
  return rules.join(', ');
}

function Actions({ map: { map_id: name, directory } }: { map: IdentityMapReply }) {
  const queries = useQueryClient();
  const reading = useMutation({
    mutationFn: () => api.identityMaps.sync(name),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['identity-maps'] }),
  });
  const removal = useMutation({
    mutationFn: () => api.identityMaps.remove(name),
    onSuccess: () => {
      navigate('/admin/identities');
      return queries.invalidateQueries({ queryKey: ['identity-maps'] });
    },
  });
  return (
    <div className="more">
      <div className="actions">
        <Button variant="default" loading={reading.isPending} onClick={() => reading.mutate()}>
          {words.readNow}
        </Button>
        <ConfirmButton
          label={words.remove}
          about={words.removeOne(name)}
          question={words.sure}
          isPending={removal.isPending}
          onConfirm={() => removal.mutate()}
        />
      </div>
      {reading.isSuccess && (directory ?? 'given') !== 'given' ? <p role="status">{words.reading}</p> : null}
      {reading.isError ? <Failure error={reading.error} isAction /> : null}
      {removal.isError ? <Failure error={removal.error} isAction /> : null}
    </div>
  );
}

const states = ['unmapped', 'ambiguous', 'mapped'] as const;

function AccountList({ map }: { map: IdentityMapReply }) {
  const offset = useOffset();
  const requestedState = usePlace().query.get('state');
  const state = states.find((state) => state === requestedState);
  const result = useQuery({
    queryKey: ['identity-maps', 'accounts', map.map_id, state, offset, map.sync.synced_at],
    queryFn: () =>
      api.identityMaps.identities(map.map_id, { limit: pageSize, offset, ...(state === undefined ? {} : { state }) }),
    placeholderData: keepPreviousData,
  });
  const names = { unmapped: words.unmapped, ambiguous: words.ambiguous, mapped: words.accounts };
  return (
    <>
      <div className="filters">
        <NativeSelect
          label={words.show}
          value={state ?? ''}
          data={[{ value: '', label: words.all }, ...states.map((value) => ({ value, label: names[value] }))]}
          onChange={({ currentTarget: { value } }) => setQuery({ state: value || undefined, offset: undefined })}
        />
      </div>
      {map.directory === 'system' ? null : <p className="muted">{words.given}</p>}
      <Paged title={words.table} found={result} empty={words.noAccounts}>
        {({ items }) => (
          <ListTable label={words.table} columns={listColumns(map)} rows={items} keyOf={({ account }) => account} />
        )}
      </Paged>
    </>
  );
}

function listColumns(map: IdentityMapReply): readonly Column<IdentityReply>[] {
  return [
    {
      title: words.account,
      kind: 'name',
      cell: ({ account, name }) => (
        <>
          {name ?? account}
          {name === null || name === account ? null : <span className="state-note below">{account}</span>}
        </>
      ),
    },
    { title: words.mail, cell: ({ mail }) => mail },
    {
      title: words.login,
      cell: ({ account, state, login }) => (
        <div>
          {state === 'mapped' ? null : (
            <span className="state" data-tone={state === 'ambiguous' ? 'warn' : 'idle'}>
              {words[state]}
            </span>
          )}
          {map.directory === 'system' ? <AssignLogin map={map} account={account} login={login} /> : login}
        </div>
      ),
    },
    { title: words.how, cell: ({ by }) => (by === null ? '' : words.hows[by]) },
    { title: words.groups, kind: 'long', cell: ({ groups }) => groups.join(', ') },
  ];
}

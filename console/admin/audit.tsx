import { Button, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AuditEntry } from '../../client';
import { api } from '../api';
import { formatMoment } from '../format';
import { Breakable } from '../parts/breakable';
import { readField } from '../parts/form-texts';
import { type Column, ListTable } from '../parts/list-table';
import { NameField } from '../parts/name-field';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { setQuery, usePlace } from '../router';
import { texts } from '../texts';

const textFilters = ['user', 'action', 'outcome'] as const;

const columns: readonly Column<AuditEntry>[] = [
  { title: texts.audit.at, kind: 'when', cell: ({ at }) => formatMoment(at) },
  {
    title: texts.audit.user,
    cell: ({ user, api_key: key }) => (
      <>
        {user}
        {key ? <span className="state-note below">{texts.audit.key(key)}</span> : null}
      </>
    ),
  },
  { title: texts.audit.action, kind: 'long', cell: ({ action }) => <Breakable text={action} /> },
  {
    title: texts.audit.outcome,
    cell: ({ outcome }) => (
      <span className="state" data-tone={outcome === 'OK' ? 'done' : 'failed'}>
        {outcome}
      </span>
    ),
  },
  { title: texts.audit.target, kind: 'long', cell: (entry) => <Target {...entry} /> },
  { title: texts.audit.address, cell: ({ client_address: address }) => address },
];

/** Number of characters that are enough to tell the ids on a page apart. */
const shownIdLength = 8;

function Target({ target, changed }: AuditEntry) {
  return (
    <>
      {Object.entries(target).map(([name, value]) => (
        <span key={name} className="pair" title={value}>
          <span className="muted">{name}</span>{' '}
          {/^[0-9a-f-]{24,}$/.test(value) ? `${value.slice(0, shownIdLength)}…` : value}
        </span>
      ))}
      {changed.length > 0 ? (
        <span className="pair">
          <span className="muted">{texts.audit.changed}</span> {changed.join(', ')}
        </span>
      ) : null}
    </>
  );
}

/** The audit log, filtered by the server. */
export function Audit() {
  const { query } = usePlace();
  const offset = useOffset();
  const filter = buildFilter(query);
  const isFiltered = Object.keys(filter).length > 0;
  const entries = useQuery({
    queryKey: ['audit', filter, offset],
    queryFn: () => api.audit({ ...filter, limit: pageSize, offset }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <p className="muted">{texts.audit.help}</p>
      <Filters key={String(query)} query={query} isFiltered={isFiltered} />
      <Paged
        title={texts.audit.title}
        found={entries}
        empty={isFiltered ? texts.audit.emptyFiltered : texts.audit.empty}
      >
        {({ items }) => (
          <ListTable label={texts.audit.title} columns={columns} rows={items} keyOf={({ entry_id: id }) => id} />
        )}
      </Paged>
    </>
  );
}

/** The filter in the address. Days are in the time zone of the viewer, and `until` is inclusive. */
function buildFilter(query: URLSearchParams): Record<string, string> {
  const filter: Record<string, string> = {};
  for (const name of textFilters) {
    const value = query.get(name);
    if (value) filter[name] = value;
  }
  const since = toStartOfDay(query.get('since'));
  const until = toStartOfDay(query.get('until'), 1);
  return { ...filter, ...(since ? { since } : {}), ...(until ? { until } : {}) };
}

/** The start of a day such as `2026-03-01`, or of a later one, as an ISO time. */
function toStartOfDay(text: string | null, daysLater = 0): string | undefined {
  const [year, month, day] = (text ?? '').split('-').map(Number);
  if (!year || !month || !day) return undefined;
  return new Date(year, month - 1, day + daysLater).toISOString();
}

function Filters({ query, isFiltered }: { query: URLSearchParams; isFiltered: boolean }) {
  const [user, setUser] = useState(query.get('user') ?? '');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setQuery({
      user: user.trim(),
      action: readField(event, 'action'),
      outcome: readField(event, 'outcome'),
      since: readField(event, 'since'),
      until: readField(event, 'until'),
      offset: undefined,
    });
  };
  const renderField = (name: string, label: string, props: { type?: string; className?: string } = {}) => (
    <TextInput name={name} label={label} defaultValue={query.get(name) ?? ''} {...props} />
  );
  const clear = () =>
    setQuery(Object.fromEntries([...textFilters, 'since', 'until', 'offset'].map((name) => [name, undefined])));
  return (
    <form className="filters" onSubmit={submit}>
      <NameField kind="user" label={texts.audit.filterUser} value={user} onValue={setUser} />
      {renderField('action', texts.audit.filterAction, { className: 'grow' })}
      {renderField('outcome', texts.audit.filterOutcome)}
      {renderField('since', texts.audit.since, { type: 'date' })}
      {renderField('until', texts.audit.until, { type: 'date' })}
      <Button type="submit" variant="default">
        {texts.audit.apply}
      </Button>
      {isFiltered ? (
        <Button variant="default" onClick={clear}>
          {texts.audit.clear}
        </Button>
      ) : null}
    </form>
  );
}

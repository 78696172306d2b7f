import { Alert, Button, NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { KnownName } from '../../client';
import { api } from '../api';
import { readField } from '../parts/form-texts';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Panel, QueryState } from '../parts/page';
import { Link, setQuery, usePlace } from '../router';
import { texts } from '../texts';

const kinds = ['user', 'group'] as const;
const limit = 100;

/** Users and groups that the directory, logins and projects name. */
export function People() {
  const { query } = usePlace();
  const text = query.get('text') ?? '';
  const kind = kinds.find((item) => item === query.get('kind')) ?? 'user';
  const nameSearch = useQuery({
    queryKey: ['names', 'all', kind, text],
    queryFn: () => api.names.search({ kind, text, limit }),
    placeholderData: keepPreviousData,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setQuery({ text: readField(event, 'text') });
  };
  return (
    <>
      <p className="muted">{texts.people.help}</p>
      <form className="filters" role="search" key={text} onSubmit={submit}>
        <NativeSelect
          label={texts.people.show}
          value={kind}
          data={kinds.map((value) => ({ value, label: texts.people.kinds[value] }))}
          onChange={(event) => setQuery({ kind: event.currentTarget.value })}
        />
        <TextInput name="text" label={texts.people.text} defaultValue={text} maxLength={100} />
        <Button type="submit" variant="default">
          {texts.data.apply}
        </Button>
      </form>
      <QueryState query={nameSearch} />
      {nameSearch.data && nameSearch.data.directory !== 'searched' ? (
        <Alert color="gray" variant="outline" mb={16}>
          {texts.people.directory[nameSearch.data.directory]}
        </Alert>
      ) : null}
      {nameSearch.data ? (
        <Panel title={texts.people.kinds[kind]}>
          {nameSearch.data.names.length === 0 ? (
            <Empty>{texts.people.none}</Empty>
          ) : (
            <ListTable
              label={texts.people.kinds[kind]}
              columns={kind === 'user' ? userColumns : groupColumns}
              rows={nameSearch.data.names}
              keyOf={({ name }) => name}
            />
          )}
          {nameSearch.data.is_cut ? <p className="state-note">{texts.people.cut(limit)}</p> : null}
        </Panel>
      ) : null}
    </>
  );
}

const nameColumn: Column<KnownName> = { title: texts.people.name, kind: 'name', cell: ({ name }) => name };
const fromColumn: Column<KnownName> = { title: texts.people.from, cell: ({ from }) => texts.people.origins[from] };
const groupColumns = [nameColumn, fromColumn];
const userColumns: readonly Column<KnownName>[] = [
  nameColumn,
  { title: texts.people.fullName, kind: 'long', cell: ({ full_name: name }) => name },
  { title: texts.people.email, kind: 'long', cell: ({ email }) => email },
  fromColumn,
  {
    title: texts.data.actions,
    kind: 'acts',
    cell: ({ name }) => (
      <span className="actions">
        <Link className="nowrap" to={`/search?as=${encodeURIComponent(name)}`}>
          {texts.people.finds}
        </Link>
        <Link to={`/admin/sessions?user=${encodeURIComponent(name)}`}>{texts.people.sessions}</Link>
      </span>
    ),
  },
];

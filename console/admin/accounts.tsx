import { Button, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ServiceAccountCreate, ServiceAccountReply } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { RemoveButton } from '../parts/confirm';
import { splitNames } from '../parts/form-texts';
import { type Column, ListTable } from '../parts/list-table';
import { NameField } from '../parts/name-field';
import { Failure, Panel } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Link } from '../router';
import { texts } from '../texts';

const prefix = 'service:';

/** Service accounts: users without a login. Their keys are created in the settings. */
export function Accounts() {
  const offset = useOffset();
  const result = useQuery({
    queryKey: ['accounts', offset],
    queryFn: () => api.serviceAccounts.list({ limit: pageSize, offset }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <p className="muted">{texts.accounts.help}</p>
      <NewAccount />
      <Paged title={texts.accounts.list} found={result} empty={texts.accounts.empty}>
        {({ items }) => <AccountTable accounts={items} />}
      </Paged>
    </>
  );
}

const emptyDraft = { name: prefix, description: '', groups: '' };

function NewAccount() {
  const queries = useQueryClient();
  const [draft, setDraft] = useState(emptyDraft);
  const create = useMutation({
    mutationFn: (account: ServiceAccountCreate) => api.serviceAccounts.create(account),
    onSuccess: () => {
      setDraft(emptyDraft);
      return queries.invalidateQueries({ queryKey: ['accounts'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({
      account_name: draft.name.trim(),
      description: draft.description.trim(),
      groups: splitNames(draft.groups),
    });
  };
  return (
    <Panel title={texts.accounts.create}>
      <form onSubmit={submit}>
        <div className="filters level">
          <TextInput
            label={texts.accounts.name}
            description={texts.accounts.nameHelp}
            className="grow"
            value={draft.name}
            required
            onChange={({ currentTarget: { value } }) => setDraft({ ...draft, name: value })}
          />
          <NameField
            kind="group"
            several
            label={texts.accounts.groups}
            description={texts.accounts.groupsHelp}
            className="grow"
            value={draft.groups}
            onValue={(value) => setDraft({ ...draft, groups: value })}
          />
          <TextInput
            label={texts.accounts.description}
            className="grow"
            value={draft.description}
            maxLength={1_000}
            onChange={({ currentTarget: { value } }) => setDraft({ ...draft, description: value })}
          />
        </div>
        <Button type="submit" loading={create.isPending} disabled={draft.name.trim().length <= prefix.length}>
          {texts.accounts.submit}
        </Button>
      </form>
      {create.isError ? <Failure error={create.error} title={texts.accounts.failed} isAction /> : null}
    </Panel>
  );
}

function AccountTable({ accounts }: { accounts: readonly ServiceAccountReply[] }) {
  const columns: Column<ServiceAccountReply>[] = [
    {
      title: texts.accounts.name,
      kind: 'name',
      cell: ({ account_name: name, description }) => (
        <>
          {name}
          {description ? <span className="state-note below">{description}</span> : null}
        </>
      ),
    },
    { title: texts.accounts.groupsOf, kind: 'long', cell: ({ groups }) => groups.join(', ') },
    { title: texts.settings.created, kind: 'when', cell: ({ created_at: at }) => formatTime(at) },
    { title: texts.accounts.by, cell: ({ created_by: by }) => by },
    {
      title: texts.settings.actions,
      kind: 'acts',
      cell: ({ account_name: name }) => (
        <span className="actions">
          <Link to={`/settings/keys?account=${encodeURIComponent(name)}`}>{texts.accounts.keys}</Link>
          <RemoveButton
            label={texts.accounts.remove}
            about={texts.accounts.removeOne(name)}
            question={texts.accounts.sure}
            queryKey={['accounts']}
            remove={() => api.serviceAccounts.remove(name)}
          />
        </span>
      ),
    },
  ];
  return (
    <ListTable label={texts.accounts.list} columns={columns} rows={accounts} keyOf={({ account_name: name }) => name} />
  );
}

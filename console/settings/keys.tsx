import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ApiKeyCreate, ApiKeyReply } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { RemoveButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { ShownOnce } from '../parts/once';
import { Failure, Panel } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { setQuery, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';

const scopes = ['read', 'run', 'write', 'admin'] as const;
type Scope = (typeof scopes)[number];
const defaultDays = 90;

/** API keys: create, show once, revoke. */
export function Keys() {
  const offset = useOffset();
  const keys = useQuery({
    queryKey: ['keys', offset],
    queryFn: () => api.apiKeys.list({ limit: pageSize, offset }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <p className="muted">{texts.keys.help}</p>
      <NewKey />
      <Paged title={texts.keys.list} found={keys} empty={texts.keys.empty}>
        {({ items }) => <KeyTable keys={items} />}
      </Paged>
    </>
  );
}

/** The form for a new key, then the key itself, once. */
function NewKey() {
  const queries = useQueryClient();
  const { query } = usePlace();
  const { user } = useSession();
  const account = query.get('account') ?? '';
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>(['read']);
  const [days, setDays] = useState(String(defaultDays));
  const create = useMutation({
    mutationFn: (key: ApiKeyCreate) => api.apiKeys.create(key),
    onSuccess: () => {
      setName('');
      return queries.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const actsAs = account === '' ? {} : { service_account: account };
    create.mutate({ name: name.trim(), scopes: [...chosen], expires_in_days: Number(days) || defaultDays, ...actsAs });
  };
  return (
    <Panel title={texts.keys.create}>
      {create.data ? (
        <ShownOnce title={texts.keys.made(create.data.name)} secret={create.data.key} onDone={() => create.reset()} />
      ) : null}
      <form onSubmit={submit}>
        <div className="filters">
          <TextInput
            className="grow"
            label={texts.keys.name}
            value={name}
            maxLength={100}
            required
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={texts.keys.days}
            type="number"
            min={1}
            max={366}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
          {user.is_administrator ? <Account account={account} username={user.username} /> : null}
        </div>
        <Scopes chosen={chosen} onChange={setChosen} />
        <Button type="submit" loading={create.isPending} disabled={name.trim() === '' || chosen.length === 0}>
          {texts.keys.submit}
        </Button>
      </form>
      {create.isError ? <Failure error={create.error} title={texts.keys.failed} isAction /> : null}
    </Panel>
  );
}

function Scopes({ chosen, onChange }: { chosen: readonly Scope[]; onChange: (chosen: Scope[]) => void }) {
  const { user } = useSession();
  const toggle = (scope: Scope) =>
    onChange(chosen.includes(scope) ? chosen.filter((item) => item !== scope) : [...chosen, scope]);
  return (
    <fieldset className="inputs">
      <legend>{texts.keys.scopes}</legend>
      {scopes
        .filter((scope) => scope !== 'admin' || user.is_administrator)
        .map((scope) => (
          <Checkbox
            key={scope}
            label={texts.keys.scope[scope]}
            checked={chosen.includes(scope)}
            onChange={() => toggle(scope)}
          />
        ))}
    </fieldset>
  );
}

/** Administrators also create keys for service accounts. */
function Account({ account, username }: { account: string; username: string }) {
  const accounts = useQuery({
    queryKey: ['accounts', 'names'],
    queryFn: () => api.serviceAccounts.list({ limit: 100 }),
  });
  const names = (accounts.data?.items ?? []).map(({ account_name: name }) => name);
  if (names.length === 0) return null;
  return (
    <NativeSelect
      label={texts.keys.account}
      value={account}
      data={[
        { value: '', label: texts.keys.myself(username) },
        ...[...new Set([...names, account])].filter(Boolean).map((value) => ({ value, label: value })),
      ]}
      onChange={(event) => setQuery({ account: event.currentTarget.value || undefined })}
    />
  );
}

function KeyTable({ keys }: { keys: readonly ApiKeyReply[] }) {
  const owners = new Set(keys.map(({ owner }) => owner));
  const columns: Column<ApiKeyReply>[] = [
    { title: texts.keys.name, kind: 'name', cell: ({ name }) => name },
    { title: texts.keys.scopes, cell: (key) => key.scopes.join(', ') },
    ...(owners.size > 1 ? [{ title: texts.settings.owner, cell: ({ owner }: ApiKeyReply) => owner }] : []),
    { title: texts.settings.created, kind: 'when', cell: ({ created_at: at }) => formatTime(at) },
    { title: texts.keys.expires, kind: 'when', cell: ({ expires_at: at }) => <Expiry at={at} /> },
    { title: texts.keys.used, kind: 'when', cell: ({ last_used_at: at }) => formatTime(at) || texts.settings.none },
    {
      title: texts.settings.actions,
      kind: 'acts',
      cell: ({ key_id: id, name }) => (
        <RemoveButton
          label={texts.keys.revoke}
          about={texts.keys.revokeOne(name)}
          question={texts.keys.sure}
          queryKey={['keys']}
          remove={() => api.apiKeys.remove(id)}
        />
      ),
    },
  ];
  return <ListTable label={texts.keys.list} columns={columns} rows={keys} keyOf={({ key_id: id }) => id} />;
}

function Expiry({ at }: { at: string }) {
  if (Date.parse(at) >= Date.now()) return formatTime(at);
  return <span className="count-failed">{texts.keys.expired}</span>;
}

import { Alert, Button, Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ConnectionCheckReply, ConnectionCreate, ConnectionReply } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { RemoveButton } from '../parts/confirm';
import { CopyButton } from '../parts/copy-button';
import { splitNames } from '../parts/form-texts';
import { type Column, ListTable } from '../parts/list-table';
import { Failure, Panel } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { useSession } from '../session';
import { texts } from '../texts';

const types = [
  'model',
  'conversion',
  'web',
  's3',
  'azure',
  'gcs',
  'sftp',
  'imap',
  'smb',
  'sharepoint',
  'google_drive',
  'confluence',
  'opensearch',
  'elasticsearch',
  'milvus',
  'postgresql',
  'custom',
] as const;

/** Connections: secrets that flows refer to, each sent only to the hosts of its connection. */
export function Connections() {
  const offset = useOffset();
  const result = useQuery({
    queryKey: ['connections', offset],
    queryFn: () => api.connections.list({ limit: pageSize, offset }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <p className="muted">{texts.connections.help}</p>
      <NewConnection />
      <Paged title={texts.connections.list} found={result} empty={texts.connections.empty}>
        {({ items }) => <ConnectionTable connections={items} />}
      </Paged>
    </>
  );
}

const emptyDraft = { name: '', type: 'model' as ConnectionCreate['type'], hosts: '', secret: '', shared: false };

function NewConnection() {
  const queries = useQueryClient();
  const { user } = useSession();
  const [draft, setDraft] = useState(emptyDraft);
  const create = useMutation({
    mutationFn: (connection: ConnectionCreate) => api.connections.create(connection),
    onSuccess: () => {
      setDraft(emptyDraft);
      return queries.invalidateQueries({ queryKey: ['connections'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, type, hosts, secret, shared } = draft;
    create.mutate({
      name: name.trim(),
      type,
      hosts: splitNames(hosts),
      secret,
      ...(shared ? { shared, users: ['*'] } : {}),
    });
  };
  return (
    <Panel title={texts.connections.create}>
      <form onSubmit={submit} autoComplete="off">
        <Fields draft={draft} setDraft={setDraft} />
        {user.is_administrator ? (
          <Checkbox
            label={texts.connections.shared}
            mb={12}
            checked={draft.shared}
            onChange={({ currentTarget: { checked } }) => setDraft({ ...draft, shared: checked })}
          />
        ) : null}
        <Button
          type="submit"
          loading={create.isPending}
          disabled={[draft.name, draft.hosts, draft.secret].some((text) => text.trim() === '')}
        >
          {texts.connections.submit}
        </Button>
      </form>
      <div role="status">{create.data ? <Stored name={create.data.name} /> : null}</div>
      {create.isError ? <Failure error={create.error} title={texts.connections.failed} isAction /> : null}
    </Panel>
  );
}

/** The reference to use in a flow in place of the secret. */
function Stored({ name }: { name: string }) {
  const reference = formatReference(name);
  return (
    <Alert color="gray" variant="outline" mt={12} title={texts.connections.stored(name)}>
      <p>{texts.connections.use}</p>
      <p className="actions">
        <code>{reference}</code>
        <CopyButton text={reference} label={texts.common.copy} />
      </p>
    </Alert>
  );
}

function formatReference(name: string): string {
  return `\${connection:${name}}`;
}

function Fields({ draft, setDraft }: { draft: typeof emptyDraft; setDraft: (draft: typeof emptyDraft) => void }) {
  return (
    <>
      <div className="filters level">
        <TextInput
          label={texts.connections.name}
          description={texts.connections.nameHelp}
          value={draft.name}
          required
          className="grow"
          onChange={({ currentTarget: { value } }) => setDraft({ ...draft, name: value })}
        />
        <NativeSelect
          label={texts.connections.type}
          value={draft.type}
          data={types.map((value) => ({ value, label: texts.connections.types[value] ?? value }))}
          onChange={({ currentTarget: { value } }) =>
            setDraft({ ...draft, type: types.find((type) => type === value) ?? 'model' })
          }
        />
      </div>
      <div className="filters level">
        <TextInput
          label={texts.connections.hosts}
          description={texts.connections.hostsHelp}
          value={draft.hosts}
          required
          className="grow"
          onChange={({ currentTarget: { value } }) => setDraft({ ...draft, hosts: value })}
        />
        <PasswordInput
          label={texts.connections.secret}
          value={draft.secret}
          autoComplete="new-password"
          required
          className="grow"
          onChange={({ currentTarget: { value } }) => setDraft({ ...draft, secret: value })}
        />
      </div>
    </>
  );
}

/** The result of the latest check. */
function Checked({ name, checked }: { name: string; checked: ConnectionCheckReply }) {
  const { usable, secret, hosts, sources, destinations } = checked;
  const uncheckedCount = checked.unchecked_sources + checked.unchecked_destinations;
  const answers = [
    { what: texts.connections.secret, ...secret },
    ...hosts.map(({ host, ...answer }) => ({ what: host, ...answer })),
    ...[...sources, ...destinations].flatMap(({ flow_name: flow, operator, rights, code, message = '' }) => [
      ...(code === undefined ? [] : [{ what: `${flow}, ${operator}`, outcome: 'denied' as const, message }]),
      ...rights.map(({ right, outcome, message: text }) => ({
        what: `${flow}, ${operator}: ${texts.sources.names[right] ?? right}`,
        outcome,
        message: text,
      })),
    ]),
  ];
  return (
    <Alert
      color={usable ? 'gray' : 'red'}
      variant="outline"
      mt={12}
      title={usable ? texts.connections.isUsable(name) : texts.connections.isNotUsable(name)}
    >
      <ul>
        {answers.map(({ what, outcome, message }) => (
          <li key={what}>
            {what}: {texts.connections.outcomes[outcome]}. {message}
          </li>
        ))}
      </ul>
      {uncheckedCount > 0 ? <p>{texts.connections.uncheckedUses(uncheckedCount)}</p> : null}
    </Alert>
  );
}

function ConnectionTable({ connections }: { connections: readonly ConnectionReply[] }) {
  const check = useMutation({ mutationFn: ({ connection_id: id }: ConnectionReply) => api.connections.check(id) });
  const columns: Column<ConnectionReply>[] = [
    {
      title: texts.connections.name,
      kind: 'name',
      cell: ({ name }) => (
        <>
          {name}
          <code className="state-note below">{formatReference(name)}</code>
        </>
      ),
    },
    { title: texts.connections.type, cell: ({ type }) => texts.connections.types[type] ?? type },
    { title: texts.connections.hosts, kind: 'long', cell: ({ hosts }) => hosts.join(', ') },
    { title: texts.settings.owner, cell: ({ owner }) => owner },
    { title: texts.connections.sharedWith, cell: formatUsers },
    { title: texts.data.changed, kind: 'when', cell: ({ updated_at: at }) => formatTime(at) },
    {
      title: texts.settings.actions,
      kind: 'acts',
      cell: (connection) => (
        <ConnectionActions
          connection={connection}
          isChecking={check.isPending}
          onCheck={() => check.mutate(connection)}
        />
      ),
    },
  ];
  return (
    <>
      <ListTable
        label={texts.connections.list}
        columns={columns}
        rows={connections}
        keyOf={({ connection_id: id }) => id}
      />
      <div role="status">{check.data ? <Checked name={check.variables.name} checked={check.data} /> : null}</div>
      {check.isError ? <Failure error={check.error} title={texts.connections.checkFailed} isAction /> : null}
    </>
  );
}

function ConnectionActions({
  connection: { connection_id: id, name },
  isChecking,
  onCheck,
}: {
  connection: ConnectionReply;
  isChecking: boolean;
  onCheck: () => void;
}) {
  return (
    <span className="actions">
      <Button
        variant="default"
        size="xs"
        aria-label={texts.connections.checkOne(name)}
        disabled={isChecking}
        onClick={onCheck}
      >
        {texts.connections.check}
      </Button>
      <RemoveButton
        label={texts.connections.remove}
        about={texts.connections.removeOne(name)}
        question={texts.connections.sure}
        queryKey={['connections']}
        remove={() => api.connections.remove(id)}
      />
    </span>
  );
}

function formatUsers({ shared, users, groups, has_secret: hasSecret }: ConnectionReply): string {
  const named = [...users.map((user) => (user === '*' ? texts.connections.everybody : user)), ...groups];
  const who = shared ? named.join(', ') : texts.connections.mine;
  return hasSecret ? who : `${who} (${texts.connections.lost})`;
}

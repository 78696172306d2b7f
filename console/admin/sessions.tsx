import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { SessionReply } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { RemoveButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { NameField } from '../parts/name-field';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { setQuery, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { nameAgent } from './agent';

/** The sessions of all users, for administrators. */
export function AllSessions() {
  const username = usePlace().query.get('user') ?? '';
  const [user, setUser] = useState(username);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setQuery({ user: user.trim(), offset: undefined });
  };
  return (
    <>
      <p className="muted">{texts.sessions.help}</p>
      <form onSubmit={submit}>
        <div className="filters">
          <NameField kind="user" label={texts.sessions.user} value={user} onValue={setUser} />
          <Button type="submit" variant="default">
            {texts.audit.apply}
          </Button>
        </div>
      </form>
      <SessionList username={username} />
    </>
  );
}

/** The sessions of the user. */
export function OwnSessions() {
  const { user } = useSession();
  return (
    <>
      <p className="muted">{texts.sessions.ownHelp}</p>
      <SessionList username={user.username} />
    </>
  );
}

function SessionList({ username }: { username: string }) {
  const offset = useOffset();
  const result = useQuery({
    queryKey: ['sessions', username, offset],
    queryFn: () => api.sessions.list({ limit: pageSize, offset, ...(username ? { username } : {}) }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <Paged title={texts.sessions.list} found={result} empty={texts.sessions.empty}>
      {({ items }) => (
        <ListTable
          label={texts.sessions.list}
          columns={columns}
          rows={items}
          keyOf={({ session_id: id }: SessionReply) => id}
        />
      )}
    </Paged>
  );
}

const columns: readonly Column<SessionReply>[] = [
  { title: texts.sessions.user, kind: 'name', cell: ({ username }) => username },
  {
    title: texts.sessions.program,
    kind: 'long',
    cell: ({ user_agent: agent, client_address: address }) => (
      <span>
        <Agent agent={agent} />
        <span className="state-note below">{texts.sessions.from(address)}</span>
      </span>
    ),
  },
  { title: texts.sessions.begun, kind: 'when', cell: ({ issued_at: at }) => formatTime(at) },
  { title: texts.sessions.used, kind: 'when', cell: ({ last_used_at: at }) => formatTime(at) },
  { title: texts.sessions.until, kind: 'when', cell: ({ expires_at: at }) => formatTime(at) },
  {
    title: texts.settings.actions,
    kind: 'acts',
    cell: ({ session_id: id, username, is_current: isCurrent, issued_at: at }) =>
      isCurrent ? (
        <span className="nowrap">{texts.sessions.current}</span>
      ) : (
        <RemoveButton
          label={texts.sessions.end}
          about={texts.sessions.endOne(username, formatTime(at))}
          question={texts.sessions.sure}
          queryKey={['sessions']}
          remove={() => api.sessions.remove(id)}
        />
      ),
  },
];

function Agent({ agent }: { agent: string }) {
  const { program, system } = nameAgent(agent);
  return <span title={agent}>{[program, system].filter(Boolean).join(', ') || texts.sessions.unknown}</span>;
}

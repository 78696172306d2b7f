import { Button, NativeSelect } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ProjectReply } from '../../client';
import { type Column, ListTable } from '../parts/list-table';
import { NameField } from '../parts/name-field';
import { Empty, Panel } from '../parts/page';
import { texts } from '../texts';
import { type Member, memberRoles, listMembers, type Role } from './roles';

const roleItems = memberRoles.map((value) => ({ value, label: texts.projects.roles[value] }));
const toRole = (value: string): Role => memberRoles.find((role) => role === value) ?? 'viewer';

/** The members of a project and their roles. Changes are collected and stored together. */
export function Members({
  project,
  mayManage,
  isPending,
  onSave,
}: {
  project: ProjectReply;
  mayManage: boolean;
  isPending: boolean;
  onSave: (change: { members: string[]; roles: Member[] }) => void;
}) {
  const stored = listMembers(project);
  const [draft, setDraft] = useState<Member[]>();
  const members = draft ?? stored;
  const isChanged = draft !== undefined && JSON.stringify(draft) !== JSON.stringify(stored);
  const change = (next: Member[]) => setDraft(next.toSorted((member, other) => member.user.localeCompare(other.user)));
  return (
    <Panel title={texts.projects.members}>
      <ul className="muted roles">
        {memberRoles.map((role) => (
          <li key={role}>
            <b>{texts.projects.roles[role]}</b> {texts.projects.explained[role]}
          </li>
        ))}
      </ul>
      {members.length === 0 ? (
        <Empty>{texts.projects.noMembers}</Empty>
      ) : (
        <MemberTable members={members} onMembers={mayManage ? change : undefined} />
      )}
      {mayManage ? (
        <>
          <AddMember owner={project.owner} members={members} onAdd={(member) => change([...members, member])} />
          <p role="status">{isChanged ? texts.projects.unsaved : null}</p>
          <p className="actions">
            <Button
              disabled={!isChanged}
              loading={isPending}
              onClick={() => onSave({ members: members.map(({ user }) => user), roles: members })}
            >
              {texts.projects.saveMembers}
            </Button>
            {isChanged ? (
              <Button variant="default" onClick={() => setDraft(undefined)}>
                {texts.projects.discard}
              </Button>
            ) : null}
          </p>
        </>
      ) : null}
    </Panel>
  );
}

function MemberTable({
  members,
  onMembers,
}: {
  members: readonly Member[];
  onMembers: ((members: Member[]) => void) | undefined;
}) {
  const columns: Column<Member>[] = [
    { title: texts.projects.user, kind: 'name', cell: ({ user }) => user },
    {
      title: texts.projects.role,
      cell: ({ user, role }) =>
        onMembers ? (
          <NativeSelect
            aria-label={texts.projects.roleOf(user)}
            size="xs"
            className="narrow-field"
            value={role}
            data={roleItems}
            onChange={({ currentTarget: { value } }) =>
              onMembers(members.map((member) => (member.user === user ? { user, role: toRole(value) } : member)))
            }
          />
        ) : (
          texts.projects.roles[role]
        ),
    },
    ...(onMembers
      ? [
          {
            title: texts.data.actions,
            kind: 'acts' as const,
            cell: ({ user }: Member) => (
              <Button
                size="xs"
                variant="default"
                aria-label={texts.projects.removeOne(user)}
                onClick={() => onMembers(members.filter((member) => member.user !== user))}
              >
                {texts.projects.removeMember}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return <ListTable label={texts.projects.members} columns={columns} rows={members} keyOf={({ user }) => user} />;
}

function AddMember({
  owner,
  members,
  onAdd,
}: {
  owner: string;
  members: readonly Member[];
  onAdd: (member: Member) => void;
}) {
  const [draft, setDraft] = useState<Member>({ user: '', role: 'viewer' });
  const user = draft.user.trim();
  const findProblem = () => {
    if (user === owner) return texts.projects.isOwner(user);
    return members.some((member) => member.user === user) ? texts.projects.already(user) : undefined;
  };
  const problem = findProblem();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (user === '' || problem !== undefined) return;
    onAdd({ user, role: draft.role });
    setDraft({ user: '', role: draft.role });
  };
  return (
    <form className="filters level" onSubmit={submit}>
      <NameField
        kind="user"
        label={texts.projects.user}
        description={texts.projects.userHelp}
        value={draft.user}
        maxLength={256}
        error={problem}
        onValue={(value) => setDraft({ ...draft, user: value })}
      />
      <NativeSelect
        label={texts.projects.role}
        value={draft.role}
        data={roleItems}
        onChange={({ currentTarget: { value } }) => setDraft({ ...draft, role: toRole(value) })}
      />
      <Button type="submit" variant="default" disabled={user === '' || problem !== undefined}>
        {texts.projects.add}
      </Button>
    </form>
  );
}

import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { texts } from '../texts';

/** Name and description of a project, in the form sent to the server. */
export interface ProjectNames {
  name: string;
  description: string | null;
}

/**
 * Edits the name and description of a project. `onSubmit` receives them trimmed. With `stored`, the form can be sent only after a change.
 */
export function NameForm({
  stored,
  action,
  isPending,
  onSubmit,
}: {
  stored?: ProjectNames;
  action: string;
  isPending: boolean;
  onSubmit: (names: ProjectNames) => void;
}) {
  const start = { name: stored?.name ?? '', description: stored?.description ?? '' };
  const [draft, setDraft] = useState(start);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ name: draft.name.trim(), description: draft.description.trim() || null });
  };
  const isSame = stored !== undefined && draft.name === start.name && draft.description === start.description;
  return (
    <form className="filters level" onSubmit={submit}>
      <TextInput
        label={texts.projects.name}
        value={draft.name}
        required
        maxLength={256}
        onChange={({ currentTarget: { value } }) => setDraft({ ...draft, name: value })}
      />
      <TextInput
        label={texts.projects.description}
        className="grow"
        value={draft.description}
        maxLength={10_000}
        onChange={({ currentTarget: { value } }) => setDraft({ ...draft, description: value })}
      />
      <Button
        type="submit"
        {...(stored ? { variant: 'default' } : {})}
        loading={isPending}
        disabled={isSame || draft.name.trim() === ''}
      >
        {action}
      </Button>
    </form>
  );
}

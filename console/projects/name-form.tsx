import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { texts } from '../texts';

/** Name and description of a project, in the form sent to the server. */
export interface ProjectNames {
  name: string;
  description: string | null;
}

/**
 * Edits the name and description of a project. `onSubmit` gets them trimmed; with `stored`, only a changed form can be sent.
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
  const first = { name: stored?.name ?? '', description: stored?.description ?? '' };
  const [given, setGiven] = useState(first);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ name: given.name.trim(), description: given.description.trim() || null });
  };
  const isSame = stored !== undefined && given.name === first.name && given.description === first.description;
  return (
    <form className="filters level" onSubmit={submit}>
      <TextInput
        label={texts.projects.name}
        value={given.name}
        required
        maxLength={256}
        onChange={({ currentTarget: { value } }) => setGiven({ ...given, name: value })}
      />
      <TextInput
        label={texts.projects.description}
        className="grow"
        value={given.description}
        maxLength={10_000}
        onChange={({ currentTarget: { value } }) => setGiven({ ...given, description: value })}
      />
      <Button
        type="submit"
        {...(stored ? { variant: 'default' } : {})}
        loading={isPending}
        disabled={isSame || given.name.trim() === ''}
      >
        {action}
      </Button>
    </form>
  );
}

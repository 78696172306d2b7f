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
  const [nameText, setGiven] = useState(first);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ name: nameText.name.trim(), description: nameText.description.trim() || null });
  };
  const isSame = stored !== undefined && nameText.name === first.name && nameText.description === first.description;
  return (
    <form className="filters level" onSubmit={submit}>
      <TextInput
        label={texts.projects.name}
        value={nameText.name}
        required
        maxLength={256}
        onChange={({ currentTarget: { value } }) => setGiven({ ...nameText, name: value })}
      />
      <TextInput
        label={texts.projects.description}
        className="grow"
        value={nameText.description}
        maxLength={10_000}
        onChange={({ currentTarget: { value } }) => setGiven({ ...nameText, description: value })}
      />
      <Button
        type="submit"
        {...(stored ? { variant: 'default' } : {})}
        loading={isPending}
        disabled={isSame || nameText.name.trim() === ''}
      >
        {action}
      </Button>
    </form>
  );
}

import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Panel } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';

const maxDocuments = 100;

/** Tries a flow on a few documents without writing results. */
export function TryOut({
  flowId,
  isDisabled,
  isPending,
  onTry,
}: {
  flowId: string;
  isDisabled: boolean;
  isPending: boolean;
  onTry: (documents: number) => void;
}) {
  const [countText, setCountText] = useState('5');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onTry(Number(countText));
  };
  return (
    <Panel title={texts.sample.title}>
      <p className="muted">{texts.sample.help}</p>
      <form className="filters level" onSubmit={submit}>
        <TextInput
          type="number"
          label={texts.sample.documents}
          min={1}
          max={maxDocuments}
          step={1}
          required
          withAsterisk={false}
          value={countText}
          onChange={({ currentTarget: { value } }) => setCountText(value)}
        />
        <Button type="submit" variant="default" disabled={isDisabled} loading={isPending}>
          {texts.sample.start}
        </Button>
        {flowId === 'new' ? null : (
          <Link className="beside-field" to={`/runs?flow=${flowId}&kind=sample`}>
            {texts.sample.earlier}
          </Link>
        )}
      </form>
    </Panel>
  );
}

import { Button, Checkbox } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { BulkReply } from '../../client';
import { texts } from '../texts';
import { ConfirmButton } from './confirm';
import { Failure } from './page';

/** Maximum number of different messages shown after an action. */
const maxMessages = 5;

/** The selected rows of a list. */
export interface Selection {
  /** Keys of the displayed rows that may be selected. */
  keys: readonly string[];
  chosen: readonly string[];
  toggle: (key: string) => void;
  set: (keys: readonly string[]) => void;
}

/** Keeps the selection within `keys`; rows that are no longer displayed are deselected. */
export function useSelection(keys: readonly string[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return {
    keys,
    chosen: keys.filter((key) => selected.has(key)),
    toggle: (key) => {
      const next = new Set(selected);
      if (!next.delete(key)) next.add(key);
      setSelected(next);
    },
    set: (next) => setSelected(new Set(next)),
  };
}

/** An action on several rows; if it has a `question`, it asks for confirmation. */
export interface BulkAction<A extends string> {
  action: A;
  label: string;
  question?: string;
}

/** The toolbar for selected rows: select all, action buttons, and the results afterwards. */
export function BulkBar<A extends string>({
  selection,
  actions,
  act,
  onDone,
}: {
  selection: Selection;
  actions: readonly BulkAction<A>[];
  act: (action: A, ids: readonly string[]) => Promise<BulkReply>;
  onDone: () => Promise<unknown>;
}) {
  const { keys, chosen, set } = selection;
  const work = useMutation({
    mutationFn: (action: A) => act(action, chosen),
    onSuccess: ({ results }) => {
      // Rejected rows stay selected, so that the user can look at them.
      set(results.filter(({ outcome }) => outcome === 'refused').map(({ id }) => id));
      return onDone();
    },
  });
  if (keys.length === 0) return null;
  const isIdle = chosen.length === 0 || work.isPending;
  return (
    <>
      <div className="filters in-line" role="group" aria-label={texts.bulk.label}>
        <SelectPage selection={selection} />
        <span className="muted">{texts.failed.selected(chosen.length)}</span>
        {chosen.length > 0 || work.isPending
          ? actions.map(({ action, label, question }) =>
              question === undefined ? (
                <Button key={action} size="xs" variant="default" disabled={isIdle} onClick={() => work.mutate(action)}>
                  {label}
                </Button>
              ) : (
                <ConfirmButton
                  key={action}
                  size="xs"
                  label={label}
                  about={texts.bulk.about(label)}
                  question={question}
                  disabled={isIdle}
                  onConfirm={() => work.mutate(action)}
                />
              ),
            )
          : null}
      </div>
      <div role="status">{work.data ? <Outcome reply={work.data} /> : null}</div>
      {work.isError ? <Failure error={work.error} isAction /> : null}
    </>
  );
}

/** Selects all rows of the page that may be selected, or none. */
export function SelectPage({ selection: { keys, chosen, set } }: { selection: Selection }) {
  const isComplete = chosen.length === keys.length;
  return (
    <Checkbox
      label={texts.failed.selectPage}
      checked={isComplete}
      indeterminate={chosen.length > 0 && !isComplete}
      onChange={() => set(isComplete ? [] : keys)}
    />
  );
}

function Outcome({ reply: { done, refused, results } }: { reply: BulkReply }) {
  const messages = new Set(results.flatMap(({ message }) => (message === undefined ? [] : [message])));
  return (
    <>
      <p className="muted">
        {texts.bulk.done(done)} {refused > 0 ? texts.bulk.refused(refused) : null}
      </p>
      {messages.size > 0 ? (
        <ul className="alerts">
          {[...messages].slice(0, maxMessages).map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

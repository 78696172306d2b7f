import { Button, type ButtonProps } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { texts } from '../texts';
import { Failure } from './page';

/** A button that asks for confirmation. */
export function ConfirmButton({
  label,
  about,
  question,
  isPending = false,
  onConfirm,
  ...look
}: {
  label: string;
  /** The accessible name, if the label alone does not identify the subject. */
  about?: string;
  question: string;
  isPending?: boolean;
  onConfirm: () => void;
} & Pick<ButtonProps, 'size' | 'variant' | 'disabled'>) {
  const [isSure, setSure] = useState(false);
  if (!isSure)
    return (
      <Button variant="default" {...look} aria-label={about} loading={isPending} onClick={() => setSure(true)}>
        {label}
      </Button>
    );
  return (
    <span role="alert" className="actions confirm">
      <span>{question}</span>
      <Button
        size={look.size}
        color="red"
        onClick={() => {
          setSure(false);
          onConfirm();
        }}
      >
        {label}
      </Button>
      <Button size={look.size} variant="default" onClick={() => setSure(false)}>
        {texts.common.keep}
      </Button>
    </span>
  );
}

/** A button in a list that removes its row after confirmation. */
export function RemoveButton({
  remove,
  queryKey,
  ...words
}: {
  label: string;
  about: string;
  question: string;
  remove: () => Promise<unknown>;
  /** The queries whose results change. */
  queryKey: readonly string[];
}) {
  const queries = useQueryClient();
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <>
      <ConfirmButton {...words} size="xs" isPending={removal.isPending} onConfirm={() => removal.mutate()} />
      {removal.isError ? <Failure error={removal.error} isAction /> : null}
    </>
  );
}

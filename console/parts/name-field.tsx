import { TextInput, type TextInputProps } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { api } from '../api';

/**
 * A field for the name of a user or group, with suggestions while somebody types. Any other name can be typed, too: not
 * everybody is shown whom the directory contains. With `several`, names are separated by commas.
 */
export function NameField({
  kind,
  several = false,
  value,
  onValue,
  ...rest
}: {
  kind: 'user' | 'group';
  several?: boolean;
  value: string;
  onValue: (value: string) => void;
} & Omit<TextInputProps, 'value' | 'onChange'>) {
  const id = useId();
  const start = several ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  const before = start === '' ? '' : `${start} `;
  const typed = useSettled(value.slice(start.length).trim());
  const nameSearch = useQuery({
    queryKey: ['names', kind, typed],
    queryFn: () => api.names.search({ kind, text: typed, limit: 10 }),
    enabled: typed !== '',
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
  return (
    <>
      <TextInput
        {...rest}
        value={value}
        list={id}
        autoComplete="off"
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
      <datalist id={id}>
        {(nameSearch.data?.names ?? []).map(({ name, full_name: full }) => (
          <option key={name} value={before + name} label={full && full !== name ? `${name} (${full})` : name} />
        ))}
      </datalist>
    </>
  );
}

/** The text once nobody has typed for a moment, so that not every letter is a request. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

const pauseMs = 250;

import { TextInput, type TextInputProps } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { api } from '../api';

const pauseMs = 250;

/**
 * A field for the name of a user or group, with suggestions while somebody types. Other names can be typed too, because the
 * suggestions need not contain everybody in the directory. With `several`, names are separated by commas.
 */
export function NameField({
  kind,
  several = false,
  value,
  onValue,
  ...field
}: {
  kind: 'user' | 'group';
  several?: boolean;
  value: string;
  onValue: (value: string) => void;
} & Omit<TextInputProps, 'value' | 'onChange'>) {
  const id = useId();
  const firstNames = several ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  const prefix = firstNames === '' ? '' : `${firstNames} `;
  const typed = useSettled(value.slice(firstNames.length).trim());
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
        {...field}
        value={value}
        list={id}
        autoComplete="off"
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
      <datalist id={id}>
        {(nameSearch.data?.names ?? []).map(({ name, full_name: full }) => (
          <option key={name} value={prefix + name} label={full && full !== name ? `${name} (${full})` : name} />
        ))}
      </datalist>
    </>
  );
}

/** The text after a short pause in typing, so that not every letter causes a request. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

import { Button, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { readField } from '../parts/form-texts';
import { setQuery, usePlace } from '../router';
import { texts } from '../texts';

/** Filters a list by part of the name. The filter is kept in the URL. */
export function NameFilter() {
  const { query } = usePlace();
  const name = query.get('name') ?? '';
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setQuery({ name: readField(event, 'name'), offset: undefined });
  };
  return (
    <form className="filters" role="search" key={name} onSubmit={submit}>
      <TextInput name="name" label={texts.data.filter} defaultValue={name} maxLength={128} />
      <Button type="submit" variant="default">
        {texts.data.apply}
      </Button>
      {name ? (
        <Button variant="default" onClick={() => setQuery({ name: undefined, offset: undefined })}>
          {texts.data.clear}
        </Button>
      ) : null}
    </form>
  );
}

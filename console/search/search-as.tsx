import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { SearchAsReply } from '../../client';
import { api } from '../api';
import { type Column, ListTable } from '../parts/list-table';
import { NameField } from '../parts/name-field';
import { Failure, Panel } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';
import { limit, modes } from './request';

const columns: readonly Column<SearchAsReply['hits'][number]>[] = [
  {
    title: texts.failed.name,
    kind: 'name',
    cell: ({ document_id: document, title }) => (
      <>
        <Link to={`/documents/${encodeURIComponent(document)}?tab=access`}>{title ?? document}</Link>
        {title === undefined ? <span className="muted"> {texts.searchAs.notYours}</span> : null}
      </>
    ),
  },
  { title: texts.searchAs.record, kind: 'long', cell: ({ id }) => id },
  { title: texts.searchAs.rule, kind: 'long', cell: ({ rule }) => texts.access.rules[rule ?? 'unknown'] },
];

/** The hits that another user would get: for administrators, without the content of documents. */
export function SearchAs({ place }: { place: URLSearchParams }) {
  const [name, setName] = useState(place.get('as') ?? '');
  const query = place.get('q') ?? '';
  const mode = modes.find((mode) => mode === place.get('mode')) ?? 'text';
  const result = useMutation({
    mutationFn: (user_id: string) => api.documents.searchAs({ user_id, limit, mode, ...(query ? { query } : {}) }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') result.mutate(name.trim());
  };
  return (
    <Panel title={texts.searchAs.title}>
      <p className="muted">{texts.searchAs.help}</p>
      <form className="filters" onSubmit={submit}>
        <NameField kind="user" label={texts.searchAs.user} value={name} onValue={setName} required />
        <Button type="submit" variant="default" loading={result.isPending}>
          {query ? texts.searchAs.find(query) : texts.searchAs.all}
        </Button>
      </form>
      {result.isError ? <Failure error={result.error} /> : null}
      {result.data ? <Found found={result.data} /> : null}
    </Panel>
  );
}

function Found({ found: { user_id: name, total, hits } }: { found: SearchAsReply }) {
  return (
    <>
      <p role="status">{texts.searchAs.found(name, total)}</p>
      {hits.length > 0 ? (
        <ListTable label={texts.searchAs.title} columns={columns} rows={hits} keyOf={({ id }) => id} />
      ) : null}
    </>
  );
}

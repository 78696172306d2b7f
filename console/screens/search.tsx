import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { DocumentReply } from '../../client';
import { api } from '../api';
import { formatCount } from '../format';
import { Highlight } from '../parts/highlight';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { Link, navigate, usePlace } from '../router';
import { texts } from '../texts';

type Mode = 'text' | 'vector' | 'hybrid';
const modes: readonly Mode[] = ['text', 'vector', 'hybrid'];
const limit = 20;

/** Search in one ranking, or in all three side by side. */
export function SearchScreen() {
  const { query: place } = usePlace();
  const query = place.get('q') ?? '';
  const mode = modes.find((one) => one === place.get('mode')) ?? (place.get('mode') === 'compare' ? 'compare' : 'text');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const parameters = new URLSearchParams();
    for (const name of ['q', 'mode']) {
      const value = form.get(name);
      if (typeof value === 'string') parameters.set(name, value);
    }
    navigate(`/search?${parameters}`);
  };
  return (
    <Page title={texts.search.title}>
      <form className="filters" onSubmit={submit} role="search" key={`${query} ${mode}`}>
        <TextInput name="q" type="search" label={texts.search.query} defaultValue={query} className="grow" required />
        <NativeSelect
          name="mode"
          label={texts.search.mode}
          defaultValue={mode}
          data={[
            ...modes.map((value) => ({ value, label: texts.search[value] })),
            { value: 'compare', label: texts.search.compare },
          ]}
        />
        <Button type="submit">{texts.search.submit}</Button>
      </form>
      {query === '' ? <Empty>{texts.search.start}</Empty> : null}
      {query !== '' ? (
        <div className="columns">
          {(mode === 'compare' ? modes : [mode]).map((one) => (
            <Results key={one} query={query} mode={one} />
          ))}
        </div>
      ) : null}
    </Page>
  );
}

function Results({ query, mode }: { query: string; mode: Mode }) {
  const found = useQuery({
    queryKey: ['search', query, mode],
    queryFn: () => api.documents.search({ query, mode, limit, highlight: true, provenance: true }),
    staleTime: 30_000,
  });
  return (
    <Panel title={texts.search[mode]}>
      {found.isPending ? <Loading /> : null}
      {found.isError ? <Failure error={found.error} title={texts.search.failed} /> : null}
      {found.data ? (
        <>
          <p className="muted" role="status">
            {found.data.total === 0 ? texts.search.empty : texts.search.results(found.data.total)}
          </p>
          {found.data.documents.map((document, index) => (
            <Hit key={`${index} ${document.id}`} document={document} rank={index + 1} />
          ))}
        </>
      ) : null}
    </Panel>
  );
}

function Hit({ document, rank }: { document: DocumentReply; rank: number }) {
  const { id, title, metadata, content, highlights = {}, provenance } = document;
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  const passages = highlights['content'] ?? [];
  const pages = provenance?.pages ?? [];
  return (
    <article className="hit">
      <h3>
        <Link to={`/documents/${encodeURIComponent(id)}`}>{title || name || id}</Link>
      </h3>
      <p className="state-note">
        {[
          texts.search.rank(rank),
          name,
          ...(pages.length > 0 ? [texts.document.page(pages.map(formatCount).join(', '))] : []),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {passages.length > 0 ? (
        passages.map((passage) => (
          <p key={passage}>
            <Highlight passage={passage} />
          </p>
        ))
      ) : (
        <p>{content.slice(0, 300)}</p>
      )}
    </article>
  );
}

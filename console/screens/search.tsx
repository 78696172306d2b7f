import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { SearchReply } from '../../client';
import { api } from '../api';
import { formatCount, formatLanguage } from '../format';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { Link, navigate, setQuery, usePlace } from '../router';
import { Hit } from '../search/hit';
import { foldRepeats } from '../search/repeats';
import {
  facetFields,
  formFields,
  getMode,
  limit,
  type Mode,
  modes,
  readRanking,
  buildRequest,
  buildQuery,
  toggleFilter,
} from '../search/request';
import { SearchAs } from '../search/search-as';
import { useSession } from '../session';
import { texts } from '../texts';

/** Searches in one ranking, or in all three side by side, with filters. */
export function SearchScreen() {
  const { query: place } = usePlace();
  const { user } = useSession();
  const hasQuery = ['q', 'like', 'f', 'from', 'to', 'flow', 'set'].some((name) => place.has(name));
  const mode = getMode(place);
  const shownModes = mode === 'compare' ? modes : [mode];
  return (
    <Page
      title={texts.search.title}
      actions={
        <Link className="action-link" to="/search/quality">
          {texts.quality.title}
        </Link>
      }
    >
      <SearchForm key={String(place)} place={place} />
      {place.get('like') ? (
        <p>
          {texts.search.alike}{' '}
          <button type="button" className="chip" onClick={() => setQuery({ like: undefined })}>
            {texts.search.endAlike}
          </button>
        </p>
      ) : null}
      {hasQuery ? null : <Empty>{texts.search.start}</Empty>}
      {hasQuery ? (
        <>
          <Facets place={place} />
          <div className="columns">
            {shownModes.map((mode) => (
              <Results key={mode} place={place} mode={mode} isOnly={shownModes.length === 1} />
            ))}
          </div>
        </>
      ) : null}
      {user.is_administrator ? <SearchAs place={place} /> : null}
    </Page>
  );
}

function SearchForm({ place }: { place: URLSearchParams }) {
  const flows = useQuery({ queryKey: ['search', 'flows'], queryFn: () => api.flows.list({ limit: 100 }) });
  const sets = useQuery({ queryKey: ['search', 'sets'], queryFn: () => api.documentSets.list({ limit: 100 }) });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    navigate(`/search?${buildQuery(new FormData(event.currentTarget), place)}`);
  };
  const withAny = (any: string, items: { value: string; label: string }[]) => [{ value: '', label: any }, ...items];
  const flowItems = (flows.data?.flows ?? []).map((flow) => ({
    value: flow.flow_id,
    label: 'flow_name' in flow ? flow.flow_name : flow.flow_id,
  }));
  const setItems = (sets.data?.items ?? []).map(({ id: value, name: label }) => ({ value, label }));
  const getValue = (name: (typeof formFields)[number]) => place.get(name) ?? '';
  return (
    <form onSubmit={submit} role="search">
      <div className="filters">
        <TextInput name="q" type="search" label={texts.search.query} defaultValue={getValue('q')} className="grow" />
        <Ranking place={place} />
        <Button type="submit">{texts.search.submit}</Button>
      </div>
      <details open={formFields.some((name) => !['q', 'mode', 'graph'].includes(name) && place.has(name))}>
        <summary>{texts.search.narrow}</summary>
        <div className="filters narrow">
          <TextInput name="from" type="date" label={texts.search.from} defaultValue={getValue('from')} />
          <TextInput name="to" type="date" label={texts.search.to} defaultValue={getValue('to')} />
          <NativeSelect
            key={`flow ${flowItems.length}`}
            name="flow"
            label={texts.failed.flow}
            defaultValue={getValue('flow')}
            data={withAny(texts.runs.anyFlow, flowItems)}
          />
          <NativeSelect
            key={`set ${setItems.length}`}
            name="set"
            label={texts.search.set}
            defaultValue={getValue('set')}
            data={withAny(texts.search.anySet, setItems)}
          />
        </div>
        <div className="checks">
          <Rerank isChosen={place.has('rerank')} />
          <Checkbox name="group" value="1" label={texts.search.group} defaultChecked={place.has('group')} />
          <Checkbox name="expand" value="1" label={texts.search.expand} defaultChecked={place.has('expand')} />
        </div>
      </details>
    </form>
  );
}

/** Whether a model orders the hits, where the server has one. */
function Rerank({ isChosen }: { isChosen: boolean }) {
  const options = useQuery({
    queryKey: ['search', 'options'],
    queryFn: () => api.documents.searchOptions(),
    staleTime: 60_000,
  });
  // A choice from elsewhere, such as a shared address, can always be taken back. If the server does not say, a search does.
  const isOffered = options.data?.rerank === true || options.isError || isChosen;
  return (
    <Checkbox
      name="rerank"
      value="1"
      label={texts.search.rerank}
      defaultChecked={isChosen}
      disabled={!isOffered}
      {...(options.data?.rerank === false ? { description: texts.search.noRerank } : {})}
    />
  );
}

/** The choice of a ranking, and of the graph if its facts are ranked. */
function Ranking({ place }: { place: URLSearchParams }) {
  const graphs = useGraphChoices();
  const [mode, setMode] = useState<string>(getMode(place));
  return (
    <>
      <NativeSelect
        name="mode"
        label={texts.search.mode}
        value={mode}
        onChange={(event) => setMode(event.currentTarget.value)}
        data={[
          ...modes.map((mode) => ({ value: mode, label: texts.search[mode] })),
          ...(graphs.length > 0 || mode === 'graph' ? [{ value: 'graph', label: texts.search.graph }] : []),
          { value: 'compare', label: texts.search.compare },
        ]}
      />
      {mode === 'graph' ? (
        <NativeSelect
          key={`graph ${graphs.length}`}
          name="graph"
          label={texts.search.ofGraph}
          defaultValue={place.get('graph') ?? ''}
          data={graphs}
        />
      ) : null}
    </>
  );
}

/** The graphs of document sets that the user may search. */
function useGraphChoices(): { value: string; label: string }[] {
  const { user } = useSession();
  const graphs = useQuery({
    queryKey: ['search', 'graphs'],
    queryFn: () => api.graphs.list({ limit: 100, state: 'COMPLETED' }),
    staleTime: 60_000,
  });
  return (
    (graphs.data?.items ?? [])
      // Administrators see graphs that they may not query. The list does not say who may.
      .filter(({ corpus, owner }) => corpus && (!user.is_administrator || owner === user.username))
      .map(({ id: value, name, source }) => ({ value, label: name ?? source.name }))
  );
}

/** Frequent values of the hits as filters. Selected filters stay visible, even without a hit. */
function Facets({ place }: { place: URLSearchParams }) {
  const request = { ...buildRequest(place), limit: 1, facets: facetFields.map((field) => ({ field, limit: 6 })) };
  const result = useQuery({
    queryKey: ['search', 'facets', JSON.stringify(request)],
    queryFn: () => api.documents.search(request),
    staleTime: 30_000,
  });
  const chosen = place.getAll('f');
  const facets = (result.data?.facets ?? []).filter(({ values }) => values.length > 0);
  if (facets.length === 0 && chosen.length === 0) return null;
  const offered = new Set(facets.flatMap(({ field, values }) => values.map(({ value }) => `${field}:${value}`)));
  const toggle = (filter: string) => navigate(`/search?${toggleFilter(place, filter)}`);
  return (
    <div className="facets" role="group" aria-label={texts.search.facets}>
      {facets.map(({ field, values }) => (
        <div key={field}>
          <span className="muted">{texts.search.fields[field] ?? field}</span>
          <span className="chips">
            {values.map(({ value, count }) => (
              <button
                key={value}
                type="button"
                className="chip"
                aria-pressed={chosen.includes(`${field}:${value}`)}
                onClick={() => toggle(`${field}:${value}`)}
              >
                {field === 'metadata.language' ? formatLanguage(value) : value}
                <b>{formatCount(count)}</b>
              </button>
            ))}
          </span>
        </div>
      ))}
      {chosen
        .filter((filter) => !offered.has(filter))
        .map((filter) => (
          <button key={filter} type="button" className="chip" aria-pressed onClick={() => toggle(filter)}>
            {filter.slice(filter.indexOf(':') + 1)}
          </button>
        ))}
    </div>
  );
}

/** Hits of one ranking; if it is the only one, its name and the ranks are not shown. */
function Results({ place, mode, isOnly }: { place: URLSearchParams; mode: Mode; isOnly: boolean }) {
  const request = {
    ...buildRequest(place),
    limit,
    ...readRanking(mode, place),
    ...(isOnly ? {} : { explain: true }),
    highlight: true,
    provenance: true,
  };
  const result = useQuery({
    queryKey: ['search', JSON.stringify(request)],
    queryFn: () => api.documents.search(request),
    staleTime: 30_000,
  });
  return (
    <Panel title={isOnly ? texts.search.found : texts.search[mode]}>
      {result.isPending ? <Loading /> : null}
      {result.isError ? <Failure error={result.error} title={texts.search.failed} /> : null}
      {result.data ? (
        <Hits found={result.data} mode={mode} hasRanks={!isOnly} query={request.query ?? undefined} />
      ) : null}
    </Panel>
  );
}

function Hits({
  found: { documents, total, warnings = [] },
  mode,
  hasRanks,
  query,
}: {
  found: SearchReply;
  mode: Mode;
  hasRanks: boolean;
  query: string | undefined;
}) {
  const empty = mode === 'text' && !hasRanks ? texts.search.emptyWords : texts.search.empty;
  return (
    <>
      <p className="muted" role="status">
        {total === 0 ? empty : texts.search.results(total)}
      </p>
      {warnings.map((warning) => (
        <p key={warning} className="state-note">
          {warning}
        </p>
      ))}
      {hasRanks
        ? documents.map((document, index) => (
            <Hit key={`${index} ${document.id}`} document={document} rank={index + 1} query={query} />
          ))
        : foldRepeats(documents).map(({ document, repeats }, index) => (
            <Hit key={`${index} ${document.id}`} document={document} repeats={repeats} query={query} />
          ))}
    </>
  );
}

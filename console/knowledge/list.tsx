import { NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { GraphReply } from '../../client';
import { api } from '../api';
import { formatCount, formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Page } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import type { Tone } from '../parts/state';
import { Link, setQuery, usePlace } from '../router';
import { texts } from '../texts';

const states = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
const tones: Readonly<Record<string, Tone>> = {
  QUEUED: 'idle',
  RUNNING: 'active',
  COMPLETED: 'done',
  FAILED: 'failed',
  CANCELED: 'idle',
};

const columns: readonly Column<GraphReply>[] = [
  {
    title: texts.graphs.name,
    kind: 'name',
    cell: ({ id, name, source }) => <Link to={`/graphs/${id}`}>{name ?? (source.name || id)}</Link>,
  },
  {
    title: texts.graphs.madeOf,
    cell: ({ name, source, corpus }) =>
      corpus ? texts.graphs.ofSet(name === source.name ? '' : source.name) : texts.graphs.ofDocument,
  },
  { title: texts.graphs.template, cell: ({ template }) => template },
  { title: texts.graphs.state, cell: ({ state }) => <GraphState state={state} /> },
  { title: texts.graphs.nodes, kind: 'num', cell: ({ nodes }) => (nodes === null ? '' : formatCount(nodes)) },
  { title: texts.graphs.edges, kind: 'num', cell: ({ edges }) => (edges === null ? '' : formatCount(edges)) },
  { title: texts.data.owner, cell: ({ owner }) => owner },
  { title: texts.graphs.created, kind: 'when', cell: ({ created_at: at }) => formatTime(at) },
];

/** The state of a graph as a word with a symbol. */
export function GraphState({ state }: { state: GraphReply['state'] }) {
  return (
    <span className="state" data-tone={tones[state]}>
      {texts.graphs.states[state] ?? state}
    </span>
  );
}

/** The graphs of single documents and of document sets. */
export function GraphsScreen() {
  const { query } = usePlace();
  const state = states.find((state) => state === query.get('state'));
  const offset = useOffset();
  const graphs = useQuery({
    queryKey: ['graphs', state, offset],
    queryFn: () => api.graphs.list({ limit: pageSize, offset, ...(state ? { state } : {}) }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  return (
    <Page title={texts.graphs.title}>
      <p className="muted">
        {texts.graphs.help} <Link to="/data/sets">{texts.graphs.toSets}</Link>
      </p>
      <div className="filters">
        <NativeSelect
          label={texts.graphs.state}
          value={state ?? ''}
          data={[
            { value: '', label: texts.runs.anyState },
            ...states.map((value) => ({ value, label: texts.graphs.states[value] ?? value })),
          ]}
          onChange={(event) => setQuery({ state: event.currentTarget.value, offset: undefined })}
        />
      </div>
      <Paged title={texts.graphs.title} found={graphs} empty={state ? texts.graphs.emptyFiltered : texts.graphs.empty}>
        {({ items }) => <ListTable label={texts.graphs.title} columns={columns} rows={items} keyOf={({ id }) => id} />}
      </Paged>
    </Page>
  );
}

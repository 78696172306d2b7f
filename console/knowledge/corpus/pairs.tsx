import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { GraphPair, GraphReply } from '../../../client';
import { api } from '../../api';
import { Empty, Failure, Loading } from '../../parts/page';
import { setQuery, usePlace } from '../../router';
import { texts } from '../../texts';
import { toKnowledgeNode } from '../model';
import { PairCard } from './pair';
import { createTypeItems } from './type-items';

type State = GraphPair['state'];
const states = ['open', 'same', 'different'] as const;
const pageSize = 20;
const getKey = ({ nodes }: GraphPair) => nodes.map(({ id }) => id).join(' ');

/** Pairs of nodes that may mean the same thing, with the decisions on them. */
export function Pairs({
  graph,
  isOwner,
  types,
}: {
  graph: GraphReply;
  isOwner: boolean;
  types: Readonly<Record<string, number>>;
}) {
  const { query } = usePlace();
  const state = states.find((state) => state === query.get('state')) ?? 'open';
  const label = query.get('type') || undefined;
  const after = query.get('after') || undefined;
  const pairs = useQuery({
    queryKey: ['graph', graph.id, 'pairs', state, label, after],
    queryFn: () => api.graphs.pairs(graph.id, { state, label, after, limit: pageSize }),
  });
  return (
    <>
      <p className="muted">
        {texts.pairs.help} {isOwner ? null : texts.pairs.readersHelp}
      </p>
      <div className="filters">
        <NativeSelect
          label={texts.pairs.show}
          value={state}
          data={states.map((value) => ({ value, label: texts.pairs.states[value] }))}
          onChange={(event) => setQuery({ state: event.currentTarget.value, after: undefined })}
        />
        <NativeSelect
          label={texts.pairs.type}
          value={label ?? ''}
          data={createTypeItems(types)}
          onChange={(event) => setQuery({ type: event.currentTarget.value, after: undefined })}
        />
      </div>
      {pairs.isPending ? <Loading /> : null}
      {pairs.isError ? <Failure error={pairs.error} onRetry={() => void pairs.refetch()} /> : null}
      {pairs.data ? (
        <PairList key={`${state} ${label} ${after}`} {...{ graph, isOwner, state }} page={pairs.data} />
      ) : null}
    </>
  );
}

function PairList({
  graph,
  isOwner,
  state,
  page: { pairs, next },
}: {
  graph: GraphReply;
  isOwner: boolean;
  state: State;
  page: { pairs: readonly GraphPair[]; next: string | null };
}) {
  const [putOff, setPutOff] = useState<ReadonlySet<string>>(new Set());
  const { decide, message, error } = useDecision(graph.id);
  const visiblePairs = pairs.filter((pair) => !putOff.has(getKey(pair)));
  const { query } = usePlace();
  const isFiltered = state !== 'open' || query.has('type') || query.has('after');
  const noPairs = isFiltered ? texts.pairs.emptyFiltered : texts.pairs.empty;
  return (
    <>
      <p role="status">{message}</p>
      {error ? <Failure error={error} title={texts.pairs.failed} isAction /> : null}
      {pairs.length === 0 && next === null ? (
        <Empty>{graph.corpus?.resolution === 'off' ? texts.pairs.off : noPairs}</Empty>
      ) : null}
      {visiblePairs.map((pair) => (
        <PairCard
          key={getKey(pair)}
          pair={pair}
          onDecide={isOwner ? (decision) => decide(pair, decision) : undefined}
          onLater={isOwner ? () => setPutOff(new Set([...putOff, getKey(pair)])) : undefined}
        />
      ))}
      <p className="actions">
        {putOff.size > 0 ? (
          <>
            <span className="muted">{texts.pairs.putOff(putOff.size)}</span>
            <Button size="xs" variant="default" onClick={() => setPutOff(new Set())}>
              {texts.pairs.showAgain}
            </Button>
          </>
        ) : null}
        {query.has('after') ? (
          <Button size="xs" variant="default" onClick={() => setQuery({ after: undefined })}>
            {texts.pairs.first}
          </Button>
        ) : null}
        {next === null ? null : (
          <Button size="xs" variant="default" onClick={() => setQuery({ after: next })}>
            {texts.pairs.next}
          </Button>
        )}
      </p>
    </>
  );
}

/** Stores decisions, then reloads all displayed data of the graph. `message` names the latest decision. */
function useDecision(graphId: string) {
  const queries = useQueryClient();
  const decision = useMutation({
    mutationFn: async ({ pair, state }: { pair: GraphPair; state: State }) => {
      await api.graphs.decidePairs(graphId, [{ nodes: pair.nodes.map(({ id }) => id), state }]);
      const [one = '', other = ''] = pair.nodes.map((node) => toKnowledgeNode(node).title);
      if (state === 'same') return texts.pairs.merged(one, other);
      return state === 'different' ? texts.pairs.keptApart(one, other) : texts.pairs.reopened(one, other);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['graph', graphId] }),
  });
  return {
    decide: (pair: GraphPair, state: State) => decision.mutate({ pair, state }),
    message: decision.data ?? null,
    error: decision.error,
  };
}

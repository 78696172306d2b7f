import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type FormEvent, useMemo } from 'react';
import type { GraphNeighbours } from '../../../client';
import { api } from '../../api';
import { formatCount } from '../../format';
import { readField } from '../../parts/form-texts';
import { Empty, Failure, Loading, Panel } from '../../parts/page';
import { setQuery, usePlace } from '../../router';
import { texts } from '../../texts';
import { type Knowledge, toKnowledgeNode } from '../model';
import { NodeButtons } from '../node-buttons';
import { GraphPicture } from '../picture';
import { Facts } from './facts';
import { createTypeItems } from './type-items';

/** Maximum number of relations read per node; more would make the drawing unreadable. */
const maxNeighbours = 40;

/** The nodes of a graph as a list filtered by the server, and the selected node with its relations and a drawing of them. */
export function Nodes({ graphId, types }: { graphId: string; types: Readonly<Record<string, number>> }) {
  const { query } = usePlace();
  const chosen = query.get('node') ?? '';
  const around = useQuery({
    queryKey: ['graph', graphId, 'neighbours', chosen],
    enabled: chosen !== '',
    queryFn: () => api.graphs.neighbours(graphId, { node: chosen, limit: maxNeighbours }),
    retry: false,
  });
  const choose = (id: string) => setQuery({ node: id });
  return (
    <div className="beside">
      <div>
        <NodeList graphId={graphId} types={types} chosen={chosen} onChoose={choose} />
        {around.data && around.data.neighbours.length > 0 ? <Around found={around.data} onChoose={choose} /> : null}
      </div>
      <div>
        {chosen === '' ? (
          <Panel title={texts.graphs.detail}>
            <Empty>{texts.corpus.choose}</Empty>
          </Panel>
        ) : null}
        {chosen !== '' && around.isPending ? <Loading /> : null}
        {around.isError ? <Failure error={around.error} title={texts.corpus.gone} /> : null}
        {around.data ? <Facts found={around.data} graphId={graphId} onChoose={choose} /> : null}
      </div>
    </div>
  );
}

function NodeList({
  graphId,
  types,
  chosen,
  onChoose,
}: {
  graphId: string;
  types: Readonly<Record<string, number>>;
  chosen: string;
  onChoose: (id: string) => void;
}) {
  const { query } = usePlace();
  const label = query.get('type') || undefined;
  const words = query.get('q') || undefined;
  const result = useInfiniteQuery({
    queryKey: ['graph', graphId, 'nodes', label, words],
    queryFn: ({ pageParam: after }) => api.graphs.nodes(graphId, { label, query: words, after, limit: 50 }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const nodes = (result.data?.pages ?? []).flatMap((page) => page.nodes).map(toKnowledgeNode);
  return (
    <Panel title={texts.corpus.list}>
      <FilterForm types={types} label={label ?? ''} words={words ?? ''} />
      {result.isPending ? <Loading /> : null}
      {result.isError ? <Failure error={result.error} onRetry={() => void result.refetch()} /> : null}
      {result.isSuccess && nodes.length === 0 ? <Empty>{texts.corpus.noneFound}</Empty> : null}
      <NodeButtons nodes={nodes} chosen={chosen} onChoose={onChoose} isShort />
      {result.hasNextPage ? (
        <p className="actions">
          <Button
            size="xs"
            variant="default"
            loading={result.isFetchingNextPage}
            onClick={() => void result.fetchNextPage()}
          >
            {texts.corpus.more}
          </Button>
        </p>
      ) : null}
    </Panel>
  );
}

function FilterForm({
  types,
  label,
  words,
}: {
  types: Readonly<Record<string, number>>;
  label: string;
  words: string;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setQuery({ q: readField(event, 'q') });
  };
  return (
    <form className="filters" role="search" key={words} onSubmit={submit}>
      <TextInput name="q" type="search" label={texts.corpus.words} defaultValue={words} maxLength={500} />
      <NativeSelect
        label={texts.pairs.type}
        value={label}
        data={createTypeItems(types)}
        onChange={(event) => setQuery({ type: event.currentTarget.value })}
      />
      <Button type="submit" variant="default">
        {texts.corpus.submit}
      </Button>
    </form>
  );
}

/** A drawing of a node and its neighbours. */
function Around({ found, onChoose }: { found: GraphNeighbours; onChoose: (id: string) => void }) {
  const graph = useMemo(() => buildKnowledge(found), [found]);
  const visibleIds = useMemo(() => new Set(graph.nodes.map(({ id }) => id)), [graph]);
  return (
    <Panel title={texts.corpus.around}>
      <p className="muted">
        {texts.corpus.aroundHelp} {found.is_cut ? texts.corpus.cut(formatCount(found.neighbours.length)) : null}
      </p>
      <GraphPicture graph={graph} shown={visibleIds} chosen={found.node.id} scale={1} onChoose={onChoose} />
    </Panel>
  );
}

function buildKnowledge({ node, neighbours }: GraphNeighbours): Knowledge {
  const nodes = new Map(
    [node, ...neighbours.map((neighbour) => neighbour.node)].map((item) => [item.id, toKnowledgeNode(item)]),
  );
  const edges = neighbours.map(({ label, direction, node: other }) =>
    direction === 'out' ? { source: node.id, target: other.id, label } : { source: other.id, target: node.id, label },
  );
  return { nodes: [...nodes.values()], edges, types: [...new Set([...nodes.values()].map(({ type }) => type))] };
}

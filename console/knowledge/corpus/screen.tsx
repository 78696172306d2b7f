import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { GraphReply } from '../../../client';
import { api, isMissing } from '../../api';
import { formatTime } from '../../format';
import { Empty, Failure, Loading } from '../../parts/page';
import { Link, setQuery, usePlace } from '../../router';
import { useSession } from '../../session';
import { texts } from '../../texts';
import { Ask } from './ask';
import { Documents } from './documents';
import { Nodes } from './nodes';
import { Pairs } from './pairs';
import { Updates } from './updates';

const tabs = ['nodes', 'ask', 'pairs', 'documents', 'updates'] as const;
/** Query parameters of single tabs, removed when another tab opens. */
const noTabParameters = { node: undefined, type: undefined, q: undefined, state: undefined, after: undefined };

/** A graph of many documents: its content for this reader, decisions on its nodes, and updates for its owner. */
export function CorpusGraph({ graph }: { graph: GraphReply }) {
  const { user } = useSession();
  const isOwner = graph.owner === user.username;
  const { query } = usePlace();
  const shownTabs = tabs.filter((tab) => isOwner || tab !== 'updates');
  const { source, corpus } = graph;
  const statistics = useQuery({
    queryKey: ['graph', graph.id, 'statistics', corpus?.updated_at],
    queryFn: () => api.graphs.statistics(graph.id),
    retry: false,
  });
  if (statistics.isPending) return <Loading />;
  if (isMissing(statistics.error)) return <Empty>{texts.corpus.notYours}</Empty>;
  if (statistics.isError) return <Failure error={statistics.error} onRetry={() => void statistics.refetch()} />;
  const { nodes, edges } = statistics.data;
  // If the graph is empty, its owner sees the reason first.
  const firstTab = nodes === 0 && isOwner ? 'updates' : 'nodes';
  const tab = shownTabs.find((item) => item === query.get('tab')) ?? firstTab;
  const setLink = `/sets/${encodeURIComponent(source.name)}?id=${source.document_set_id ?? ''}`;
  return (
    <>
      <p className="muted">
        {isOwner ? <Link to={setLink}>{texts.corpus.of(source.name)}</Link> : null}
        {isOwner ? '. ' : null}
        {corpus?.updated_at ? texts.corpus.updated(formatTime(corpus.updated_at)) : texts.corpus.never}.{' '}
        {nodes > 0 ? texts.corpus.counts(nodes, edges) : texts.corpus.nothing}
      </p>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) =>
          setQuery({ ...noTabParameters, tab: value === firstTab ? undefined : (value ?? undefined) })
        }
      >
        <Tabs.List>
          {shownTabs.map((item) => (
            <Tabs.Tab key={item} value={item}>
              {texts.corpus.tabs[item]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} pt={16}>
          {tab === 'nodes' ? <Nodes graphId={graph.id} types={statistics.data.node_types} /> : null}
          {tab === 'ask' ? <Ask graphId={graph.id} /> : null}
          {tab === 'pairs' ? <Pairs graph={graph} isOwner={isOwner} types={statistics.data.node_types} /> : null}
          {tab === 'documents' ? <Documents graphId={graph.id} /> : null}
          {tab === 'updates' ? <Updates graph={graph} /> : null}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import type { GraphReply } from '../../client';
import { api } from '../api';
import { formatBytes, formatCount, formatTime } from '../format';
import { ConfirmButton } from '../parts/confirm';
import { Failure, Loading, Page, Panel } from '../parts/page';
import { Link, navigate } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { CorpusGraph } from './corpus/screen';
import { GraphState } from './list';
import { GraphContent } from './stored';

const isActive = ({ state }: Pick<GraphReply, 'state'>) => state === 'QUEUED' || state === 'RUNNING';

/** One graph, of a document or of all documents in a set. */
export function GraphScreen({ graphId }: { graphId: string }) {
  const { user } = useSession();
  const graph = useQuery({
    queryKey: ['graph', graphId],
    queryFn: () => api.graphs.get(graphId),
    refetchInterval: ({ state }) => (state.data && isActive(state.data) ? 1_000 : false),
  });
  if (graph.isPending) return <Loading />;
  if (!graph.data)
    return (
      <Page title={texts.graphs.title}>
        <Failure error={graph.error} />
        <Link to="/graphs">{texts.graphs.all}</Link>
      </Page>
    );
  const { source, state, template, created_at: at, owner, error, progress, name, corpus } = graph.data;
  return (
    <Page title={name ?? texts.graphs.of(source.name || graphId)} actions={<Actions graph={graph.data} />}>
      <p className="muted">
        <Link to="/graphs">{texts.graphs.all}</Link> · <GraphState state={state} /> · {template} · {formatTime(at)}
        {source.document_id && !source.document_set_id ? (
          <>
            {' · '}
            <Link to={`/documents/${encodeURIComponent(source.document_id)}`}>{texts.graphs.toDocument}</Link>
          </>
        ) : null}
      </p>
      {isActive(graph.data) ? (
        <p role="status">
          {corpus ? texts.updates.running : texts.graphs.building}{' '}
          {progress.chunks > 0 ? texts.graphs.chunks(formatCount(progress.chunks)) : null}
        </p>
      ) : null}
      {error ? (
        <Failure error={`${error.code}: ${error.message}`} title={corpus ? texts.updates.title : texts.graphs.gone} />
      ) : null}
      {corpus ? <CorpusGraph graph={graph.data} /> : null}
      {!corpus && state === 'COMPLETED' && owner === user.username ? <GraphContent graph={graph.data} /> : null}
      {!corpus && state === 'COMPLETED' ? <Files graph={graph.data} /> : null}
    </Page>
  );
}

function Files({ graph: { id, files } }: { graph: GraphReply }) {
  const buildAddress = (name: string) => `/api/v1/graphs/${id}/files/${encodeURIComponent(name)}`;
  return (
    <Panel title={texts.graphs.download}>
      <ul className="groups">
        {files.map(({ name, bytes }) => (
          <li key={name}>
            <a className="chip" href={buildAddress(name)} download>
              {name} <span className="muted">{formatBytes(bytes)}</span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Actions({ graph }: { graph: GraphReply }) {
  const { user } = useSession();
  const remove = useMutation({
    mutationFn: () => api.graphs.remove(graph.id),
    onSuccess: () => navigate('/graphs'),
  });
  // Readers query the graph but change nothing.
  if (graph.owner !== user.username && !user.is_administrator) return null;
  if (remove.isError) return <Failure error={remove.error} isAction />;
  const label = isActive(graph) ? texts.graphs.cancel : texts.graphs.remove;
  return (
    <ConfirmButton
      label={label}
      question={texts.graphs.sure}
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}

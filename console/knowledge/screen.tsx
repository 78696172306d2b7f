import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { GraphReply } from '../../client';
import { api, isMissing } from '../api';
import { formatBytes, formatCount, formatTime } from '../format';
import { ConfirmButton } from '../parts/confirm';
import { Failure, Loading, Page, Panel } from '../parts/page';
import { Link, navigate } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { CorpusGraph } from './corpus/screen';
import { GraphState } from './list';
import { readGraph } from './model';
import { GraphView } from './view';

/** Larger graphs are not loaded into the memory of the browser. */
const mostBytes = 30_000_000;
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
        <Failure
          error={new Error(`${error.code}: ${error.message}`)}
          title={corpus ? texts.updates.title : texts.graphs.gone}
        />
      ) : null}
      {corpus ? <CorpusGraph graph={graph.data} /> : null}
      {!corpus && state === 'COMPLETED' && owner === user.username ? <Built graph={graph.data} /> : null}
      {!corpus && state === 'COMPLETED' ? <Files graph={graph.data} /> : null}
    </Page>
  );
}

/** The content of the graph, for users who may see it. */
function Built({ graph: { id, files, source } }: { graph: GraphReply }) {
  const isLarge = files.some(({ name, bytes }) => name === 'graph.json' && bytes > mostBytes);
  const hasLedger = files.some(({ name, bytes }) => name === 'provenance.json' && bytes <= mostBytes);
  const result = useQuery({
    queryKey: ['graph', id, 'json'],
    enabled: !isLarge,
    queryFn: ({ signal }) => jsonOf(api.graphs.file(id, 'graph.json', signal)),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const ledger = useQuery({
    queryKey: ['graph', id, 'provenance'],
    enabled: hasLedger,
    queryFn: ({ signal }) => jsonOf(api.graphs.file(id, 'provenance.json', signal)).catch(nullIfMissing),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const graph = useMemo(() => (result.data ? readGraph(result.data) : undefined), [result.data]);
  if (isLarge) return <p className="muted">{texts.graphs.tooLarge}</p>;
  if (result.isError) return <Failure error={result.error} title={texts.graphs.gone} />;
  if (!graph) return <Loading />;
  const documentId = source.document_set_id ? undefined : source.document_id;
  return <GraphView graph={graph} ledger={hasLedger ? ledger.data : null} documentId={documentId} />;
}

function Files({ graph: { id, files } }: { graph: GraphReply }) {
  const address = (name: string) => `/api/v1/graphs/${id}/files/${encodeURIComponent(name)}`;
  return (
    <Panel title={texts.graphs.download}>
      <ul className="groups">
        {files.map(({ name, bytes }) => (
          <li key={name}>
            <a className="chip" href={address(name)} download>
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

async function jsonOf(parts: AsyncIterable<Uint8Array>): Promise<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of parts) text += decoder.decode(part, { stream: true });
  return JSON.parse(text) as Record<string, unknown>;
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

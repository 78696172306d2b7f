import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { GraphReply } from '../../client';
import { api, isMissing } from '../api';
import { Failure, Loading } from '../parts/page';
import { texts } from '../texts';
import { readGraph } from './model';
import { GraphView } from './view';

/** Larger graphs are not loaded into the memory of the browser. */
const maxBytes = 30_000_000;

/** The finished graph of one document, by its id. */
export function StoredGraph({ graphId }: { graphId: string }) {
  const graph = useQuery({ queryKey: ['graph', graphId], queryFn: () => api.graphs.get(graphId), retry: false });
  if (graph.isPending) return <Loading />;
  if (!graph.data) return <Failure error={graph.error} />;
  return <GraphContent graph={graph.data} />;
}

/** The content of a graph, for users who may see it. */
export function GraphContent({ graph: { id, files, source } }: { graph: GraphReply }) {
  const isLarge = files.some(({ name, bytes }) => name === 'graph.json' && bytes > maxBytes);
  const hasLedger = files.some(({ name, bytes }) => name === 'provenance.json' && bytes <= maxBytes);
  const graphJson = useQuery({
    queryKey: ['graph', id, 'json'],
    enabled: !isLarge,
    queryFn: ({ signal }) => readJson(api.graphs.file(id, 'graph.json', signal)),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const ledger = useQuery({
    queryKey: ['graph', id, 'provenance'],
    enabled: hasLedger,
    queryFn: ({ signal }) => readJson(api.graphs.file(id, 'provenance.json', signal)).catch(ignoreMissing),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const graph = useMemo(() => (graphJson.data ? readGraph(graphJson.data) : undefined), [graphJson.data]);
  if (isLarge) return <p className="muted">{texts.graphs.tooLarge}</p>;
  if (graphJson.isError) return <Failure error={graphJson.error} title={texts.graphs.gone} />;
  if (!graph) return <Loading />;
  const documentId = source.document_set_id ? undefined : source.document_id;
  return <GraphView graph={graph} ledger={hasLedger ? ledger.data : null} documentId={documentId} />;
}

async function readJson(parts: AsyncIterable<Uint8Array>): Promise<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of parts) text += decoder.decode(part, { stream: true });
  return JSON.parse(text) as Record<string, unknown>;
}

function ignoreMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

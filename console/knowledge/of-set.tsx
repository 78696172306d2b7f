import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api';
import { Failure, Loading, Page } from '../parts/page';
import { Link, usePlace } from '../router';
import { texts } from '../texts';
import { readGraph } from './model';
import { GraphView } from './view';

/** The graph that a flow built from a document of a set. */
export function SetGraphScreen({ name }: { name: string }) {
  const { query } = usePlace();
  const setId = query.get('id') ?? '';
  const documentId = query.get('document') ?? '';
  const result = useQuery({
    queryKey: ['set', setId, 'graph', documentId],
    queryFn: () => api.documentSets.graph(setId, documentId),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const ledger = useQuery({
    queryKey: ['set', setId, 'provenance', documentId],
    enabled: result.isSuccess,
    // Passages exist only if the flow was configured to keep them.
    queryFn: () => api.documentSets.graph(setId, documentId, 'provenance').catch(() => null),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const graph = useMemo(() => (result.data ? readGraph(result.data) : undefined), [result.data]);
  return (
    <Page title={texts.graphs.of(sourceOf(ledger.data) || documentId.slice(0, 12))}>
      <p className="muted">
        <Link to={`/sets/${encodeURIComponent(name)}?id=${encodeURIComponent(setId)}`}>{texts.set.title(name)}</Link>
      </p>
      {result.isPending ? <Loading /> : null}
      {result.isError ? <Failure error={result.error} title={texts.graphs.gone} /> : null}
      {graph ? <GraphView graph={graph} ledger={ledger.data} documentId={undefined} /> : null}
    </Page>
  );
}

/** The name of the document, read from the ledger. */
function sourceOf(ledger: Record<string, unknown> | null | undefined): string {
  const document = ledger?.['document'];
  if (typeof document !== 'object' || document === null || !('source' in document)) return '';
  return typeof document.source === 'string' ? document.source : '';
}

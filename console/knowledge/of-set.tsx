import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api';
import { Failure, Loading, Page } from '../parts/page';
import { Link, usePlace } from '../router';
import { texts } from '../texts';
import { readGraph } from './model';
import { GraphView } from './view';

/** Number of characters of an id that stands for a missing name. */
const shownIdLength = 12;

/** The graph that a flow built from a document of a set. */
export function SetGraphScreen({ name }: { name: string }) {
  const { query } = usePlace();
  const setId = query.get('id') ?? '';
  const rowId = query.get('document') ?? '';
  const { ledger } = useSetGraph(setId, rowId);
  return (
    <Page title={texts.graphs.of(readSourceName(ledger.data) || rowId.slice(0, shownIdLength))}>
      <p className="muted">
        <Link to={`/sets/${encodeURIComponent(name)}?id=${encodeURIComponent(setId)}`}>{texts.set.title(name)}</Link>
      </p>
      <SetGraph setId={setId} rowId={rowId} documentId={undefined} />
    </Page>
  );
}

/** The picture of the graph of a row; passages lead to the pages of the document if its id is given. */
export function SetGraph({
  setId,
  rowId,
  documentId,
}: {
  setId: string;
  rowId: string;
  documentId: string | undefined;
}) {
  const { graphJson, ledger } = useSetGraph(setId, rowId);
  const graph = useMemo(() => (graphJson.data ? readGraph(graphJson.data) : undefined), [graphJson.data]);
  return (
    <>
      {graphJson.isPending ? <Loading /> : null}
      {graphJson.isError ? <Failure error={graphJson.error} title={texts.graphs.gone} /> : null}
      {graph ? <GraphView graph={graph} ledger={ledger.data} documentId={documentId} /> : null}
    </>
  );
}

function useSetGraph(setId: string, rowId: string) {
  const graphJson = useQuery({
    queryKey: ['set', setId, 'graph', rowId],
    queryFn: () => api.documentSets.graph(setId, rowId),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const ledger = useQuery({
    queryKey: ['set', setId, 'provenance', rowId],
    enabled: graphJson.isSuccess,
    // Passages exist only if the flow was configured to keep them.
    queryFn: () => api.documentSets.graph(setId, rowId, 'provenance').catch(() => null),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { graphJson, ledger };
}

/** The name of the document, read from the ledger. */
function readSourceName(ledger: Record<string, unknown> | null | undefined): string {
  const document = ledger?.['document'];
  if (typeof document !== 'object' || document === null || !('source' in document)) return '';
  return typeof document.source === 'string' ? document.source : '';
}

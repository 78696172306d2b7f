import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, isMissing } from '../api';
import { formatCount } from '../format';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { pageSize, setOffset, useOffset } from '../parts/paged';
import { Pager } from '../parts/pager';
import { readText } from '../parts/read-text';
import { RowBlock } from '../parts/row-block';
import { hiddenColumns } from '../parts/row-columns';
import { Link, usePlace } from '../router';
import { texts } from '../texts';

/** The rows of a document set, found by its name: the results of a flow. */
export function SetScreen({ name }: { name: string }) {
  const setId = usePlace().query.get('id');
  const offset = useOffset();
  const result = useQuery({
    queryKey: ['set', name, setId],
    queryFn: async () => {
      if (setId) return api.documentSets.get(setId).catch(ignoreMissing);
      const { items } = await api.documentSets.list({ name, limit: 100 });
      return items.find((set) => set.name === name) ?? null;
    },
    refetchInterval: ({ state }) => (state.data === null ? 5_000 : false),
  });
  const id = result.data?.id ?? '';
  const rows = useQuery({
    queryKey: ['set', name, 'rows', id, offset],
    enabled: id !== '',
    queryFn: () => api.documentSets.preview(id, { limit: pageSize, offset }),
    // A run may still be writing rows.
    refetchInterval: 10_000,
  });
  if (result.isPending) return <Loading />;
  return (
    <Page title={texts.set.title(name)} actions={id ? <SetActions setId={id} name={name} /> : null}>
      <p className="muted">
        <Link to="/data/sets">{texts.sets.all}</Link>
        {result.data ? ` · ${texts.data.owner}: ${result.data.owner}` : null}
      </p>
      {result.isError ? <Failure error={result.error} /> : null}
      {result.data === null ? <Empty>{texts.set.missing}</Empty> : null}
      {rows.isError ? <Failure error={rows.error} /> : null}
      {rows.data ? (
        <Panel title={texts.set.rows}>
          {rows.data.total_rows === 0 ? <Empty>{texts.sets.noRows}</Empty> : null}
          {rows.data.data.map((row, index) => (
            <Row key={readText(row, 'id') || index} row={row} setId={id} name={name} position={offset + index + 1} />
          ))}
          <Pager
            total={rows.data.total_rows}
            limit={pageSize}
            offset={offset}
            updatedAt={rows.dataUpdatedAt}
            onOffset={setOffset}
          />
        </Panel>
      ) : null}
    </Page>
  );
}

/** A row of the set, column by column. */
function Row({
  row,
  setId,
  name,
  position,
}: {
  row: Record<string, unknown>;
  setId: string;
  name: string;
  position: number;
}) {
  const id = readText(row, 'id');
  return (
    <RowBlock
      title={readText(row, 'name') || id || formatCount(position)}
      row={row}
      hidden={hiddenColumns}
      link={Number(row['graph_nodes']) > 0 ? <GraphLink setId={setId} documentId={id} name={name} /> : null}
    />
  );
}

function SetActions({ setId, name }: { setId: string; name: string }) {
  const exportAddress = `/api/v1/document-sets/${setId}/export`;
  const query = new URLSearchParams({ set: setId, name });
  return (
    <>
      <Link className="action-link" to={`/graphs/new?${query.toString()}`}>
        {texts.graphs.buildOfSet}
      </Link>
      <Button component="a" variant="default" href={`${exportAddress}?format=csv`} download>
        {texts.data.csv}
      </Button>
      <Button component="a" variant="default" href={exportAddress} download>
        {texts.data.download}
      </Button>
    </>
  );
}

function GraphLink({ setId, documentId, name }: { setId: string; documentId: string; name: string }) {
  const query = new URLSearchParams({ id: setId, document: documentId });
  return <Link to={`/sets/${encodeURIComponent(name)}/graph?${query.toString()}`}>{texts.sets.graph}</Link>;
}

function ignoreMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

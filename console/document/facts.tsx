import { useQuery } from '@tanstack/react-query';
import type { DocumentFacts } from '../../client';
import { api } from '../api';
import { formatCount } from '../format';
import { Empty, Failure, Loading, Panel } from '../parts/page';
import { readText } from '../parts/read-text';
import { RowBlock } from '../parts/row-block';
import { hiddenColumns } from '../parts/row-columns';
import { isEmptyValue } from '../parts/value';
import { Link } from '../router';
import { texts } from '../texts';

/** The facts of a document, shared by the tabs that show them. */
export function useFacts(documentId: string) {
  return useQuery({
    queryKey: ['document', documentId, 'facts'],
    queryFn: () => api.documents.facts(documentId),
    staleTime: 30_000,
  });
}

/** Members of a record that say where it comes from rather than what it contains. */
const placeMembers: ReadonlySet<string> = new Set([
  ...hiddenColumns,
  ...['chunk_index', 'start_index', 'page_numbers', 'bbox', 'headings', 'extension', 'relative_path', 'access_rule'],
  'title',
]);

/** What flows extracted from a document: the values in its index record, and its rows in document sets. */
export function DocumentFactList({ documentId, metadata }: { documentId: string; metadata: Record<string, unknown> }) {
  const facts = useFacts(documentId);
  if (facts.isPending) return <Loading />;
  if (!facts.data) return <Failure error={facts.error} onRetry={() => void facts.refetch()} />;
  const { sets } = facts.data;
  const hasIndexedValues = Object.entries(metadata).some(
    ([name, value]) => !placeMembers.has(name) && !isEmptyValue(value),
  );
  return (
    <>
      {sets.length === 0 && !hasIndexedValues ? <Empty>{texts.document.noFacts}</Empty> : null}
      {sets.map((set) => (
        <Rows key={set.set_id} set={set} />
      ))}
      {hasIndexedValues ? (
        <Panel title={texts.document.indexed}>
          <RowBlock title={texts.document.searchable} row={metadata} hidden={placeMembers} />
        </Panel>
      ) : null}
    </>
  );
}

function Rows({ set: { set_id: id, name, rows, total_rows: total } }: { set: DocumentFacts['sets'][number] }) {
  return (
    <Panel title={name}>
      {total > rows.length ? <Empty>{texts.document.rowsOf(rows.length, total)}</Empty> : null}
      {rows.map((row, index) => (
        <RowBlock
          key={readText(row, 'id') || index}
          title={readText(row, 'title') || readText(row, 'name') || formatCount(index + 1)}
          row={row}
          hidden={hiddenColumns}
        />
      ))}
      <p className="actions">
        <Link to={`/sets/${encodeURIComponent(name)}?id=${encodeURIComponent(id)}`}>{texts.document.toSet}</Link>
      </p>
    </Panel>
  );
}

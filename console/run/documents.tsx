import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunDocumentReply } from '../../client';
import { api } from '../api';
import { Breakable } from '../parts/breakable';
import { type Column, ListTable } from '../parts/list-table';
import { Failure, Panel } from '../parts/page';
import { Pager } from '../parts/pager';
import { Reason } from '../parts/reason';
import { Link } from '../router';
import { texts } from '../texts';

const limit = 20;

const columns: readonly Column<RunDocumentReply>[] = [
  {
    title: texts.failed.name,
    kind: 'name',
    cell: ({ name, failed_id: id }) => (id === undefined ? name : <Link to={`/failed/${id}`}>{name}</Link>),
  },
  { title: texts.failed.operator, cell: ({ operator }) => operator },
  {
    title: texts.failed.code,
    cell: ({ code, outcome }) => (outcome === 'skipped' ? texts.run.skipped : <Breakable text={code} />),
  },
  { title: texts.failed.reason, kind: 'long', cell: ({ message }) => <Reason text={message} /> },
];

/** The failed and skipped documents of a run, with code and reason. */
export function RunDocuments({ runId, isActive, count }: { runId: string; isActive: boolean; count: number }) {
  const [offset, setOffset] = useState(0);
  const documents = useQuery({
    queryKey: ['run', runId, 'documents', offset, count],
    queryFn: () => api.jobRuns.documents(runId, { limit, offset }),
    placeholderData: keepPreviousData,
    refetchInterval: isActive ? 4_000 : false,
  });
  if (documents.isError) return <Failure error={documents.error} onRetry={() => void documents.refetch()} />;
  const page = documents.data;
  if (!page || page.total === 0) return null;
  return (
    <Panel title={texts.run.documents}>
      <ListTable
        label={texts.run.documents}
        columns={columns}
        rows={page.documents}
        keyOf={({ id, operator }) => `${operator} ${id}`}
      />
      <Pager
        offset={offset}
        limit={limit}
        total={page.total}
        updatedAt={documents.dataUpdatedAt}
        onOffset={setOffset}
      />
    </Panel>
  );
}

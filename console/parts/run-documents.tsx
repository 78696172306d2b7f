import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api';
import { texts } from '../texts';
import { Empty, Failure, Panel } from './page';
import { Pager } from './pager';

const limit = 20;

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
  if (!page) return null;
  return (
    <Panel title={texts.run.documents}>
      {page.total === 0 ? (
        <Empty>{texts.run.noDocuments}</Empty>
      ) : (
        <>
          <div className="scroll" tabIndex={0} role="group" aria-label={texts.run.documents}>
            <table className="list">
              <thead>
                <tr>
                  <th scope="col">{texts.failed.name}</th>
                  <th scope="col">{texts.failed.operator}</th>
                  <th scope="col">{texts.failed.code}</th>
                  <th scope="col">{texts.failed.reason}</th>
                </tr>
              </thead>
              <tbody>
                {page.documents.map(({ id, name, operator, code, message }) => (
                  <tr key={`${operator} ${id}`}>
                    <td className="long">{name}</td>
                    <td>{operator}</td>
                    <td>{code}</td>
                    <td className="long">{message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Pager
            offset={offset}
            limit={limit}
            total={page.total}
            updatedAt={documents.dataUpdatedAt}
            onOffset={setOffset}
          />
        </>
      )}
    </Panel>
  );
}

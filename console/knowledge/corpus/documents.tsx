import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { GraphDocument } from '../../../client';
import { api } from '../../api';
import { type Column, ListTable } from '../../parts/list-table';
import { Empty, Failure, Loading, Panel } from '../../parts/page';
import { setQuery, usePlace } from '../../router';
import { texts } from '../../texts';
import { DocumentName } from './support';

const states = ['done', 'empty', 'failed'] as const;
const tones = { done: 'done', empty: 'idle', failed: 'failed' } as const;

const columns: readonly Column<GraphDocument>[] = [
  {
    title: texts.corpusDocuments.name,
    kind: 'name',
    cell: ({ document_id: id, name }) => <DocumentName id={id} name={name} />,
  },
  {
    title: texts.corpusDocuments.state,
    cell: ({ state }) => (
      <span className="state" data-tone={tones[state]}>
        {texts.corpusDocuments.states[state]}
      </span>
    ),
  },
  {
    title: texts.corpusDocuments.reason,
    kind: 'long',
    cell: ({ error }) => (error ? `${error.code}: ${error.message}` : ''),
  },
];

/** The documents from which the graph was built. */
export function Documents({ graphId }: { graphId: string }) {
  const { query } = usePlace();
  const state = states.find((state) => state === query.get('state'));
  const result = useInfiniteQuery({
    queryKey: ['graph', graphId, 'documents', state],
    queryFn: ({ pageParam: after }) => api.graphs.documents(graphId, { state, after }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const documents = (result.data?.pages ?? []).flatMap((page) => page.documents);
  return (
    <>
      <p className="muted">{texts.corpusDocuments.help}</p>
      <div className="filters">
        <NativeSelect
          label={texts.corpusDocuments.show}
          value={state ?? ''}
          data={[
            { value: '', label: texts.corpusDocuments.any },
            ...states.map((value) => ({ value, label: texts.corpusDocuments.states[value] })),
          ]}
          onChange={(event) => setQuery({ state: event.currentTarget.value })}
        />
      </div>
      <Panel title={texts.corpus.tabs.documents}>
        {result.isPending ? <Loading /> : null}
        {result.isError ? <Failure error={result.error} onRetry={() => void result.refetch()} /> : null}
        {result.isSuccess && documents.length === 0 && !result.hasNextPage ? (
          <Empty>{state ? texts.corpusDocuments.emptyFiltered : texts.corpusDocuments.empty}</Empty>
        ) : null}
        {documents.length > 0 ? (
          <ListTable
            label={texts.corpus.tabs.documents}
            columns={columns}
            rows={documents}
            keyOf={({ document_id: id }) => id}
          />
        ) : null}
        {result.hasNextPage ? (
          <Button
            mt={12}
            size="xs"
            variant="default"
            loading={result.isFetchingNextPage}
            onClick={() => void result.fetchNextPage()}
          >
            {texts.corpus.more}
          </Button>
        ) : null}
      </Panel>
    </>
  );
}

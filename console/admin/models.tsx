import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ProviderModels } from '../../client';
import { api } from '../api';
import { formatCount } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Loading, Panel } from '../parts/page';
import { texts } from '../texts';

type Model = ProviderModels['models'][number];

const columns: readonly Column<Model>[] = [
  { title: texts.models.name, kind: 'name', cell: ({ model_id: id }) => id },
  { title: texts.models.functions, cell: ({ functions }) => functions.join(', ') },
  {
    title: texts.models.dimension,
    kind: 'num',
    cell: ({ embedding_dimension: dimension }) => (dimension === null ? '' : formatCount(dimension)),
  },
  { title: texts.models.description, kind: 'long', cell: ({ description }) => description },
];

/** The models offered by the hosts. */
export function Models() {
  return (
    <>
      <p className="muted">{texts.models.help}</p>
      {Object.entries(texts.models.providers).map(([provider, title]) => (
        <Provider key={provider} provider={provider} title={title} />
      ))}
    </>
  );
}

function Provider({ provider, title }: { provider: string; title: string }) {
  const result = useQuery({
    queryKey: ['models', provider],
    queryFn: () => api.models(provider),
    retry: false,
    staleTime: 60_000,
  });
  return (
    <Panel title={title}>
      {result.isPending ? <Loading /> : null}
      {result.isError ? (
        <Alert color="gray" variant="outline" title={texts.models.notThere}>
          <p>{result.error.message}</p>
        </Alert>
      ) : null}
      {result.data?.models.length === 0 ? <Empty>{texts.models.empty}</Empty> : null}
      {result.data && result.data.models.length > 0 ? (
        <ListTable label={title} columns={columns} rows={result.data.models} keyOf={({ model_id: id }) => id} />
      ) : null}
    </Panel>
  );
}

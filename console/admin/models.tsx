import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Overview, ProviderModels } from '../../client';
import { api } from '../api';
import { formatCost, formatCount } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Loading, Panel, QueryState } from '../parts/page';
import { Link } from '../router';
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

type Used = Overview['models']['flows'][number];

const usageColumns: readonly Column<Used>[] = [
  {
    title: texts.runs.flow,
    kind: 'name',
    cell: ({ flow_id: id, flow_name: name }) => <Link to={`/flows/${id}`}>{name}</Link>,
  },
  { title: texts.home.modelRequests, kind: 'num', cell: ({ requests }) => formatCount(requests) },
  { title: texts.models.sent, kind: 'num', cell: ({ input_tokens: tokens }) => formatCount(tokens) },
  { title: texts.models.received, kind: 'num', cell: ({ output_tokens: tokens }) => formatCount(tokens) },
  { title: texts.home.modelCost, kind: 'num', cell: ({ cost }) => formatCost(cost) },
];

/** The model usage of the last day's flows, and its cost. */
function Usage() {
  const overview = useQuery({ queryKey: ['overview'], queryFn: () => api.overview(), staleTime: 10_000 });
  const flows = overview.data?.models.flows ?? [];
  return (
    <Panel title={texts.models.usage}>
      <QueryState query={overview} />
      {overview.data && flows.length === 0 ? <Empty>{texts.models.unused}</Empty> : null}
      {flows.length > 0 ? (
        <ListTable label={texts.models.usage} columns={usageColumns} rows={flows} keyOf={({ flow_id: id }) => id} />
      ) : null}
    </Panel>
  );
}

/** The use of models, and the models offered by the hosts. */
export function Models() {
  return (
    <>
      <Usage />
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

import { Alert, Button } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AccessSyncReply, DestinationRightReply, SourceRightReply } from '../../client';
import { api, isMissing } from '../api';
import { formatCount, formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Failure, Loading, Panel, ValueList } from '../parts/page';
import { pageSize, setOffset, useOffset } from '../parts/paged';
import { Pager } from '../parts/pager';
import type { Tone } from '../parts/state';
import { Link } from '../router';
import { texts } from '../texts';
import { type FlowDestination, type FlowSource, type FlowStep, listDestinations, listSources } from './sources';

const words = texts.sources;
type SyncItem = AccessSyncReply['items'][number];

/** The sources that flows read and the destinations that they export to, with a check of each right and the age of the access lists. */
export function Sources() {
  const offset = useOffset();
  const flows = useQuery({
    queryKey: ['flows', offset],
    queryFn: () => api.flows.list({ limit: pageSize, offset }),
    placeholderData: keepPreviousData,
  });
  if (flows.isPending) return <Loading />;
  if (!flows.data) return <Failure error={flows.error} onRetry={() => void flows.refetch()} />;
  const sources = listSources(flows.data.flows);
  const destinations = listDestinations(flows.data.flows);
  return (
    <>
      <p className="muted">
        {words.help} <Link to="/settings/connections">{words.connections}</Link>
      </p>
      {sources.map((source) => (
        <Source key={`${source.flowId} ${source.step}`} source={source} />
      ))}
      {sources.length === 0 ? <Empty>{flows.data.total_count === 0 ? words.none : words.empty}</Empty> : null}
      {destinations.length > 0 ? <h2>{words.destinations}</h2> : null}
      {destinations.map((destination) => (
        <Destination key={`${destination.flowId} ${destination.step}`} destination={destination} />
      ))}
      <Pager
        offset={offset}
        limit={pageSize}
        total={flows.data.total_count}
        updatedAt={flows.dataUpdatedAt}
        onOffset={setOffset}
      />
    </>
  );
}

function Source({ source }: { source: FlowSource }) {
  const { provider, config } = source;
  return (
    <Step
      title={source.flowName}
      step={source}
      kind={words.kinds[provider] ?? provider}
      facts={[[words.rights, <Freshness key="rights" source={source} />]]}
      check={() => api.sources.check({ config })}
      outcomes={[words.usable, words.notUsable]}
    />
  );
}

function Destination({ destination: step }: { destination: FlowDestination }) {
  const { destination, config } = step;
  return (
    <Step
      title={`${step.flowName} · ${step.step}`}
      step={step}
      kind={words.destinationKinds[destination] ?? destination}
      facts={[]}
      check={() => api.destinations.check({ config })}
      outcomes={[words.canExport, words.cannotExport]}
    />
  );
}

interface CheckReply {
  usable: boolean;
  rights: readonly (SourceRightReply | DestinationRightReply)[];
}

interface StepProps {
  title: string;
  step: FlowStep;
  kind: string;
  facts: readonly (readonly [string, ReactNode])[];
  check: () => Promise<CheckReply>;
  /** What is said if it can be used, and if not. */
  outcomes: readonly [string, string];
}

function Step({
  title,
  step: { flowId, flowName, step, places, connections },
  kind,
  facts,
  check: send,
  outcomes,
}: StepProps) {
  const check = useMutation({ mutationFn: send });
  const allFacts = [
    [words.place, [kind, ...places].join(' · ')],
    [words.step, step],
    [words.connection, connections.length > 0 ? connections.join(', ') : words.noConnection],
    ...facts,
  ] as const;
  return (
    <Panel title={title}>
      <ValueList values={allFacts} />
      <p className="actions">
        <Button
          variant="default"
          size="xs"
          loading={check.isPending}
          aria-label={words.checkOne(`${flowName}, ${step}`)}
          onClick={() => check.mutate()}
        >
          {words.check}
        </Button>
        <Link to={`/flows/${flowId}`}>{texts.failed.flow}</Link>
      </p>
      <div role="status" className="outcome">
        {check.data ? <Checked reply={check.data} outcomes={outcomes} /> : null}
      </div>
      {check.isError ? <Failure error={check.error} isAction /> : null}
    </Panel>
  );
}

const columns: readonly Column<CheckReply['rights'][number]>[] = [
  { title: words.right, kind: 'name', cell: ({ right }) => words.names[right] ?? right },
  {
    title: words.result,
    cell: ({ outcome }) => (
      <span className="state" data-tone={{ granted: 'done', denied: 'failed', unknown: 'idle' }[outcome]}>
        {words.outcomes[outcome]}
      </span>
    ),
  },
  { title: words.says, kind: 'long', cell: ({ message }) => message },
  { title: words.needs, kind: 'long', cell: ({ needs }) => needs },
];

function Checked({
  reply: { usable: isUsable, rights },
  outcomes: [usable, notUsable],
}: {
  reply: CheckReply;
  outcomes: StepProps['outcomes'];
}) {
  return (
    <>
      <Alert color={isUsable ? 'green' : 'red'} variant="outline" mt={12} mb={12}>
        {isUsable ? usable : notUsable}
      </Alert>
      <ListTable label={words.rights} columns={columns} rows={rights} keyOf={({ right }) => right} />
    </>
  );
}

/** How recent the access lists of a source are. Users who may not change its flow see only how often they are read. */
function Freshness({ source: { flowId, accessMinutes } }: { source: FlowSource }) {
  const queries = useQueryClient();
  const syncs = useQuery({
    queryKey: ['access-sync', flowId],
    queryFn: () => api.accessSync.get(flowId),
    enabled: accessMinutes !== undefined,
    refetchInterval: 10_000,
    retry: false,
  });
  const start = useMutation({
    mutationFn: () => api.accessSync.start(flowId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['access-sync', flowId] }),
  });
  if (accessMinutes === undefined) return words.byRuns;
  const items = syncs.data?.items ?? [];
  return (
    <>
      {words.every(formatCount(accessMinutes))}
      {syncs.data && items.length === 0 ? <span className="state-note below">{words.notYet}</span> : null}
      {items.map((item) => (
        <SyncLine key={item.job_id} item={item} />
      ))}
      {syncs.isError && !isMissing(syncs.error) ? <Failure error={syncs.error} isAction /> : null}
      {items.length > 0 ? (
        <span className="below">
          <Button size="xs" variant="default" mt={6} loading={start.isPending} onClick={() => start.mutate()}>
            {words.readNow}
          </Button>{' '}
          <span role="status">{start.isSuccess ? words.asked : null}</span>
        </span>
      ) : null}
      {start.isError ? <Failure error={start.error} isAction /> : null}
    </>
  );
}

function SyncLine({ item }: { item: SyncItem }) {
  const { error, synced_at: at, counts } = item;
  const [tone, text] = describeFreshness(item);
  const notes = [
    words.age(formatTime(at)),
    counts ? words.changed(formatCount(counts.changed)) : '',
    error?.message ?? '',
  ];
  return (
    <span className="below">
      <span className="state" data-tone={tone}>
        {text}
      </span>{' '}
      <span className="state-note">{notes.filter(Boolean).join(' · ')}</span>
    </span>
  );
}

function describeFreshness({ is_closed: isClosed, is_fresh: isFresh, error }: SyncItem): [tone: Tone, text: string] {
  if (isClosed) return ['failed', words.closed];
  if (error) return ['failed', words.failed];
  return isFresh ? ['done', words.fresh] : ['warn', words.old];
}

import { Alert } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FlowSnapshot, JobRunReply, RunEvent } from '../../client';
import { api } from '../api';
import { formatClock, formatCount, formatDuration, formatRate, formatTime } from '../format';
import { FlowGraph } from '../graph/flow-graph';
import { type Connection, useLiveRun } from '../live-run';
import { FactList, Failure, Loading, Page, Panel } from '../parts/page';
import { Prose } from '../parts/prose';
import { activeStates, findShownState, State, getTone } from '../parts/state';
import { Link, setQuery } from '../router';
import { texts } from '../texts';
import { RunActions } from './actions';
import { RunBatches } from './batches';
import { RunCompare } from './compare';
import { RunControls } from './controls';
import { RunDocuments } from './documents';
import { RunLog } from './log';
import { listNodes, listPlannedOperators } from './plan';
import { RunRows } from './rows';

/** Above this number of documents, the log of a run is loaded only on request. */
const maxFollowed = 500;
const rowsId = 'rows';

/** One run, live while it is active. */
export function RunScreen({ runId }: { runId: string }) {
  const queries = useQueryClient();
  const stored = useQuery({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => api.jobRuns.get(runId, signal, { include_batches: true }),
    refetchInterval: ({ state }) => (state.data && activeStates.includes(state.data.status) ? 2_000 : false),
  });
  const definition = useQuery({
    queryKey: ['run', runId, 'definition'],
    queryFn: () => api.jobRuns.flowDefinition(runId),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isActive = stored.data !== undefined && activeStates.includes(stored.data.status);
  const { event, connection } = useLiveRun(runId, isActive, () => {
    void queries.invalidateQueries({ queryKey: ['run', runId] });
  });
  if (stored.isPending) return <Loading />;
  if (!stored.data)
    return (
      <Page title={texts.runs.title}>
        <Failure error={stored.error} onRetry={() => void stored.refetch()} />
        <Link to="/runs">{texts.run.back}</Link>
      </Page>
    );
  const run = applyEvent(stored.data, isActive ? event : undefined);
  return (
    <Page title={texts.run.title(run.flow_name)} actions={<RunActions run={run} />}>
      <Facts
        run={run}
        isLive={isActive && connection === 'live'}
        readAt={isActive ? undefined : stored.dataUpdatedAt}
      />
      {run.sample ? <p>{texts.sample.note(run.sample.documents)}</p> : null}
      <Notices run={run} connection={connection} isStale={stored.isError} />
      <Progress run={run} />
      {definition.data && run.totals.completed > 0 && !run.sample ? (
        <NextSteps snapshot={definition.data} flowId={run.flow_id} />
      ) : null}
      <RunDocuments runId={runId} isActive={isActive} count={run.totals.failed + run.totals.skipped} />
      {definition.data ? <Flow snapshot={definition.data} run={run} /> : null}
      {isActive ? <RunControls runId={runId} /> : null}
      <Panel title={texts.run.batches}>
        <RunBatches run={run} />
      </Panel>
      <RunLog
        runId={runId}
        operators={run.operators.map(({ name }) => name)}
        isLarge={run.progress.documents_total > maxFollowed}
      />
      <RunCompare run={run} />
    </Page>
  );
}

/** The flow with its counts, and the rows of its steps. */
function Flow({ snapshot, run }: { snapshot: FlowSnapshot; run: JobRunReply }) {
  const showRows = (step: string, before?: '1') => {
    setQuery({ step, before });
    document.getElementById(rowsId)?.scrollIntoView();
  };
  return (
    <>
      <Panel title={texts.run.graph}>
        <FlowGraph
          nodes={listNodes(snapshot, run)}
          label={texts.run.graphHelp}
          onNode={showRows}
          onEdge={(to) => showRows(to, '1')}
        />
        <p className="state-note">{texts.rows.hint}</p>
      </Panel>
      <div id={rowsId}>
        <RunRows runId={run.job_run_id} operators={listPlannedOperators(snapshot)} />
      </div>
    </>
  );
}

/** State and times of the run, with links to related screens. */
function Facts({ run, isLive, readAt }: { run: JobRunReply; isLive: boolean; readAt: number | undefined }) {
  return (
    <p className="muted">
      <Link to="/runs">{texts.run.back}</Link> {'· '}
      <State state={findShownState(run)} /> · {texts.run.startedAt(formatTime(run.created_at))} ·{' '}
      {readAt === undefined ? null : texts.common.updated(formatClock(readAt))}
      {isLive ? texts.run.live : null}
      {run.rerun_of ? (
        <>
          {' · '}
          <Link to={`/runs/${run.rerun_of}`}>{texts.run.rerunOf}</Link>
        </>
      ) : null}
      {' · '}
      <Link to={`/flows/${run.flow_id}`}>{texts.run.toFlow}</Link>
      {' · '}
      <a href={run.temporal_ui} target="_blank" rel="noreferrer">
        {texts.run.temporal}
      </a>
    </p>
  );
}

function Notices({ run, connection, isStale }: { run: JobRunReply; connection: Connection; isStale: boolean }) {
  const hasFailed = ['FAILED', 'CRASHED'].includes(run.status);
  return (
    <div role="status">
      {connection === 'lost' || isStale ? (
        <Alert color="orange" variant="outline" mb={16}>
          {texts.run.lost}
        </Alert>
      ) : null}
      {(run.waiting ?? []).map(({ operator, message, since, until }) => (
        <Alert key={operator} color="orange" variant="outline" mb={16}>
          {texts.run.waiting(`${operator}: ${message}`, formatTime(since))} {texts.run.goesOn}{' '}
          {until === undefined ? null : texts.run.givesUp(formatTime(until))}
        </Alert>
      ))}
      {hasFailed && run.message ? (
        <Alert color="red" variant="outline" title={texts.run.failedWhy} mb={16}>
          <Prose text={run.message} />
        </Alert>
      ) : null}
      {run.warnings.length > 0 ? (
        <Alert color="orange" variant="outline" title={texts.run.warnings} mb={16}>
          <ul>
            {run.warnings.map((warning) => (
              <li key={warning}>
                <Prose text={warning} />
              </li>
            ))}
          </ul>
        </Alert>
      ) : null}
    </div>
  );
}

function Progress({ run }: { run: JobRunReply }) {
  const { progress, totals } = run;
  const isActive = activeStates.includes(run.status);
  const percent = computePercent(run);
  const failedPercent = progress.documents_total > 0 ? (100 * totals.failed) / progress.documents_total : 0;
  const facts: [string, string][] = [
    [texts.run.done, `${formatCount(progress.documents_done)} / ${formatCount(progress.documents_total)}`],
    [texts.run.completed, formatCount(totals.completed)],
    [texts.run.failed, formatCount(totals.failed)],
    [texts.run.skipped, formatCount(totals.skipped)],
    ...listPages(run),
    [texts.run.elapsed, formatDuration(progress.seconds_elapsed)],
    ...(progress.documents_per_second === null
      ? []
      : [[texts.run.rate, formatRate(progress.documents_per_second)] as [string, string]]),
    ...(isActive && progress.seconds_remaining !== null
      ? [[texts.run.left, formatDuration(progress.seconds_remaining)] as [string, string]]
      : []),
  ];
  return (
    <Panel title={texts.run.progress}>
      <div
        className="bar"
        data-tone={getTone(run.status)}
        role="progressbar"
        aria-label={texts.run.progress}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ width: `${Math.max(0, percent - failedPercent)}%` }} />
        <span data-tone="failed" style={{ width: `${failedPercent}%` }} />
      </div>
      <FactList facts={facts} />
    </Panel>
  );
}

/** How much of the run is done. For a single document, the share of its pages counts. */
function computePercent({ progress, operators }: JobRunReply): number {
  const percent = progress.percent ?? 0;
  if (percent > 0 || progress.documents_total !== 1) return percent;
  const pages = operators.find((operator) => operator.pages)?.pages;
  return pages && pages.total > 0 ? Math.floor((100 * pages.done) / pages.total) : 0;
}

/** The pages of documents that are being converted. */
function listPages({ operators }: JobRunReply): [string, string][] {
  const pages = operators.flatMap((operator) => (operator.pages ? [operator.pages] : []));
  if (pages.length === 0) return [];
  const sum = (key: 'done' | 'total') => pages.reduce((total, count) => total + count[key], 0);
  return [[texts.run.pages, `${formatCount(sum('done'))} / ${formatCount(sum('total'))}`]];
}

/** Links to the results of a run, as far as the console shows them. */
function NextSteps({ snapshot, flowId }: { snapshot: FlowSnapshot; flowId: string }) {
  const { flow } = snapshot.flow;
  const sets = flow
    .filter(({ type }) => type === 'document_set')
    .map(({ config }) => config?.['document_set_name'])
    .filter((name) => typeof name === 'string');
  const isSearchable = flow.some(
    ({ type, config }) => type === 'vectordb' && (config?.['provider'] ?? 'opensearch') === 'opensearch',
  );
  const reviews = useQuery({
    queryKey: ['reviews', 'of flow', flowId],
    queryFn: () => api.reviews.list({ state: 'open', flow_id: flowId, limit: 1 }),
  });
  const doubtful = reviews.data?.total ?? 0;
  if (sets.length === 0 && !isSearchable && doubtful === 0) return null;
  return (
    <Panel title={texts.run.next}>
      <p className="actions">
        {isSearchable ? (
          <Link className="action-link" to={`/search?flow=${flowId}`}>
            {texts.run.toSearch}
          </Link>
        ) : null}
        {sets.map((name) => (
          <Link key={name} className="action-link" to={`/sets/${encodeURIComponent(name)}`}>
            {texts.run.toSet(name)}
          </Link>
        ))}
        {doubtful > 0 ? (
          <Link className="action-link" to={`/review?flow=${flowId}`}>
            {texts.run.toReview(doubtful)}
          </Link>
        ) : null}
      </p>
    </Panel>
  );
}

/** What events of a run do not say about its operators. */
const uncountedOperator = {
  type: '',
  in: 0,
  out: 0,
  seconds: 0,
  parts: 0,
  metrics: {},
  started_at: null,
  ended_at: null,
};

/** The stored run updated by the newest event. */
function applyEvent(run: JobRunReply, event: RunEvent | undefined): JobRunReply {
  if (!event) return run;
  const { status, message, totals, progress } = event;
  const updates = new Map(event.operators.map((operator) => [operator.name, operator]));
  const operatorNames = new Set(run.operators.map(({ name }) => name));
  const operators = run.operators.map(({ pages: _old, ...operator }) => ({
    ...operator,
    ...updates.get(operator.name),
  }));
  const added = event.operators
    .filter(({ name }) => !operatorNames.has(name))
    .map((operator) => ({ ...uncountedOperator, ...operator }));
  return { ...run, status, message, totals, progress, operators: [...operators, ...added] };
}

import { Button, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { JobRunItem, RunFilters } from '../../client';
import { api } from '../api';
import { formatCount, formatDuration, formatTime } from '../format';
import { BulkBar, type Selection, useSelection } from '../parts/bulk';
import { type Column, ListTable } from '../parts/list-table';
import { Page } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Prose } from '../parts/prose';
import { Start } from '../parts/start';
import { activeStates, brokenStates, findShownState, State, getTone } from '../parts/state';
import { Link, setQuery, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';

/** Runs that the user may see, newest first, filtered by the server. */
export function RunsScreen() {
  const { query } = usePlace();
  const state = query.get('state') ?? undefined;
  const flow_id = query.get('flow') ?? undefined;
  const kind = query.get('kind') ?? undefined;
  const is_sample = kind === 'sample' || kind === 'full' ? kind === 'sample' : undefined;
  const offset = useOffset();
  const runs = useQuery({
    queryKey: ['runs', { state, flow_id, is_sample, offset }],
    queryFn: () => api.jobRuns.list({ limit: pageSize, offset, ...toStatusFilter(state), flow_id, is_sample }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.list.some((run) => activeStates.includes(run.status)) ? 1_500 : 5_000,
  });
  const isFiltered = state !== undefined || flow_id !== undefined || is_sample !== undefined;
  return (
    <Page title={texts.runs.title}>
      <Filters state={state} flowId={flow_id} kind={kind} isFiltered={isFiltered} />
      <Paged
        title={texts.runs.title}
        isUntitled
        found={runs}
        empty={isFiltered ? texts.runs.emptyFiltered : <Start text={texts.runs.empty} />}
      >
        {({ list }) => <SelectableRuns runs={list} />}
      </Paged>
    </Page>
  );
}

/** For the server, a waiting run is a running one. */
function toStatusFilter(state: string | undefined): Pick<RunFilters, 'status' | 'is_waiting'> {
  if (state === 'WAITING') return { is_waiting: true };
  return state === 'RUNNING' ? { status: state, is_waiting: false } : { status: state };
}

function Filters({
  state,
  flowId,
  kind,
  isFiltered,
}: {
  state: string | undefined;
  flowId: string | undefined;
  kind: string | undefined;
  isFiltered: boolean;
}) {
  const flows = useQuery({
    queryKey: ['flows', 'names'],
    queryFn: () => api.flows.list({ limit: 100, sort: 'flow_name' }).catch(() => api.flows.list({ limit: 100 })),
  });
  return (
    <div className="filters">
      <NativeSelect
        label={texts.runs.filterState}
        value={state ?? ''}
        onChange={(event) => setQuery({ state: event.currentTarget.value, offset: undefined })}
        data={[
          { value: '', label: texts.runs.anyState },
          ...Object.entries(texts.states).map(([value, label]) => ({ value, label })),
          { value: brokenStates, label: texts.runs.failedOrCrashed },
        ]}
      />
      <NativeSelect
        label={texts.runs.filterFlow}
        value={flowId ?? ''}
        onChange={(event) => setQuery({ flow: event.currentTarget.value, offset: undefined })}
        data={[
          { value: '', label: texts.runs.anyFlow },
          ...(flows.data?.flows ?? []).map((flow) => ({
            value: flow.flow_id,
            label: 'flow_name' in flow ? flow.flow_name : flow.name,
          })),
        ]}
      />
      <NativeSelect
        label={texts.sample.kind}
        value={kind ?? ''}
        onChange={(event) => setQuery({ kind: event.currentTarget.value, offset: undefined })}
        data={[
          { value: '', label: texts.sample.any },
          { value: 'full', label: texts.sample.kinds.full },
          { value: 'sample', label: texts.sample.kinds.sample },
        ]}
      />
      {isFiltered ? (
        <Button
          variant="default"
          onClick={() => setQuery({ state: undefined, flow: undefined, kind: undefined, offset: undefined })}
        >
          {texts.runs.clear}
        </Button>
      ) : null}
    </div>
  );
}

const { runs: words } = texts.bulk;
const actions = [
  { action: 'pause', label: words.pause },
  { action: 'resume', label: words.resume },
  { action: 'cancel', label: words.cancel, question: texts.bulk.cancelSure },
  { action: 'retry', label: words.retry, question: texts.bulk.rerunSure },
  { action: 'rerun', label: words.rerun, question: texts.bulk.rerunSure },
  { action: 'delete', label: words.delete, question: texts.bulk.deleteSure },
] as const;

/** Runs as selectable rows, with actions on several of them. */
function SelectableRuns({ runs }: { runs: readonly JobRunItem[] }) {
  const { user } = useSession();
  const queries = useQueryClient();
  const changeable = runs.filter(({ user_id: owner }) => owner === user.username || user.is_administrator);
  const selection = useSelection(changeable.map(({ job_run_id: id }) => id));
  return (
    <>
      <BulkBar
        selection={selection}
        actions={actions}
        act={(action, ids) => api.bulk.jobRuns({ action, job_run_ids: [...ids] })}
        onDone={() => queries.invalidateQueries({ queryKey: ['runs'] })}
      />
      <RunTable runs={runs} selection={selection} />
    </>
  );
}

/** Runs as rows. */
export function RunTable({ runs, selection }: { runs: readonly JobRunItem[]; selection?: Selection }) {
  const owners = new Set(runs.map(({ user_id: owner }) => owner));
  const columns: Column<JobRunItem>[] = [
    {
      title: texts.runs.flow,
      kind: 'name',
      cell: ({ job_run_id: id, flow_name: name, sample, status, message, waiting }) => (
        <>
          <Link to={`/runs/${id}`}>{name}</Link>
          {sample ? <span className="state-note"> ({texts.sample.word})</span> : null}
          {waiting?.[0] ? <Reason text={waiting[0].message} /> : null}
          {getTone(status) === 'failed' && message ? <Reason text={message} /> : null}
        </>
      ),
    },
    { title: texts.runs.state, cell: (run) => <State state={findShownState(run)} /> },
    { title: texts.runs.documents, kind: 'num', cell: (run) => (hasNoCounts(run) ? '' : formatCount(run.total_docs)) },
    {
      title: texts.runs.failed,
      kind: 'num',
      cell: (run) =>
        hasNoCounts(run) ? null : (
          <span className={run.failed_docs > 0 ? 'count-failed' : ''}>{formatCount(run.failed_docs)}</span>
        ),
    },
    {
      title: texts.runs.started,
      kind: 'when',
      cell: ({ started_at: started, created_at: created }) => formatTime(started ?? created),
    },
    { title: texts.runs.duration, kind: 'num', cell: (run) => formatDuration(run.duration ?? computeElapsed(run)) },
    ...(owners.size > 1 ? [{ title: texts.runs.owner, cell: ({ user_id: owner }: JobRunItem) => owner }] : []),
  ];
  const getName = ({ flow_name: name, started_at: started, created_at: created }: JobRunItem) =>
    texts.runs.named(name, formatTime(started ?? created));
  return (
    <ListTable
      label={texts.runs.title}
      columns={columns}
      rows={runs}
      keyOf={({ job_run_id: id }) => id}
      choice={selection ? { selection, nameOf: getName } : undefined}
    />
  );
}

/** True for an active run whose record has no counts yet: they are written when it ends. */
function hasNoCounts({ status, total_docs: count }: JobRunItem): boolean {
  return count === 0 && activeStates.includes(status);
}

function computeElapsed({ status, started_at: started }: JobRunItem): number | null {
  if (started === null || !activeStates.includes(status)) return null;
  return Math.max(0, Math.floor((Date.now() - Date.parse(started)) / 1_000));
}

function Reason({ text }: { text: string }) {
  return (
    <span className="state-note below one-line" title={text}>
      <Prose text={text} />
    </span>
  );
}

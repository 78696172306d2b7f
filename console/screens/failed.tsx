import { Alert, Button, Checkbox, NativeSelect } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FailedDocumentReply } from '../../client';
import { api } from '../api';
import { formatCount, formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { Pager } from '../parts/pager';
import { Link, setQuery, usePlace } from '../router';
import { texts } from '../texts';

const limit = 50;
type By = 'code' | 'operator' | 'flow_id';
const states = ['failed', 'left_out', 'ignored'] as const;
type State = (typeof states)[number];
const labels: Readonly<Record<By, string>> = {
  code: texts.failed.byCode,
  operator: texts.failed.byOperator,
  flow_id: texts.failed.byFlow,
};

/** Documents whose last attempt failed, over all runs, in groups with the available actions. */
export function FailedScreen() {
  const { query } = usePlace();
  const by = (['code', 'operator', 'flow_id'] as const).find((item) => item === query.get('by')) ?? 'code';
  const key = query.get('group') ?? undefined;
  const state = states.find((value) => value === query.get('state')) ?? 'failed';
  const offset = Math.max(0, Number(query.get('offset')) || 0);
  const filter = { state, ...(key === undefined ? {} : { [by]: key }) };
  const documents = useQuery({
    queryKey: ['failed', 'list', filter, offset],
    queryFn: () => api.failedDocuments.list({ ...filter, limit, offset }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  const csv = new URLSearchParams(filter).toString();
  return (
    <Page
      title={texts.failed.title}
      actions={
        <Button component="a" variant="default" href={`/api/v1/failed_documents/report?${csv}`} download>
          {texts.failed.csv}
        </Button>
      }
    >
      <p className="muted">{texts.failed.help}</p>
      <Choice by={by} state={state} />
      <Groups by={by} state={state} groupKey={key} />
      {documents.isError ? <Failure error={documents.error} onRetry={() => void documents.refetch()} /> : null}
      {documents.isPending ? <Loading /> : null}
      {documents.data ? (
        <section className="panel" aria-label={texts.failed.title}>
          {documents.data.total === 0 ? (
            <Empty>{state === 'failed' && key === undefined ? texts.failed.empty : texts.failed.emptyFiltered}</Empty>
          ) : (
            <Documents documents={documents.data.documents} state={state} />
          )}
          <Pager
            offset={offset}
            limit={limit}
            total={documents.data.total}
            updatedAt={documents.dataUpdatedAt}
            onOffset={(next) => setQuery({ offset: next === 0 ? undefined : String(next) })}
          />
        </section>
      ) : null}
    </Page>
  );
}

function Choice({ by, state }: { by: By; state: State }) {
  return (
    <div className="filters">
      <NativeSelect
        label={texts.failed.groupBy}
        value={by}
        data={Object.entries(labels).map(([value, label]) => ({ value, label }))}
        onChange={(event) => setQuery({ by: event.currentTarget.value, group: undefined, offset: undefined })}
      />
      <NativeSelect
        label={texts.failed.show}
        value={state}
        data={Object.entries(texts.failed.states).map(([value, label]) => ({ value, label }))}
        onChange={(event) => setQuery({ state: event.currentTarget.value, group: undefined, offset: undefined })}
      />
    </div>
  );
}

function Groups({ by, state, groupKey: key }: { by: By; state: State; groupKey: string | undefined }) {
  const groups = useQuery({
    queryKey: ['failed', 'groups', by, state],
    queryFn: () => api.failedDocuments.groups(by, { state }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  if (!groups.data || groups.data.groups.length === 0) return null;
  return (
    <Panel title={labels[by]}>
      <ul className="groups">
        <Group name={texts.failed.allGroups} count={groups.data.total} isOn={key === undefined} />
        {groups.data.groups.map((group) => (
          <Group key={group.key} name={group.name} count={group.count} groupKey={group.key} isOn={key === group.key} />
        ))}
      </ul>
    </Panel>
  );
}

function Group({ name, count, groupKey, isOn }: { name: string; count: number; groupKey?: string; isOn: boolean }) {
  return (
    <li>
      <button
        type="button"
        className="chip"
        title={groupKey}
        aria-pressed={isOn}
        onClick={() => setQuery({ group: groupKey, offset: undefined })}
      >
        {name.replace(/\.$/, '')} <b>{formatCount(count)}</b>
      </button>
    </li>
  );
}

/** The actions on selected documents. The selection is cleared when an action begins, and restored if it fails. */
function useActions(setChosen: (ids: ReadonlySet<string>) => void) {
  const queries = useQueryClient();
  // Cleared when an action begins, not when it ends: by then the user may have made another selection.
  const onMutate = () => setChosen(new Set());
  const onError = (_: unknown, { ids }: { ids: string[] }) => setChosen(new Set(ids));
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['failed'] });
  const shared = { onMutate, onError, onSuccess };
  const retry = useMutation({
    mutationFn: ({ ids }: { ids: string[] }) => api.failedDocuments.retry({ ids }),
    ...shared,
  });
  const leave = useMutation({
    mutationFn: ({ ids, leaveOut }: { ids: string[]; leaveOut: boolean }) =>
      api.failedDocuments.leaveOut({ ids }, leaveOut),
    ...shared,
  });
  const ignore = useMutation({
    mutationFn: ({ ids, isIgnored }: { ids: string[]; isIgnored: boolean }) =>
      api.failedDocuments.ignore({ ids }, isIgnored),
    ...shared,
  });
  return { retry, leave, ignore };
}

function Documents({ documents, state }: { documents: readonly FailedDocumentReply[]; state: State }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const here = documents.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const actions = useActions(setChosen);
  const { retry, leave, ignore } = actions;
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const error = retry.error ?? leave.error ?? ignore.error;
  const isBusy = retry.isPending || leave.isPending || ignore.isPending;
  const latest = ignore.submittedAt > leave.submittedAt ? ignore : leave;
  return (
    <>
      <div className="filters in-line">
        <Checkbox
          label={texts.failed.selectPage}
          checked={here.length === documents.length}
          indeterminate={here.length > 0 && here.length < documents.length}
          onChange={() => setChosen(new Set(here.length === documents.length ? [] : documents.map(({ id }) => id)))}
        />
        <span className="muted" role="status">
          {texts.failed.selected(here.length)}
        </span>
        {here.length > 0 || isBusy ? <Buttons ids={here} state={state} actions={actions} /> : null}
      </div>
      <div role="status">
        {retry.data ? <Retried {...retry.data} /> : null}
        {latest.data ? (
          <Alert color="gray" variant="outline" mb={12}>
            {texts.failed.changed(latest.data.changed)}
          </Alert>
        ) : null}
      </div>
      {error ? <Failure error={error} /> : null}
      <DocumentTable documents={documents} chosen={chosen} onToggle={toggle} />
    </>
  );
}

/** Retry, and the changes that are possible in this state. */
function Buttons({
  ids,
  state,
  actions: { retry, leave, ignore },
}: {
  ids: string[];
  state: State;
  actions: ReturnType<typeof useActions>;
}) {
  const isLeftOut = state === 'left_out';
  const isIgnored = state === 'ignored';
  return (
    <>
      <Button size="xs" loading={retry.isPending} onClick={() => retry.mutate({ ids })}>
        {texts.failed.retry}
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={leave.isPending}
        onClick={() => leave.mutate({ ids, leaveOut: !isLeftOut })}
      >
        {isLeftOut ? texts.failed.include : texts.failed.leaveOut}
      </Button>
      {isLeftOut ? null : (
        <Button
          size="xs"
          variant="default"
          loading={ignore.isPending}
          title={texts.failed.ignoreHelp}
          onClick={() => ignore.mutate({ ids, isIgnored: !isIgnored })}
        >
          {isIgnored ? texts.failed.stopIgnoring : texts.failed.ignore}
        </Button>
      )}
    </>
  );
}

function DocumentTable({
  documents,
  chosen,
  onToggle,
}: {
  documents: readonly FailedDocumentReply[];
  chosen: ReadonlySet<string>;
  onToggle: (id: string) => void;
}) {
  const columns: Column<FailedDocumentReply>[] = [
    {
      title: texts.failed.selectPage,
      kind: 'acts',
      cell: ({ id, name }) => (
        <Checkbox aria-label={texts.failed.select(name)} checked={chosen.has(id)} onChange={() => onToggle(id)} />
      ),
    },
    { title: texts.failed.name, kind: 'name', cell: ({ name }) => name },
    { title: texts.failed.code, cell: ({ code }) => code },
    { title: texts.failed.reason, kind: 'long', cell: ({ message }) => message },
    { title: texts.failed.operator, cell: ({ operator }) => operator },
    {
      title: texts.failed.flow,
      cell: ({ job_run_id: id, flow_name: name }) => <Link to={`/runs/${id}`}>{name}</Link>,
    },
    { title: texts.failed.when, kind: 'when', cell: ({ failed_at: at }) => formatTime(at) },
  ];
  return <ListTable label={texts.failed.title} columns={columns} rows={documents} keyOf={({ id }) => id} />;
}

function Retried({ runs, refused }: Awaited<ReturnType<typeof api.failedDocuments.retry>>) {
  const count = runs.reduce((sum, { documents }) => sum + documents, 0);
  return (
    <Alert color={refused.length > 0 ? 'orange' : 'green'} variant="outline" mb={12}>
      {runs.length > 0 ? <p>{texts.failed.retried(runs.length, count)}</p> : null}
      {runs.map(({ job_run_id: runId, flow_name }) => (
        <p key={runId}>
          <Link to={`/runs/${runId}`}>
            {texts.failed.toRun} ({flow_name})
          </Link>
        </p>
      ))}
      {refused.map(({ job_run_id: runId, documents, message }) => (
        <p key={runId}>{texts.failed.refused(documents, message)}</p>
      ))}
    </Alert>
  );
}

import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FailedDocumentReply } from '../../client';
import { api } from '../api';
import { formatCount, formatTime } from '../format';
import { Breakable } from '../parts/breakable';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { Pager } from '../parts/pager';
import { Link, setQuery, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { FailureButtons, Outcome, useFailureActions } from './actions';

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

function Documents({ documents, state }: { documents: readonly FailedDocumentReply[]; state: State }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const here = documents.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const actions = useFailureActions(setChosen);
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const isBusy = actions.retry.isPending || actions.leave.isPending || actions.ignore.isPending;
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
        {here.length > 0 || isBusy ? <FailureButtons ids={here} state={state} actions={actions} /> : null}
      </div>
      <Outcome actions={actions} />
      <DocumentTable documents={documents} chosen={chosen} onToggle={toggle} />
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
    { title: texts.failed.name, kind: 'name', cell: (failure) => <Name {...failure} /> },
    { title: texts.failed.code, cell: ({ code }) => <Breakable text={code} /> },
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

/** The owner of a failed document can open it; administrators do not even see its name. */
function Name({ id, name, owner }: FailedDocumentReply) {
  const { user } = useSession();
  return owner === user.username ? <Link to={`/failed/${id}`}>{name}</Link> : name;
}

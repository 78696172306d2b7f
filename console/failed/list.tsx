import { Button, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FailedDocumentReply } from '../../client';
import { api } from '../api';
import { formatCount, formatTime } from '../format';
import { Breakable } from '../parts/breakable';
import { SelectPage, useSelection } from '../parts/bulk';
import { type Column, ListTable } from '../parts/list-table';
import { Page, Panel } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Reason } from '../parts/reason';
import { Link, setQuery, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { FailureButtons, Outcome, useFailureActions } from './actions';

const states = ['failed', 'left_out', 'ignored'] as const;
type State = (typeof states)[number];
const groupings = ['code', 'operator', 'flow_id'] as const;
type Grouping = (typeof groupings)[number];
const labels: Readonly<Record<Grouping, string>> = {
  code: texts.failed.byCode,
  operator: texts.failed.byOperator,
  flow_id: texts.failed.byFlow,
};

/** The documents of all runs whose last attempt failed, in groups, with actions on selected ones. */
export function FailedScreen() {
  const { query } = usePlace();
  const by = groupings.find((grouping) => grouping === query.get('by')) ?? 'code';
  const key = query.get('group') ?? undefined;
  const state = states.find((value) => value === query.get('state')) ?? 'failed';
  const offset = useOffset();
  const filter = { state, ...(key === undefined ? {} : { [by]: key }) };
  const documents = useQuery({
    queryKey: ['failed', 'list', filter, offset],
    queryFn: () => api.failedDocuments.list({ ...filter, limit: pageSize, offset }),
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
      <Filters by={by} state={state} />
      <Groups by={by} state={state} groupKey={key} />
      <Paged
        title={texts.failed.title}
        isUntitled
        found={documents}
        empty={state === 'failed' && key === undefined ? texts.failed.empty : texts.failed.emptyFiltered}
      >
        {({ documents }) => <Documents documents={documents} state={state} />}
      </Paged>
    </Page>
  );
}

function Filters({ by, state }: { by: Grouping; state: State }) {
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

function Groups({ by, state, groupKey: key }: { by: Grouping; state: State; groupKey: string | undefined }) {
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
        <Group name={texts.failed.allGroups} count={groups.data.total} isChosen={key === undefined} />
        {groups.data.groups.map((group) => (
          <Group
            key={group.key}
            name={group.name}
            count={group.count}
            groupKey={group.key}
            isChosen={key === group.key}
          />
        ))}
      </ul>
    </Panel>
  );
}

function Group({
  name,
  count,
  groupKey,
  isChosen,
}: {
  name: string;
  count: number;
  groupKey?: string;
  isChosen: boolean;
}) {
  return (
    <li>
      <button
        type="button"
        className="chip"
        title={groupKey}
        aria-pressed={isChosen}
        onClick={() => setQuery({ group: groupKey, offset: undefined })}
      >
        {name.replace(/\.$/, '')} <b>{formatCount(count)}</b>
      </button>
    </li>
  );
}

function Documents({ documents, state }: { documents: readonly FailedDocumentReply[]; state: State }) {
  const selection = useSelection(documents.map(({ id }) => id));
  const { chosen, set } = selection;
  const actions = useFailureActions(set);
  const isBusy = actions.retry.isPending || actions.leave.isPending || actions.ignore.isPending;
  return (
    <>
      <div className="filters in-line">
        <SelectPage selection={selection} />
        <span className="muted" role="status">
          {texts.failed.selected(chosen.length)}
        </span>
        {chosen.length > 0 || isBusy ? <FailureButtons ids={[...chosen]} state={state} actions={actions} /> : null}
      </div>
      <Outcome actions={actions} />
      <ListTable
        label={texts.failed.title}
        columns={columns}
        rows={documents}
        keyOf={({ id }) => id}
        choice={{ selection, nameOf: ({ name }) => name }}
      />
    </>
  );
}

const columns: readonly Column<FailedDocumentReply>[] = [
  { title: texts.failed.name, kind: 'name', cell: (failure) => <Name {...failure} /> },
  { title: texts.failed.code, cell: ({ code }) => <Breakable text={code} /> },
  { title: texts.failed.reason, kind: 'long', cell: ({ message }) => <Reason text={message} /> },
  { title: texts.failed.operator, cell: ({ operator }) => operator },
  {
    title: texts.failed.flow,
    cell: ({ job_run_id: id, flow_name: name }) => <Link to={`/runs/${id}`}>{name}</Link>,
  },
  { title: texts.failed.when, kind: 'when', cell: ({ failed_at: at }) => formatTime(at) },
];

/** The owner of a failed document can open it; administrators do not even see its name. */
function Name({ id, name, owner }: FailedDocumentReply) {
  const { user } = useSession();
  return owner === user.username ? <Link to={`/failed/${id}`}>{name}</Link> : name;
}

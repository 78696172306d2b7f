import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ScheduleReply } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { BulkBar, useSelection } from '../parts/bulk';
import { ConfirmButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Failure, Panel, QueryState } from '../parts/page';
import { texts } from '../texts';

const tones = { active: 'active', paused: 'idle', missing: 'failed' } as const;

/** The schedules of a stored flow: adds, changes, pauses and removes them, and starts a run now. */
export function Schedules({ flowId }: { flowId: string }) {
  const [changed, setChanged] = useState<ScheduleReply>();
  const result = useQuery({
    queryKey: ['schedules', flowId],
    queryFn: () => api.schedules.list(flowId, { limit: 100 }),
    refetchInterval: 10_000,
  });
  return (
    <Panel title={texts.schedules.title}>
      <QueryState query={result} />
      {result.data?.total === 0 ? <Empty>{texts.schedules.empty}</Empty> : null}
      {result.data && result.data.total > 0 ? (
        <ScheduleTable flowId={flowId} schedules={result.data.schedules} onChange={setChanged} />
      ) : null}
      <ScheduleForm
        key={changed?.schedule_id ?? 'new'}
        flowId={flowId}
        stored={changed}
        onDone={() => setChanged(undefined)}
      />
    </Panel>
  );
}

const { schedules: words } = texts.bulk;
const bulkActions = [
  { action: 'trigger', label: words.trigger, question: texts.bulk.rerunSure },
  { action: 'pause', label: words.pause },
  { action: 'resume', label: words.resume },
  { action: 'delete', label: words.delete, question: texts.schedules.sure },
] as const;

function listColumns(onChange: (schedule: ScheduleReply) => void): Column<ScheduleReply>[] {
  return [
    {
      title: texts.schedules.when,
      kind: 'name',
      cell: ({ cron, timezone, note }) => (
        <>
          <code>{cron}</code> {timezone}
          {note ? <span className="state-note below">{note}</span> : null}
        </>
      ),
    },
    {
      title: texts.schedules.state,
      cell: ({ state }) => (
        <span className="state" data-tone={tones[state]}>
          {texts.schedules.states[state]}
        </span>
      ),
    },
    { title: texts.schedules.next, kind: 'when', cell: ({ next_runs: [next] }) => formatTime(next) },
    {
      title: texts.schedules.last,
      cell: ({ recent_runs: recent, skipped_runs: skipped }) => (
        <>
          {formatTime(recent.at(-1)?.started_at)}
          {skipped > 0 ? <span className="state-note below">{texts.schedules.skipped(skipped)}</span> : null}
        </>
      ),
    },
    {
      title: texts.schedules.actions,
      kind: 'acts',
      cell: (schedule) => <Actions schedule={schedule} onChange={() => onChange(schedule)} />,
    },
  ];
}

function ScheduleTable({
  flowId,
  schedules,
  onChange,
}: {
  flowId: string;
  schedules: readonly ScheduleReply[];
  onChange: (schedule: ScheduleReply) => void;
}) {
  const queries = useQueryClient();
  const selection = useSelection(schedules.map(({ schedule_id: id }) => id));
  const columns = listColumns(onChange);
  const toReferences = (ids: readonly string[]) => ids.map((schedule_id) => ({ flow_id: flowId, schedule_id }));
  return (
    <>
      {/* For a single schedule, its own buttons do the same. */}
      {schedules.length > 1 ? (
        <BulkBar
          selection={selection}
          actions={bulkActions}
          act={(action, ids) => api.bulk.schedules({ action, schedules: toReferences(ids) })}
          onDone={() => queries.invalidateQueries({ queryKey: ['schedules', flowId] })}
        />
      ) : null}
      <ListTable
        label={texts.schedules.title}
        columns={columns}
        rows={schedules}
        keyOf={({ schedule_id: id }) => id}
        choice={schedules.length > 1 ? { selection, nameOf: ({ cron }) => cron } : undefined}
      />
    </>
  );
}

function Actions({
  schedule: { flow_id: flow, schedule_id: id, cron, state },
  onChange,
}: {
  schedule: ScheduleReply;
  onChange: () => void;
}) {
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: ['schedules', flow] });
  const trigger = useMutation({ mutationFn: () => api.schedules.trigger(flow, id), onSuccess: refresh });
  const toggle = useMutation({
    mutationFn: () => (state === 'paused' ? api.schedules.resume(flow, id) : api.schedules.pause(flow, id)),
    onSuccess: refresh,
  });
  const remove = useMutation({ mutationFn: () => api.schedules.remove(flow, id), onSuccess: refresh });
  const error = trigger.error ?? toggle.error ?? remove.error;
  const nameAction = (value: string) => texts.schedules.one(value, cron);
  const exists = state !== 'missing';
  const toggleLabel = state === 'paused' ? texts.schedules.resume : texts.schedules.pause;
  const renderButton = (label: string, onClick: () => void, isPending = false) => (
    <Button size="xs" variant="default" aria-label={nameAction(label)} loading={isPending} onClick={onClick}>
      {label}
    </Button>
  );
  return (
    <>
      <span className="actions">
        {exists ? renderButton(texts.schedules.trigger, () => trigger.mutate(), trigger.isPending) : null}
        {exists ? renderButton(texts.schedules.change, onChange) : null}
        {exists ? renderButton(toggleLabel, () => toggle.mutate(), toggle.isPending) : null}
        <ConfirmButton
          size="xs"
          label={texts.schedules.remove}
          about={nameAction(texts.schedules.remove)}
          question={texts.schedules.sure}
          isPending={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </span>
      <span role="status" className="state-note below">
        {trigger.isSuccess ? texts.schedules.started : null}
      </span>
      {error ? <Failure error={error} isAction /> : null}
    </>
  );
}

/** Edits the stored schedule, or a new one. */
function ScheduleForm({
  flowId,
  stored,
  onDone,
}: {
  flowId: string;
  stored: ScheduleReply | undefined;
  onDone: () => void;
}) {
  const queries = useQueryClient();
  const empty = { cron: '', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC', note: '' };
  const [draft, setDraft] = useState<Draft>(stored ?? empty);
  const save = useMutation({
    mutationFn: () => {
      const { cron, timezone, note } = draft;
      const schedule = { cron: cron.trim(), timezone: timezone.trim(), note };
      return stored
        ? api.schedules.patch(flowId, stored.schedule_id, schedule)
        : api.schedules.create(flowId, schedule);
    },
    onSuccess: () => {
      setDraft(empty);
      onDone();
      return queries.invalidateQueries({ queryKey: ['schedules', flowId] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <h3>{stored ? texts.schedules.changeOne(stored.cron) : texts.schedules.add}</h3>
      <Fields draft={draft} setDraft={setDraft} />
      <p className="actions">
        <Button type="submit" variant="default" loading={save.isPending} disabled={draft.cron.trim() === ''}>
          {stored ? texts.schedules.save : texts.schedules.add}
        </Button>
        {stored ? (
          <Button variant="default" onClick={onDone}>
            {texts.common.cancel}
          </Button>
        ) : null}
      </p>
      {save.isError ? <Failure error={save.error} title={texts.schedules.failed} isAction /> : null}
    </form>
  );
}

interface Draft {
  cron: string;
  timezone: string;
  note: string;
}

function Fields({ draft, setDraft }: { draft: Draft; setDraft: (draft: Draft) => void }) {
  return (
    <div className="filters level">
      <TextInput
        label={texts.schedules.cron}
        description={texts.schedules.cronHelp}
        className="grow"
        value={draft.cron}
        required
        onChange={({ currentTarget: { value } }) => setDraft({ ...draft, cron: value })}
      />
      <TextInput
        label={texts.schedules.zone}
        value={draft.timezone}
        required
        onChange={({ currentTarget: { value } }) => setDraft({ ...draft, timezone: value })}
      />
      <TextInput
        label={texts.schedules.note}
        value={draft.note}
        maxLength={500}
        onChange={({ currentTarget: { value } }) => setDraft({ ...draft, note: value })}
      />
    </div>
  );
}

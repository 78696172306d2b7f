import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedTask } from '../../client';
import { formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Panel, QueryState } from '../parts/page';
import { Pager } from '../parts/pager';
import { texts } from '../texts';
import { conversion } from './client';

const limit = 10;

function nameTask({ document_name: documentName, task_id: id, task_meta: meta }: ListedTask): string {
  // Tasks of an earlier version have no name.
  const name = documentName ?? id.slice(0, 8);
  const others = (meta?.num_docs ?? 1) - 1;
  return others > 0 ? texts.convert.andOthers(name, others) : name;
}

/** True if no document of the task was converted. Its state is still `success`, as clients expect. */
function hasNoResult({ task_status: state, task_meta: meta }: ListedTask): boolean {
  const { num_docs: all = 0, num_failed: failed = 0 } = meta ?? {};
  return state === 'success' && failed > 0 && failed === all;
}

function nameState(task: ListedTask): string {
  const { task_status: state, task_meta: meta } = task;
  const failed = meta?.num_failed ?? 0;
  if (hasNoResult(task)) return texts.convert.states.failure;
  return state === 'success' && failed > 0 ? texts.convert.doneBut(failed) : texts.convert.states[state];
}

function isUnfinished({ task_status: state }: ListedTask): boolean {
  return state === 'pending' || state === 'started';
}

const reasonColumn: Column<ListedTask> = {
  title: texts.convert.reason,
  kind: 'long',
  cell: ({ error_message: message }) => message ?? '',
};

/** The conversions of the user, the newest first. */
export function History({ onOpen }: { onOpen: (taskId: string) => void }) {
  const [offset, setOffset] = useState(0);
  const tasks = useQuery({
    queryKey: ['conversions', offset],
    queryFn: () => conversion.list({ limit, offset }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.tasks.some(isUnfinished) ? 2_000 : 10_000),
  });
  const columns: Column<ListedTask>[] = [
    { title: texts.convert.document, kind: 'name', cell: (task) => nameTask(task) },
    { title: texts.convert.state, cell: (task) => nameState(task) },
    { title: texts.convert.when, kind: 'when', cell: ({ created_at: at }) => formatTime(at) },
    ...(tasks.data?.tasks.some(({ error_message: message }) => message) ? [reasonColumn] : []),
    {
      title: texts.common.actions,
      kind: 'acts',
      cell: (task) =>
        task.task_status === 'success' ? (
          <Button
            size="xs"
            variant="default"
            aria-label={(hasNoResult(task) ? texts.convert.whyOne : texts.convert.openOne)(nameTask(task))}
            onClick={() => onOpen(task.task_id)}
          >
            {hasNoResult(task) ? texts.convert.why : texts.convert.open}
          </Button>
        ) : null,
    },
  ];
  return (
    <Panel title={texts.convert.history}>
      <p className="muted">{texts.convert.historyHelp}</p>
      <QueryState query={tasks} />
      {tasks.data?.total === 0 ? <Empty>{texts.convert.noHistory}</Empty> : null}
      {tasks.data && tasks.data.total > 0 ? (
        <>
          <ListTable
            label={texts.convert.history}
            columns={columns}
            rows={tasks.data.tasks}
            keyOf={({ task_id: id }) => id}
          />
          <Pager
            offset={offset}
            limit={limit}
            total={tasks.data.total}
            updatedAt={tasks.dataUpdatedAt}
            onOffset={setOffset}
          />
        </>
      ) : null}
    </Panel>
  );
}

import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FlowPage } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Page } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Start } from '../parts/start';
import { buildHref, Link } from '../router';
import { texts } from '../texts';

type Flow = FlowPage['flows'][number];

const columns: readonly Column<Flow>[] = [
  {
    title: texts.failed.flow,
    kind: 'name',
    cell: (flow) => <Link to={`/flows/${flow.flow_id}`}>{'flow_name' in flow ? flow.flow_name : flow.name}</Link>,
  },
  {
    title: texts.flow.steps,
    kind: 'long',
    cell: (flow) => ('flow' in flow ? flow.flow.map(({ name }) => name).join(' → ') : ''),
  },
  { title: texts.data.changed, kind: 'when', cell: ({ modified_on: at }) => formatTime(at) },
  {
    title: texts.data.actions,
    kind: 'acts',
    cell: ({ flow_id: id }) => <Link to={`/runs?flow=${id}`}>{texts.runs.title}</Link>,
  },
];

/** The flows that the user may see. */
export function FlowsScreen() {
  const offset = useOffset();
  const flows = useQuery({
    queryKey: ['flows', offset],
    queryFn: () => api.flows.list({ limit: pageSize, offset }),
    placeholderData: keepPreviousData,
  });
  const create = (
    <Button component="a" href={buildHref('/flows/new')}>
      {texts.flow.create}
    </Button>
  );
  return (
    <Page title={texts.flow.all} actions={create}>
      <Paged title={texts.flow.all} isUntitled found={flows} empty={<Start text={texts.flow.none} />}>
        {({ flows }) => (
          <ListTable label={texts.flow.all} columns={columns} rows={flows} keyOf={({ flow_id: id }) => id} />
        )}
      </Paged>
    </Page>
  );
}

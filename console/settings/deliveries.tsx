import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WebhookDelivery, WebhookReply } from '../../client';
import { api } from '../api';
import { formatCount, formatMoment } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Panel, QueryState } from '../parts/page';
import { Pager } from '../parts/pager';
import { texts } from '../texts';

const limit = 20;
const tones = { pending: 'active', delivered: 'done', failed: 'failed' } as const;

const columns: readonly Column<WebhookDelivery>[] = [
  { title: texts.webhooks.at, kind: 'when', cell: ({ created_at: at }) => formatMoment(at) },
  { title: texts.webhooks.eventTitle, cell: ({ event }) => texts.webhooks.event[event] ?? event },
  {
    title: texts.webhooks.outcome,
    cell: ({ status }) => (
      <span className="state" data-tone={tones[status]}>
        {texts.webhooks.status[status]}
      </span>
    ),
  },
  { title: texts.webhooks.attempts, kind: 'num', cell: ({ attempts }) => formatCount(attempts.length) },
  {
    title: texts.failed.reason,
    kind: 'long',
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last?.error ?? (last?.status_code === undefined ? '' : texts.webhooks.answer(last.status_code));
    },
  },
];

/** The messages of a webhook with their outcomes; refreshed while one is being delivered. */
export function Deliveries({ webhook: { webhook_id: id, url } }: { webhook: WebhookReply }) {
  const [offset, setOffset] = useState(0);
  const result = useQuery({
    queryKey: ['deliveries', id, offset],
    queryFn: () => api.webhooks.deliveries(id, { limit, offset }),
    refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => status === 'pending') ? 1_000 : 5_000),
  });
  return (
    <Panel title={texts.webhooks.messagesOf(url)}>
      <QueryState query={result} />
      {result.data?.total === 0 ? <Empty>{texts.webhooks.noDeliveries}</Empty> : null}
      {result.data && result.data.total > 0 ? (
        <>
          <ListTable
            label={texts.webhooks.deliveries}
            columns={columns}
            rows={result.data.items}
            keyOf={({ delivery_id: key }) => key}
          />
          <Pager
            offset={offset}
            limit={limit}
            total={result.data.total}
            updatedAt={result.dataUpdatedAt}
            onOffset={setOffset}
          />
        </>
      ) : null}
    </Panel>
  );
}

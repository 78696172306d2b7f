import { Alert, Button, Checkbox, NativeSelect } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReviewReply } from '../../client';
import { api } from '../api';
import { formatCount, formatPercent, formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Failure, Loading, Page } from '../parts/page';
import { Pager } from '../parts/pager';
import { Link, setQuery, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';

const limit = 50;
const states = ['open', 'accepted', 'corrected'] as const;
const codes = ['low_confidence', 'pages_unread', 'content_left_out', 'recognition'] as const;

/** Documents with doubtful conversions, over all runs. */
export function ReviewScreen() {
  const { query } = usePlace();
  const state = states.find((state) => state === query.get('state')) ?? 'open';
  const code = codes.find((code) => code === query.get('code'));
  const flow = query.get('flow') ?? undefined;
  const offset = Math.max(0, Number(query.get('offset')) || 0);
  const reviews = useQuery({
    queryKey: ['reviews', state, code, flow, offset],
    queryFn: () =>
      api.reviews.list({ state, ...(code ? { code } : {}), ...(flow ? { flow_id: flow } : {}), limit, offset }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  return (
    <Page title={texts.review.title}>
      <p className="muted">{texts.review.help}</p>
      {flow ? (
        <p>
          {texts.review.ofFlow} <Link to="/review">{texts.review.all}</Link>
        </p>
      ) : null}
      <div className="filters">
        <NativeSelect
          label={texts.failed.show}
          value={state}
          data={states.map((value) => ({ value, label: texts.review.states[value] }))}
          onChange={(event) => setQuery({ state: event.currentTarget.value, offset: undefined })}
        />
        <NativeSelect
          label={texts.review.why}
          value={code ?? ''}
          data={[
            { value: '', label: texts.review.anyReason },
            ...codes.map((value) => ({ value, label: texts.review.codes[value] })),
          ]}
          onChange={(event) => setQuery({ code: event.currentTarget.value, offset: undefined })}
        />
      </div>
      {reviews.isError ? <Failure error={reviews.error} onRetry={() => void reviews.refetch()} /> : null}
      {reviews.isPending ? <Loading /> : null}
      {reviews.data ? (
        <section className="panel" aria-label={texts.review.title}>
          {reviews.data.total === 0 ? (
            <Empty>{state === 'open' && !code && !flow ? texts.review.empty : texts.review.emptyFiltered}</Empty>
          ) : (
            <Reviews reviews={reviews.data.reviews} />
          )}
          <Pager
            offset={offset}
            limit={limit}
            total={reviews.data.total}
            updatedAt={reviews.dataUpdatedAt}
            onOffset={(next) => setQuery({ offset: next === 0 ? undefined : String(next) })}
          />
        </section>
      ) : null}
    </Page>
  );
}

function Reviews({ reviews }: { reviews: readonly ReviewReply[] }) {
  const queries = useQueryClient();
  const { user } = useSession();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const open = reviews.filter(({ state, owner }) => state === 'open' && owner === user.username);
  const here = open.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const accept = useMutation({
    mutationFn: () => api.reviews.accept(here),
    onSuccess: () => {
      setChosen(new Set());
      return queries.invalidateQueries({ queryKey: ['reviews'] });
    },
  });
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <>
      {open.length > 0 ? (
        <div className="filters in-line">
          <Checkbox
            label={texts.failed.selectPage}
            checked={here.length === open.length}
            indeterminate={here.length > 0 && here.length < open.length}
            onChange={() => setChosen(new Set(here.length === open.length ? [] : open.map(({ id }) => id)))}
          />
          {here.length > 0 ? (
            <>
              <span className="muted">{texts.failed.selected(here.length)}</span>
              <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate()}>
                {texts.review.accept}
              </Button>
            </>
          ) : null}
        </div>
      ) : null}
      <div role="status">
        {accept.data ? (
          <Alert color="gray" variant="outline" mb={12}>
            {texts.review.accepted(accept.data.changed)}
          </Alert>
        ) : null}
      </div>
      {accept.error ? <Failure error={accept.error} /> : null}
      <ReviewTable reviews={reviews} chosen={open.length > 0 ? chosen : undefined} onToggle={toggle} />
    </>
  );
}

/** `chosen` is undefined if rows cannot be selected. */
function ReviewTable({
  reviews,
  chosen,
  onToggle,
}: {
  reviews: readonly ReviewReply[];
  chosen: ReadonlySet<string> | undefined;
  onToggle: (id: string) => void;
}) {
  const { user } = useSession();
  const choice: Column<ReviewReply> = {
    title: texts.failed.selectPage,
    kind: 'acts',
    cell: ({ id, name, owner, state }) => (
      <Checkbox
        aria-label={texts.failed.select(name)}
        disabled={owner !== user.username || state !== 'open'}
        checked={chosen?.has(id) ?? false}
        onChange={() => onToggle(id)}
      />
    ),
  };
  const columns: Column<ReviewReply>[] = [
    ...(chosen ? [choice] : []),
    {
      title: texts.failed.name,
      kind: 'name',
      cell: ({ id, name, owner }) => (owner === user.username ? <Link to={`/review/${id}`}>{name}</Link> : name),
    },
    {
      title: texts.review.why,
      kind: 'long',
      cell: ({ doubts }) => doubts.map(({ code }) => texts.review.codes[code]).join(', '),
    },
    { title: texts.review.confidence, kind: 'num', cell: ({ confidence }) => formatPercent(confidence) },
    { title: texts.review.pages, kind: 'num', cell: ({ pages }) => formatCount(pages) },
    {
      title: texts.failed.flow,
      kind: 'long',
      cell: ({ job_run_id: id, flow_name: name }) => <Link to={`/runs/${id}`}>{name}</Link>,
    },
    { title: texts.review.found, kind: 'when', cell: ({ found_at: at }) => formatTime(at) },
  ];
  return <ListTable label={texts.review.title} columns={columns} rows={reviews} keyOf={({ id }) => id} />;
}

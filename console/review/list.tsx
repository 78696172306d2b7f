import { Alert, Button, NativeSelect } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReviewReply } from '../../client';
import { api } from '../api';
import { formatCount, formatPercent, formatTime } from '../format';
import { SelectPage, useSelection } from '../parts/bulk';
import { type Column, ListTable } from '../parts/list-table';
import { Failure, Page } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Link, setQuery, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';

const states = ['open', 'accepted', 'corrected'] as const;
const codes = ['low_confidence', 'pages_unread', 'content_left_out', 'recognition'] as const;

/** The documents of all runs whose conversion is doubtful. */
export function ReviewScreen() {
  const { query } = usePlace();
  const state = states.find((state) => state === query.get('state')) ?? 'open';
  const code = codes.find((code) => code === query.get('code'));
  const flow = query.get('flow') ?? undefined;
  const offset = useOffset();
  const reviews = useQuery({
    queryKey: ['reviews', state, code, flow, offset],
    queryFn: () =>
      api.reviews.list({
        state,
        ...(code ? { code } : {}),
        ...(flow ? { flow_id: flow } : {}),
        limit: pageSize,
        offset,
      }),
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
      <Filters state={state} code={code} />
      <Paged
        title={texts.review.title}
        isUntitled
        found={reviews}
        empty={state === 'open' && !code && !flow ? texts.review.empty : texts.review.emptyFiltered}
      >
        {({ reviews }) => <Reviews reviews={reviews} />}
      </Paged>
    </Page>
  );
}

function Filters({ state, code }: { state: (typeof states)[number]; code: (typeof codes)[number] | undefined }) {
  return (
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
  );
}

function Reviews({ reviews }: { reviews: readonly ReviewReply[] }) {
  const queries = useQueryClient();
  const { user } = useSession();
  const open = reviews.filter(({ state, owner }) => state === 'open' && owner === user.username);
  const selection = useSelection(open.map(({ id }) => id));
  const { chosen, set } = selection;
  const accept = useMutation({
    mutationFn: () => api.reviews.accept([...chosen]),
    onSuccess: () => {
      set([]);
      return queries.invalidateQueries({ queryKey: ['reviews'] });
    },
  });
  return (
    <>
      {open.length > 0 ? (
        <div className="filters in-line">
          <SelectPage selection={selection} />
          {chosen.length > 0 ? (
            <>
              <span className="muted">{texts.failed.selected(chosen.length)}</span>
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
      <ListTable
        label={texts.review.title}
        columns={listColumns(user.username)}
        rows={reviews}
        keyOf={({ id }) => id}
        choice={{ selection, nameOf: ({ name }) => name }}
      />
    </>
  );
}

function listColumns(username: string): Column<ReviewReply>[] {
  return [
    {
      title: texts.failed.name,
      kind: 'name',
      cell: ({ id, name, owner }) => (owner === username ? <Link to={`/review/${id}`}>{name}</Link> : name),
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
}

import { Alert, Button, NativeSelect, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pageImagePath, type ReviewCorrected, type ReviewReply } from '../../client';
import { api } from '../api';
import { PagePicture } from '../document/picture';
import { formatPercent, formatTime } from '../format';
import { Failure, Loading, Page, Panel, QueryState } from '../parts/page';
import { Link, setQuery, usePlace } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';

/** One doubtful document: its page next to its Markdown, to be accepted or corrected. */
export function ReviewOneScreen({ reviewId }: { reviewId: string }) {
  const review = useQuery({ queryKey: ['review', reviewId], queryFn: () => api.reviews.get(reviewId) });
  const markdown = useQuery({
    queryKey: ['review', reviewId, 'markdown'],
    enabled: review.isSuccess,
    queryFn: () => api.reviews.markdown(reviewId),
    retry: false,
  });
  if (review.isPending) return <Loading />;
  if (!review.data)
    return (
      <Page title={texts.review.title}>
        <Failure error={review.error} onRetry={() => void review.refetch()} />
        <Link to="/review">{texts.review.all}</Link>
      </Page>
    );
  const { name, flow_name: flow, job_run_id: runId, found_at: foundAt, state, decided_at: decided } = review.data;
  return (
    <Page title={name}>
      <p className="muted">
        <Link to="/review">{texts.review.all}</Link> · {texts.review.states[state]}
        {decided ? ` ${formatTime(decided)}` : ''} · <Link to={`/runs/${runId}`}>{flow}</Link> · {formatTime(foundAt)}
      </p>
      <Doubts review={review.data} />
      <div className="beside in-halves">
        <Picture review={review.data} />
        <Panel title={texts.review.text}>
          <QueryState query={markdown} />
          {markdown.data === undefined ? null : (
            <Correction key={review.data.version} review={review.data} markdown={markdown.data} />
          )}
        </Panel>
      </div>
    </Page>
  );
}

function Doubts({ review: { doubts, confidence } }: { review: ReviewReply }) {
  return (
    <Panel title={texts.review.why}>
      <ul className="reasons">
        {doubts.map(({ code, message }) => (
          <li key={code}>
            <b>{texts.review.codes[code]}:</b> {message}
          </li>
        ))}
      </ul>
      {confidence === null ? null : <p className="state-note">{texts.review.whole(formatPercent(confidence))}</p>}
    </Panel>
  );
}

/** The page image; doubtful pages come first. */
function Picture({ review: { document_id: documentId, doubts, pages } }: { review: ReviewReply }) {
  const { query } = usePlace();
  const doubtful = [...new Set(doubts.flatMap((doubt) => doubt.pages ?? []))];
  const page = Number(query.get('page')) || (doubtful[0] ?? 1);
  const result = useQuery({
    queryKey: ['document', documentId, 'page', page],
    queryFn: () => api.documents.page(documentId, page, { uncovered: true }),
    retry: false,
  });
  const others = Array.from({ length: Math.max(pages, page) }, (_, index) => index + 1).filter(
    (value) => !doubtful.includes(value),
  );
  const toOption = (label: (page: string) => string) => (value: number) => ({
    value: String(value),
    label: label(String(value)),
  });
  const readPage = result.data;
  return (
    <Panel title={texts.review.original}>
      <NativeSelect
        label={texts.pages.page}
        value={String(page)}
        mb={12}
        data={[...doubtful.map(toOption(texts.review.doubtfulPage)), ...others.map(toOption(texts.review.otherPage))]}
        onChange={(event) => setQuery({ page: event.currentTarget.value })}
      />
      {result.isPending ? <Loading /> : null}
      {readPage?.width && readPage.height ? (
        <PagePicture
          whole={{ document_id: documentId, name: '', kind: 'pages', has_images: true, pages: [], headings: [] }}
          page={readPage}
          shown={{ boxes: true, order: false, cells: false, uncovered: true }}
          hitBoxes={[]}
          highlighted={undefined}
          setHighlighted={() => undefined}
        />
      ) : null}
      {!result.isPending && !readPage?.width ? <PageImage key={page} documentId={documentId} page={page} /> : null}
    </Panel>
  );
}

/** Only the page image, for a document whose text was corrected and therefore has no positions. */
function PageImage({ documentId, page }: { documentId: string; page: number }) {
  const [isAbsent, setAbsent] = useState(false);
  if (isAbsent)
    return (
      <Alert color="gray" variant="outline">
        {texts.review.noPicture}
      </Alert>
    );
  return (
    <img
      className="page-image"
      src={pageImagePath(documentId, page)}
      alt={texts.pages.picture(page)}
      onError={() => setAbsent(true)}
    />
  );
}

function Correction({ review, markdown }: { review: ReviewReply; markdown: string }) {
  const queries = useQueryClient();
  const [text, setText] = useState(markdown);
  const isChanged = text !== markdown;
  const refresh = () =>
    Promise.all(['review', 'reviews', 'document'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  const correct = useMutation({
    mutationFn: () => api.reviews.correct(review.id, { markdown: text, version: review.version }),
    onSuccess: refresh,
  });
  const accept = useMutation({ mutationFn: () => api.reviews.accept([review.id]), onSuccess: refresh });
  const discard = useMutation({ mutationFn: () => api.reviews.discard(review.id), onSuccess: refresh });
  const error = correct.error ?? accept.error ?? discard.error;
  const done = correct.data ?? discard.data;
  return (
    <>
      <Textarea
        className="code-field"
        label={texts.review.markdown}
        description={texts.review.markdownHelp}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={18}
        maxRows={36}
        spellCheck={false}
        dir="auto"
      />
      <div className="actions review-actions">
        <Button
          disabled={!isChanged || text.trim() === ''}
          loading={correct.isPending}
          onClick={() => correct.mutate()}
        >
          {texts.review.correct}
        </Button>
        {review.state === 'open' ? (
          <Button variant="default" disabled={isChanged} loading={accept.isPending} onClick={() => accept.mutate()}>
            {texts.review.accept}
          </Button>
        ) : null}
        {review.state === 'corrected' ? (
          <Button variant="default" loading={discard.isPending} onClick={() => discard.mutate()}>
            {texts.review.discard}
          </Button>
        ) : null}
      </div>
      <Outcome accepted={accept.data?.changed} done={done} />
      {error ? <Failure error={error} title={texts.review.failed} /> : null}
      {review.state === 'open' ? null : <NextReview />}
    </>
  );
}

/** What the decision changed. */
function Outcome({ accepted, done }: { accepted: number | undefined; done: ReviewCorrected | undefined }) {
  return (
    <div role="status">
      {accepted === undefined ? null : <p>{texts.review.accepted(accepted)}</p>}
      {done?.job_run_id ? (
        <p>
          {texts.review.runsOn} <Link to={`/runs/${done.job_run_id}`}>{texts.failed.toRun}</Link>
        </p>
      ) : null}
      {done?.refused ? <p>{texts.review.refused(done.refused.message)}</p> : null}
    </div>
  );
}

/** A link from a decided document to the next one that waits for a review. */
function NextReview() {
  const open = useQuery({
    queryKey: ['reviews', 'next'],
    queryFn: () => api.reviews.list({ state: 'open', limit: 10 }),
  });
  const { user } = useSession();
  // Administrators see documents of others, which they may not open.
  const next = open.data?.reviews.find(({ owner }) => owner === user.username);
  if (!open.data) return null;
  return <p>{next ? <Link to={`/review/${next.id}`}>{texts.review.next(next.name)}</Link> : texts.review.noneLeft}</p>;
}

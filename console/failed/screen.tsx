import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type FailedDocumentDetail, failedPageImagePath, failedPath } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { Failure, Loading, Page, Panel, QueryState, ValueList } from '../parts/page';
import { PageTurner } from '../parts/page-turner';
import { Prose } from '../parts/prose';
import { Link, setQuery, usePlace } from '../router';
import { texts } from '../texts';
import { FailureButtons, Outcome, useFailureActions } from './actions';

/** More text is hard to read in a panel. */
const maxCharacters = 20_000;

/** One failed document: why it failed, beside its page. */
export function FailedOneScreen({ failedId }: { failedId: string }) {
  const failed = useQuery({ queryKey: ['failed', 'one', failedId], queryFn: () => api.failedDocuments.get(failedId) });
  if (failed.isPending) return <Loading />;
  if (!failed.data)
    return (
      <Page title={texts.failed.title}>
        <Failure error={failed.error} onRetry={() => void failed.refetch()} />
        <Link to="/failed">{texts.failed.all}</Link>
      </Page>
    );
  return (
    <Page title={failed.data.name}>
      <p className="muted">
        <Link to="/failed">{texts.failed.all}</Link> · {texts.failed.states[failed.data.state]}
      </p>
      <div className="beside reason-first">
        <div>
          <Reason failed={failed.data} />
          {failed.data.forms.includes('markdown') ? <Converted failedId={failedId} /> : null}
        </div>
        <Original failed={failed.data} />
      </div>
    </Page>
  );
}

function Reason({ failed }: { failed: FailedDocumentDetail }) {
  const actions = useFailureActions(() => undefined);
  const { id, code, meaning, message, operator, flow_name: flow, job_run_id: runId, state } = failed;
  const facts = [
    [texts.failed.code, <code key="code">{code}</code>],
    [texts.failed.operator, operator],
    [
      texts.failed.flow,
      <Link key="run" to={`/runs/${runId}`}>
        {flow}
      </Link>,
    ],
    [texts.failed.first, formatTime(failed.first_failed_at)],
    [texts.failed.last, formatTime(failed.failed_at)],
  ] as const;
  return (
    <Panel title={texts.failed.why}>
      <p>
        <b>{meaning}</b>
      </p>
      <p>
        <Prose text={message} />
      </p>
      {texts.failed.advice[code] ? <p>{texts.failed.advice[code]}</p> : null}
      <ValueList values={facts} />
      <div className="actions review-actions">
        <FailureButtons ids={[id]} state={state} actions={actions} />
      </div>
      <Outcome actions={actions} />
    </Panel>
  );
}

/** The pages of the file as it failed, or why none are shown. */
function Original({ failed: { id, forms, page_count: pages, not_shown: problem } }: { failed: FailedDocumentDetail }) {
  const hasFile = forms.includes('original');
  return (
    <Panel title={texts.failed.original}>
      {pages === null ? null : <Pages failedId={id} pages={pages} />}
      {problem ? (
        <Alert color="gray" variant="outline" title={texts.failed.notShown} mb={12}>
          <p>{problem.message}</p>
        </Alert>
      ) : null}
      {pages === null && !problem ? <p>{hasFile ? texts.failed.noPages : texts.failed.notKept}</p> : null}
      {hasFile ? (
        <Button component="a" variant="default" mt={12} href={`${failedPath(id)}/original`} download>
          {texts.failed.download}
        </Button>
      ) : null}
    </Panel>
  );
}

function Pages({ failedId, pages }: { failedId: string; pages: number }) {
  const { query } = usePlace();
  const page = Math.min(pages, Math.max(1, Number(query.get('page')) || 1));
  const [failedPage, setFailedPage] = useState<number>();
  return (
    <>
      {pages > 1 ? (
        <div className="filters turner">
          <PageTurner
            name={texts.pages.page}
            numbers={Array.from({ length: pages }, (_, index) => index + 1)}
            page={page}
            onPage={(to) => setQuery({ page: String(to) })}
          />
        </div>
      ) : null}
      {failedPage === page ? (
        <Alert color="gray" variant="outline">
          {texts.failed.notDrawn(String(page))}
        </Alert>
      ) : (
        <img
          key={page}
          className="page-image"
          src={failedPageImagePath(failedId, page)}
          alt={`${texts.pages.page} ${page}`}
          onError={() => setFailedPage(page)}
        />
      )}
    </>
  );
}

/** The beginning of the text, for a document that failed in a later step. */
function Converted({ failedId }: { failedId: string }) {
  const markdown = useQuery({
    queryKey: ['failed', 'one', failedId, 'markdown'],
    queryFn: () => api.failedDocuments.markdown(failedId),
    retry: false,
  });
  return (
    <Panel title={texts.failed.converted}>
      <QueryState query={markdown} />
      {markdown.data === undefined ? null : (
        <pre className="text whole" tabIndex={0} aria-label={texts.failed.converted}>
          {markdown.data.slice(0, maxCharacters)}
        </pre>
      )}
    </Panel>
  );
}

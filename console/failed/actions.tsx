import { Alert, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api';
import { Failure } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';

type State = 'failed' | 'left_out' | 'ignored';
export type FailureActions = ReturnType<typeof useFailureActions>;

/** The actions on selected documents. The selection is cleared when an action begins, and restored if it fails. */
export function useFailureActions(select: (ids: readonly string[]) => void) {
  const queries = useQueryClient();
  // Not cleared when the action ends: by then the user may have selected other documents.
  const onMutate = () => select([]);
  const onError = (_: unknown, { ids }: { ids: string[] }) => select(ids);
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['failed'] });
  const shared = { onMutate, onError, onSuccess };
  const retry = useMutation({
    mutationFn: ({ ids }: { ids: string[] }) => api.failedDocuments.retry({ ids }),
    ...shared,
  });
  const leave = useMutation({
    mutationFn: ({ ids, leaveOut }: { ids: string[]; leaveOut: boolean }) =>
      api.failedDocuments.leaveOut({ ids }, leaveOut),
    ...shared,
  });
  const ignore = useMutation({
    mutationFn: ({ ids, isIgnored }: { ids: string[]; isIgnored: boolean }) =>
      api.failedDocuments.ignore({ ids }, isIgnored),
    ...shared,
  });
  return { retry, leave, ignore };
}

/** Buttons for a retry, and for the changes that are possible in this state. */
export function FailureButtons({
  ids,
  state,
  actions: { retry, leave, ignore },
}: {
  ids: string[];
  state: State;
  actions: FailureActions;
}) {
  const isLeftOut = state === 'left_out';
  const isIgnored = state === 'ignored';
  return (
    <>
      <Button size="xs" loading={retry.isPending} onClick={() => retry.mutate({ ids })}>
        {texts.failed.retry}
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={leave.isPending}
        onClick={() => leave.mutate({ ids, leaveOut: !isLeftOut })}
      >
        {isLeftOut ? texts.failed.include : texts.failed.leaveOut}
      </Button>
      {isLeftOut ? null : (
        <Button
          size="xs"
          variant="default"
          loading={ignore.isPending}
          title={texts.failed.ignoreHelp}
          onClick={() => ignore.mutate({ ids, isIgnored: !isIgnored })}
        >
          {isIgnored ? texts.failed.stopIgnoring : texts.failed.ignore}
        </Button>
      )}
    </>
  );
}

/** The results of the latest actions, or why they failed. */
export function Outcome({ actions: { retry, leave, ignore } }: { actions: FailureActions }) {
  const error = retry.error ?? leave.error ?? ignore.error;
  const latest = ignore.submittedAt > leave.submittedAt ? ignore : leave;
  return (
    <>
      <div role="status">
        {retry.data ? <Retried {...retry.data} /> : null}
        {latest.data ? (
          <Alert color="gray" variant="outline" mb={12}>
            {texts.failed.changed(latest.data.changed)}
          </Alert>
        ) : null}
      </div>
      {error ? <Failure error={error} /> : null}
    </>
  );
}

function Retried({ runs, refused }: Awaited<ReturnType<typeof api.failedDocuments.retry>>) {
  const count = runs.reduce((sum, { documents }) => sum + documents, 0);
  return (
    <Alert color={refused.length > 0 ? 'orange' : 'green'} variant="outline" mb={12}>
      {runs.length > 0 ? <p>{texts.failed.retried(runs.length, count)}</p> : null}
      {runs.map(({ job_run_id: runId, flow_name }) => (
        <p key={runId}>
          <Link to={`/runs/${runId}`}>
            {texts.failed.toRun} ({flow_name})
          </Link>
        </p>
      ))}
      {refused.map(({ job_run_id: runId, documents, message }) => (
        <p key={runId}>{texts.failed.refused(documents, message)}</p>
      ))}
    </Alert>
  );
}

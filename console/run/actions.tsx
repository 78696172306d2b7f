import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { JobRunReply } from '../../client';
import { api } from '../api';
import { Failure } from '../parts/page';
import { activeStates } from '../parts/state';
import { navigate } from '../router';
import { texts } from '../texts';

/** The actions on a run: cancel while it is active, repeat afterwards. */
export function RunActions({ run }: { run: JobRunReply }) {
  const queries = useQueryClient();
  const [isSure, setSure] = useState(false);
  const isActive = activeStates.includes(run.status);
  const cancel = useMutation({
    mutationFn: () => api.jobRuns.cancel(run.job_run_id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['run', run.job_run_id] }),
    onSettled: () => setSure(false),
  });
  const rerun = useMutation({
    mutationFn: (mode: 'all' | 'failed') => api.jobRuns.rerun(run.job_run_id, { mode }),
    onSuccess: ({ job_run_id: next }) => navigate(`/runs/${next}`),
  });
  const error = cancel.error ?? rerun.error;
  if (error) return <Failure error={error} isAction />;
  if (isSure)
    return (
      <span role="alert" className="actions">
        {texts.run.cancelSure}
        <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          {texts.run.cancel}
        </Button>
        <Button variant="default" onClick={() => setSure(false)}>
          {texts.run.keep}
        </Button>
      </span>
    );
  return (
    <>
      {isActive ? (
        <Button variant="default" disabled={run.status === 'CANCELING'} onClick={() => setSure(true)}>
          {texts.run.cancel}
        </Button>
      ) : (
        <>
          <Button component="a" variant="default" href={`/api/v1/job_runs/${run.job_run_id}/report`} download>
            {texts.run.report}
          </Button>
          {run.totals.failed > 0 ? (
            <Button variant="default" loading={rerun.isPending} onClick={() => rerun.mutate('failed')}>
              {texts.run.rerunFailed}
            </Button>
          ) : null}
          <Button variant="default" loading={rerun.isPending} onClick={() => rerun.mutate('all')}>
            {texts.run.rerunAll}
          </Button>
        </>
      )}
    </>
  );
}

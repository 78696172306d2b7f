import { Alert, Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { JobRunControls } from '../../client';
import { api } from '../api';
import { Failure, Panel } from '../parts/page';
import { texts } from '../texts';

const maxBatches = 64;

/**
 * Pauses and resumes an active run, and sets how many of its batches run in parallel. Renders nothing while the run accepts no
 * control.
 */
export function RunControls({ runId }: { runId: string }) {
  const queries = useQueryClient();
  const queryKey = ['run', runId, 'controls'];
  const controls = useQuery({
    queryKey,
    queryFn: () => api.jobRuns.controls(runId),
    refetchInterval: 4_000,
    // A run that is queued or has just ended has no controls; the next refresh updates this.
    retry: false,
  });
  const change = useMutation({
    mutationFn: (send: () => Promise<JobRunControls>) => send(),
    onSuccess: (changed) => queries.setQueryData(queryKey, changed),
    onError: () => void queries.invalidateQueries({ queryKey }),
  });
  if (controls.isError || !controls.data) return null;
  const { is_paused: isPaused, max_concurrent_batches: batches } = controls.data;
  return (
    <Panel title={texts.controls.title}>
      <div role="status">
        {isPaused ? (
          <Alert color="orange" variant="outline" mb={16}>
            {texts.controls.paused}
          </Alert>
        ) : null}
      </div>
      <div className="filters level">
        <Button
          variant={isPaused ? 'filled' : 'default'}
          loading={change.isPending}
          onClick={() => change.mutate(() => (isPaused ? api.jobRuns.resume(runId) : api.jobRuns.pause(runId)))}
        >
          {isPaused ? texts.controls.resume : texts.controls.pause}
        </Button>
        <Concurrency
          key={batches}
          batches={batches}
          isPending={change.isPending}
          onChange={(count) => change.mutate(() => api.jobRuns.setConcurrency(runId, count))}
        />
      </div>
      {change.isError ? <Failure error={change.error} title={texts.controls.failed} isAction /> : null}
    </Panel>
  );
}

function Concurrency({
  batches,
  isPending,
  onChange,
}: {
  batches: number;
  isPending: boolean;
  onChange: (batches: number) => void;
}) {
  const [countText, setCountText] = useState(String(batches));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(Number(countText));
  };
  return (
    <form className="filters level" onSubmit={submit}>
      <TextInput
        type="number"
        label={texts.controls.batches}
        min={1}
        max={maxBatches}
        step={1}
        required
        withAsterisk={false}
        value={countText}
        onChange={({ currentTarget: { value } }) => setCountText(value)}
      />
      <Button type="submit" variant="default" disabled={isPending || countText === String(batches)}>
        {texts.controls.change}
      </Button>
    </form>
  );
}

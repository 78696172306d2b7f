import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { FlowDefinition } from '../../client';
import { api } from '../api';
import { formatCount } from '../format';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { activeStates } from '../parts/state';
import { Link, navigate } from '../router';
import { texts } from '../texts';
import { RunTable } from './runs';

const dayMs = 24 * 60 * 60 * 1000;

/** What needs attention; on an empty installation the way to a first run. */
export function HomeScreen() {
  const runs = useQuery({
    queryKey: ['runs', 'home'],
    queryFn: () => api.jobRuns.list({ limit: 100 }),
    refetchInterval: 2_000,
  });
  if (runs.isPending) return <Loading />;
  if (!runs.data)
    return (
      <Page title={texts.home.title}>
        <Failure error={runs.error} onRetry={() => void runs.refetch()} />
      </Page>
    );
  if (runs.data.total === 0)
    return (
      <Page title={texts.home.title}>
        <FirstRun />
      </Page>
    );
  const since = Date.now() - dayMs;
  const day = runs.data.list.filter(({ created_at }) => Date.parse(created_at) >= since);
  const broken = day.filter(({ status }) => status === 'FAILED' || status === 'CRASHED');
  const active = runs.data.list.filter(({ status }) => activeStates.includes(status));
  const sum = (of: (run: (typeof day)[number]) => number) =>
    formatCount(day.reduce((total, run) => total + of(run), 0));
  return (
    <Page title={texts.home.title}>
      <Attention broken={broken.length} />
      <Panel title={texts.home.active}>
        {active.length === 0 ? <Empty>{texts.home.noneActive}</Empty> : <RunTable runs={active} />}
      </Panel>
      <Panel title={texts.home.day}>
        <dl className="facts">
          {[
            [texts.home.dayRuns, formatCount(day.length)],
            [texts.home.dayDocuments, sum(({ completed_docs }) => completed_docs)],
            [texts.home.dayFailed, sum(({ failed_docs }) => failed_docs)],
          ].map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      <Panel title={texts.home.recent}>
        <RunTable runs={runs.data.list.slice(0, 5)} />
      </Panel>
    </Page>
  );
}

function Attention({ broken }: { broken: number }) {
  const failed = useQuery({
    queryKey: ['failed', 'groups', 'code', 'failed'],
    queryFn: () => api.failedDocuments.groups('code', { state: 'failed' }),
    refetchInterval: 5_000,
  });
  const isCalm = broken === 0 && failed.data?.total === 0;
  return (
    <Panel title={texts.home.attention}>
      {failed.isError ? <Failure error={failed.error} /> : null}
      {isCalm ? <Empty>{texts.home.nothing}</Empty> : null}
      {failed.data && failed.data.total > 0 ? (
        <>
          <p>
            <Link to="/failed">{texts.home.failedDocuments(failed.data.total)}</Link>
          </p>
          <ul className="groups">
            {failed.data.groups.slice(0, 8).map(({ key, count }) => (
              <li key={key}>
                <Link className="chip" to={`/failed?group=${encodeURIComponent(key)}`}>
                  {key} <b>{formatCount(count)}</b>
                </Link>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {broken > 0 ? (
        <p>
          <Link to="/runs?state=FAILED">{texts.home.failedRuns(broken)}</Link>
        </p>
      ) : null}
    </Panel>
  );
}

function FirstRun() {
  const [folder, setFolder] = useState('');
  const start = useMutation({
    mutationFn: async () => {
      const flow = await api.flows.create(searchable(folder));
      return api.jobRuns.create({ flow_id: flow.flow_id });
    },
    onSuccess: ({ job_run_id: runId }) => navigate(`/runs/${runId}`),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <Panel title={texts.home.start}>
      <ol className="steps">
        <li>
          <strong>{texts.home.step1}</strong>
          <p>{texts.home.step1Text}</p>
        </li>
        <li>
          <strong>{texts.home.step2}</strong>
          <p>{texts.home.step2Text}</p>
          <form className="filters" onSubmit={submit}>
            <TextInput
              className="grow"
              label={texts.home.folder}
              placeholder="/srv/documents"
              value={folder}
              onChange={(event) => setFolder(event.currentTarget.value)}
              required
            />
            <Button type="submit" loading={start.isPending}>
              {texts.home.begin}
            </Button>
          </form>
          {start.isError ? <Failure error={start.error} /> : null}
        </li>
        <li>
          <strong>{texts.home.step3}</strong>
          <p>
            {texts.home.step3Text} <Link to="/search">{texts.home.toSearch}</Link>
          </p>
        </li>
      </ol>
    </Panel>
  );
}

/** The flow that makes the documents of a folder searchable by words and by meaning, without any model to be fetched. */
function searchable(folder: string): FlowDefinition {
  return {
    flow_name: `Search ${folder}`.slice(0, 200),
    description: texts.home.step2Text,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'filesystem', connection_params: { paths: [folder] } },
      },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: {} },
      { type: 'chunker', name: 'chunk', depends_on: ['extract'], config: { chunk_type: 'simple' } },
      { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: { type: 'hashing' } },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['embed'],
        config: { provider: 'opensearch', index_name: 'documents' },
      },
    ],
  };
}

import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { JobRunReply, RunComparison } from '../../client';
import { api } from '../api';
import { formatCount, formatDuration, formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, FactList, Failure, Loading, Panel } from '../parts/page';
import { Link, setQuery, usePlace } from '../router';
import { texts } from '../texts';

/** Maximum number of runs to choose from. */
const maxRuns = 100;
/** Maximum number of document names per list. */
const limit = 50;

/** The differences between this run and another run of its flow. The address names the other run. */
export function RunCompare({ run }: { run: JobRunReply }) {
  const base = usePlace().query.get('base') ?? '';
  const others = useQuery({
    queryKey: ['run', run.job_run_id, 'others'],
    queryFn: () => api.jobRuns.list({ job_id: run.job_id, limit: maxRuns }),
  });
  const choices = (others.data?.list ?? []).filter(({ job_run_id: id }) => id !== run.job_run_id);
  return (
    <Panel title={texts.compare.title}>
      {others.isError ? <Failure error={others.error} onRetry={() => void others.refetch()} /> : null}
      {others.data && choices.length === 0 ? <Empty>{texts.compare.none}</Empty> : null}
      {choices.length > 0 ? (
        <div className="filters">
          <NativeSelect
            label={texts.compare.with}
            value={base}
            data={[
              { value: '', label: texts.compare.choose },
              ...choices.map(({ job_run_id: value, created_at: at, status, sample }) => ({
                value,
                label: `${formatTime(at)}, ${texts.states[status] ?? status}${sample ? `, ${texts.sample.word}` : ''}`,
              })),
            ]}
            onChange={({ currentTarget: { value } }) => setQuery({ base: value })}
          />
        </div>
      ) : null}
      {base === '' ? null : <Comparison runId={run.job_run_id} base={base} />}
    </Panel>
  );
}

function Comparison({ runId, base }: { runId: string; base: string }) {
  const compared = useQuery({
    queryKey: ['run', runId, 'compare', base],
    queryFn: () => api.jobRuns.compare(runId, base, { limit }),
    retry: false,
  });
  if (compared.isPending) return <Loading />;
  if (!compared.data) return <Failure error={compared.error} onRetry={() => void compared.refetch()} />;
  const { documents, operators } = compared.data;
  return (
    <>
      <p>
        <Link to={`/runs/${base}`}>{texts.compare.open}</Link>
      </p>
      {documents ? <Documents documents={documents} /> : <Empty>{texts.compare.tooLarge}</Empty>}
      <ListTable label={texts.compare.steps} columns={columns} rows={operators} keyOf={({ name }) => name} />
    </>
  );
}

const kinds = ['added', 'removed', 'changed', 'failed', 'recovered'] as const;

function Documents({ documents }: { documents: NonNullable<RunComparison['documents']> }) {
  return (
    <>
      <FactList facts={kinds.map((kind) => [texts.compare.kinds[kind], formatCount(documents[kind].total)])} />
      {kinds
        .filter((kind) => documents[kind].total > 0)
        .map((kind) => (
          <details key={kind}>
            <summary>{texts.compare.list(texts.compare.kinds[kind], formatCount(documents[kind].total))}</summary>
            <ul className="names-list">
              {documents[kind].documents.map(({ document_id: id, name }) => (
                <li key={id}>{name || id}</li>
              ))}
            </ul>
            {documents[kind].total > documents[kind].documents.length ? (
              <p className="muted">
                {texts.compare.more(formatCount(documents[kind].total - documents[kind].documents.length))}
              </p>
            ) : null}
          </details>
        ))}
    </>
  );
}

type ComparedRow = RunComparison['operators'][number];
type ComparedOperator = NonNullable<ComparedRow['run']>;

/** Shows a figure of both runs. */
function showPair(read: (operator: ComparedOperator) => string): (row: ComparedRow) => string {
  const readOrAbsent = (operator: ComparedOperator | null) => (operator ? read(operator) : texts.compare.absent);
  return ({ run, base }) => texts.compare.pair(readOrAbsent(run), readOrAbsent(base));
}

const columns: readonly Column<ComparedRow>[] = [
  { title: texts.rows.step, kind: 'name', cell: ({ name }) => name },
  { title: texts.compare.in, kind: 'num', cell: showPair(({ in: count }) => formatCount(count)) },
  { title: texts.compare.out, kind: 'num', cell: showPair(({ out }) => formatCount(out)) },
  { title: texts.run.failed, kind: 'num', cell: showPair(({ failed }) => formatCount(failed)) },
  { title: texts.run.skipped, kind: 'num', cell: showPair(({ skipped }) => formatCount(skipped)) },
  { title: texts.compare.time, kind: 'num', cell: showPair(({ seconds }) => formatDuration(seconds)) },
];

import type { JobRunReply } from '../../client';
import { texts } from '../texts';
import { describeBatch } from './plan';

/** The API reports at most this many batches per run. */
const maxBatches = 1_000;

/** A square for each finished batch of each operator, coloured by its outcome. */
export function RunBatches({ run }: { run: JobRunReply }) {
  const batches = run.batches ?? [];
  if (batches.length === 0) return <p className="muted">{texts.run.noBatches}</p>;
  const operators = run.operators
    .map(({ name }) => name)
    .filter((name) => batches.some((batch) => batch.operator === name));
  return (
    <>
      <p className="state-note">
        {texts.run.batchesHelp}
        {batches.length >= maxBatches ? ` ${texts.run.firstBatches(maxBatches)}` : null}{' '}
        <a href={buildTemporalLink(run)} target="_blank" rel="noreferrer">
          {texts.run.temporalBatches}
        </a>
      </p>
      <div className="strip">
        {operators.map((operator) => (
          <Row key={operator} operator={operator} batches={batches.filter((batch) => batch.operator === operator)} />
        ))}
      </div>
    </>
  );
}

/** The address of the list of the run and its batches in the Temporal UI. */
function buildTemporalLink({ temporal_ui: ui, job_run_id: id }: JobRunReply): string {
  const namespaceUrl = ui.slice(0, ui.indexOf('/workflows/'));
  return `${namespaceUrl}/workflows?query=${encodeURIComponent(`JobRunId = "${id}"`)}`;
}

function Row({ operator, batches }: { operator: string; batches: NonNullable<JobRunReply['batches']> }) {
  return (
    <>
      <span>{operator}</span>
      <ul aria-label={operator}>
        {batches.map(({ part, out, failed }) => {
          const label =
            failed > 0
              ? texts.run.batchFailed(operator, describeBatch(part), failed)
              : texts.run.batchDone(operator, describeBatch(part), out);
          return (
            <li key={part} data-tone={failed > 0 ? 'failed' : 'done'} title={label}>
              <span className="visually-hidden">{label}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

import type { Overview } from '../../client';
import { formatDuration, formatTime } from '../format';
import { Link } from '../router';
import { texts } from '../texts';

/** The number of lines that `Alerts` shows. */
export function countAlerts({ waiting, skipping_schedules: skipping, stale_access: stale }: Overview): number {
  // If Temporal does not answer, that is an alert itself.
  return waiting.length + (skipping?.length ?? 1) + stale.length;
}

/**
 * Runs that wait, schedules that skip, and access lists that are too old, each with a link to where it can be fixed.
 */
export function Alerts({ overview }: { overview: Overview }) {
  const { waiting, skipping_schedules: skipping, stale_access: stale } = overview;
  return (
    <ul className="alerts">
      {waiting.map(({ job_run_id: id, flow_name: flow, operator, message, since }) => (
        <li key={id}>
          <Link to={`/runs/${id}`}>{texts.home.waits(flow)}</Link>
          <span className="state-note below">{texts.run.waiting(`${operator}: ${message}`, formatTime(since))}</span>
        </li>
      ))}
      {stale.map(({ flow_id: id, flow_name: flow, age_seconds: age, is_closed: isClosed, code }) => (
        <li key={id}>
          <Link to={`/flows/${id}`}>{texts.home.stale(flow, formatDuration(age))}</Link>
          {isClosed || code !== null ? (
            <span className="state-note below">
              {[isClosed ? texts.home.closed : '', code ?? ''].filter(Boolean).join(' ')}
            </span>
          ) : null}
        </li>
      ))}
      {(skipping ?? []).map(({ flow_id: id, flow_name: flow, schedule_id: schedule, skipped_runs: count }) => (
        <li key={schedule}>
          <Link to={`/flows/${id}`}>{texts.home.skips(flow, count)}</Link>
        </li>
      ))}
      {skipping === null ? <li>{texts.home.noTemporal}</li> : null}
    </ul>
  );
}

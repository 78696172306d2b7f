import { useQuery } from '@tanstack/react-query';
import type { Overview } from '../../client';
import { api } from '../api';
import { formatCount } from '../format';
import { Alerts, countAlerts } from '../home/alerts';
import { LastDay } from '../home/last-day';
import { Empty, Failure, Loading, Page, Panel } from '../parts/page';
import { activeStates, brokenStates } from '../parts/state';
import { Link } from '../router';
import { texts } from '../texts';
import { AddDocuments } from './add';
import { RunTable } from './runs';

const dayMs = 24 * 60 * 60 * 1_000;
/** Maximum number of codes of failed documents, and of latest runs. */
const maxCodes = 8;
const maxRecent = 5;

/** Items that need attention; on an empty installation, the steps to a first run. */
export function HomeScreen() {
  const runs = useQuery({
    queryKey: ['runs', 'home'],
    queryFn: () => api.jobRuns.list({ limit: 100 }),
    refetchInterval: 2_000,
  });
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: () => api.overview(),
    refetchInterval: 10_000,
  });
  const { failed, reviews } = useAttention();
  // If panels appeared one by one, they would push each other down.
  if ([runs, overview, failed, reviews].some(({ isPending }) => isPending)) return <Loading />;
  if (!runs.data)
    return (
      <Page title={texts.home.title}>
        <Failure error={runs.error} onRetry={() => void runs.refetch()} />
      </Page>
    );
  if (runs.data.total === 0)
    return (
      <Page title={texts.home.title}>
        <p className="lead">{texts.home.start}</p>
        <AddDocuments />
      </Page>
    );
  const since = Date.now() - dayMs;
  const failedRuns = runs.data.list.filter(
    ({ status, created_at: at }) => brokenStates.split(',').includes(status) && Date.parse(at) >= since,
  );
  const active = runs.data.list.filter(({ status }) => activeStates.includes(status));
  return (
    <Page title={texts.home.title}>
      <Attention failedRuns={failedRuns.length} overview={overview.data} failed={failed} reviews={reviews} />
      <Panel title={texts.home.active}>
        {active.length === 0 ? <Empty>{texts.home.noneActive}</Empty> : <RunTable runs={active} />}
      </Panel>
      {overview.isError ? <Failure error={overview.error} onRetry={() => void overview.refetch()} /> : null}
      {overview.data ? <LastDay overview={overview.data} updatedAt={overview.dataUpdatedAt} /> : null}
      <Panel title={texts.home.recent}>
        <RunTable runs={runs.data.list.slice(0, maxRecent)} />
      </Panel>
    </Page>
  );
}

/** The failed documents by code, and the number of documents to review. */
function useAttention() {
  const failed = useQuery({
    queryKey: ['failed', 'groups', 'code', 'failed'],
    queryFn: () => api.failedDocuments.groups('code', { state: 'failed' }),
    refetchInterval: 5_000,
  });
  const reviews = useQuery({
    queryKey: ['reviews', 'home'],
    queryFn: () => api.reviews.list({ state: 'open', limit: 1 }),
    refetchInterval: 5_000,
  });
  return { failed, reviews };
}

function Attention({
  failedRuns,
  overview,
  failed,
  reviews,
}: { failedRuns: number; overview: Overview | undefined } & ReturnType<typeof useAttention>) {
  const isQuiet =
    failedRuns === 0 &&
    failed.data?.total === 0 &&
    reviews.data?.total === 0 &&
    overview !== undefined &&
    countAlerts(overview) === 0;
  return (
    <Panel title={texts.home.attention}>
      {failed.isError ? <Failure error={failed.error} /> : null}
      {isQuiet ? <Empty>{texts.home.nothing}</Empty> : null}
      {overview && countAlerts(overview) > 0 ? <Alerts overview={overview} /> : null}
      {failed.data && failed.data.total > 0 ? (
        <>
          <p>
            <Link to="/failed">{texts.home.failedDocuments(failed.data.total)}</Link>
          </p>
          <ul className="groups">
            {failed.data.groups.slice(0, maxCodes).map(({ key, name, count }) => (
              <li key={key}>
                <Link className="chip" title={key} to={`/failed?group=${encodeURIComponent(key)}`}>
                  {name.replace(/\.$/, '')} <b>{formatCount(count)}</b>
                </Link>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {reviews.data && reviews.data.total > 0 ? (
        <p>
          <Link to="/review">{texts.home.reviews(reviews.data.total)}</Link>
        </p>
      ) : null}
      {failedRuns > 0 ? (
        <p>
          <Link to={`/runs?state=${brokenStates}`}>{texts.home.failedRuns(failedRuns)}</Link>
        </p>
      ) : null}
    </Panel>
  );
}

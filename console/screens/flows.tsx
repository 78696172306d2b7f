import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../api';
import { formatTime } from '../format';
import { Empty, Failure, Loading, Page } from '../parts/page';
import { Pager } from '../parts/pager';
import { hrefOf, Link, setQuery, usePlace } from '../router';
import { texts } from '../texts';

const limit = 50;

/** The flows that one may see. */
export function FlowsScreen() {
  const { query } = usePlace();
  const offset = Math.max(0, Number(query.get('offset')) || 0);
  const flows = useQuery({
    queryKey: ['flows', offset],
    queryFn: () => api.flows.list({ limit, offset }),
    placeholderData: keepPreviousData,
  });
  const create = (
    <Button component="a" href={hrefOf('/flows/new')}>
      {texts.flow.create}
    </Button>
  );
  return (
    <Page title={texts.flow.all} actions={create}>
      {flows.isPending ? <Loading /> : null}
      {flows.isError ? <Failure error={flows.error} onRetry={() => void flows.refetch()} /> : null}
      {flows.data ? (
        <section className="panel" aria-label={texts.flow.all}>
          {flows.data.flows.length === 0 ? <Empty>{texts.flow.none}</Empty> : null}
          <ul className="files">
            {flows.data.flows.map((flow) => (
              <li key={flow.flow_id}>
                <span className="file-name">
                  <Link to={`/flows/${flow.flow_id}`}>{'flow_name' in flow ? flow.flow_name : flow.name}</Link>
                </span>
                <span className="muted">{formatTime(flow.modified_on)}</span>
                <Link to={`/runs?flow=${flow.flow_id}`}>{texts.runs.title}</Link>
              </li>
            ))}
          </ul>
          <Pager
            offset={offset}
            limit={limit}
            total={flows.data.total_count}
            updatedAt={flows.dataUpdatedAt}
            onOffset={(next) => setQuery({ offset: next === 0 ? undefined : String(next) })}
          />
        </section>
      ) : null}
    </Page>
  );
}

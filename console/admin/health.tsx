import { useQuery } from '@tanstack/react-query';
import { api } from '../api';
import { formatClock } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { Panel, QueryState } from '../parts/page';
import { texts } from '../texts';

type Welcome = Awaited<ReturnType<typeof api.welcome>>;

interface Check {
  name: string;
  ok: boolean;
  reason?: string;
  ms: number;
}

const columns: readonly Column<Check>[] = [
  { title: texts.health.server, kind: 'name', cell: ({ name }) => texts.health.servers[name] ?? name },
  {
    title: texts.health.state,
    cell: ({ ok }) => (
      <span className="state" data-tone={ok ? 'done' : 'failed'}>
        {ok ? texts.health.ok : texts.health.away}
      </span>
    ),
  },
  { title: texts.health.time, kind: 'num', cell: ({ ms }) => texts.health.ms(ms < 10 ? ms.toFixed(1) : ms.toFixed(0)) },
  { title: texts.health.reason, kind: 'long', cell: ({ reason }) => reason },
];

/** The availability of the servers, and the version of the product. */
export function Health() {
  const ready = useQuery({ queryKey: ['ready'], queryFn: () => api.ready(), refetchInterval: 5_000 });
  const welcome = useQuery({ queryKey: ['welcome'], queryFn: () => api.welcome() });
  const checks = Object.entries(ready.data?.checks ?? {}).map(([name, check]) => ({ name, ...check }));
  const isReady = ready.data?.status === 'ready';
  return (
    <>
      <QueryState query={ready} />
      {ready.data ? (
        <Panel title={texts.health.title}>
          <p role="status" className="state" data-tone={isReady ? 'done' : 'failed'}>
            {isReady ? texts.health.ready : texts.health.notReady}
          </p>
          <ListTable label={texts.health.title} columns={columns} rows={checks} keyOf={({ name }) => name} />
          <p className="state-note">{texts.common.updated(formatClock(ready.dataUpdatedAt))}</p>
        </Panel>
      ) : null}
      {welcome.data ? (
        <Panel title={texts.health.versions}>
          <dl className="facts">
            <div>
              <dt>{texts.health.version}</dt>
              <dd>{welcome.data.version}</dd>
            </div>
          </dl>
          <p className="actions">
            {listAddresses(welcome.data).map(([label, address]) => (
              <a key={label} className="action-link" href={address} target="_blank" rel="noreferrer">
                {label}
              </a>
            ))}
          </p>
        </Panel>
      ) : null}
    </>
  );
}

/** The labels and addresses of the services that this server knows. */
function listAddresses({ addresses }: Welcome): [label: string, address: string][] {
  const { temporal_ui: temporal, docs: reference, conversion } = addresses;
  const services: [string, string | null | undefined][] = [
    [texts.health.temporal, temporal],
    [texts.health.reference, reference],
    [texts.health.conversion, conversion],
  ];
  return services.flatMap(([label, address]) => (address ? [[label, address]] : []));
}

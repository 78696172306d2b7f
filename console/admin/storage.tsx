import { useQuery } from '@tanstack/react-query';
import type { StorageReport } from '../../client';
import { api } from '../api';
import { formatBytes, formatCount, formatTime } from '../format';
import { type Column, ListTable } from '../parts/list-table';
import { FactList, Empty, Failure, Loading, Panel } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';

type FlowStorage = StorageReport['flows'][number];
type IndexStorage = NonNullable<StorageReport['indexes']>[number];

/** The storage in use: by kind of data, flow, project and index. */
export function Storage() {
  const result = useQuery({ queryKey: ['storage'], queryFn: () => api.storage(), staleTime: 60_000 });
  if (result.isPending) return <Loading />;
  if (!result.data) return <Failure error={result.error} onRetry={() => void result.refetch()} />;
  const { flows, projects, indexes } = result.data;
  return (
    <>
      <Totals report={result.data} />
      <Panel title={texts.storage.flows}>
        <p className="muted">{texts.storage.flowsHelp}</p>
        {flows.length === 0 ? (
          <Empty>{texts.storage.noFlows}</Empty>
        ) : (
          <ListTable
            label={texts.storage.flows}
            columns={listFlowColumns(new Map(projects.map(({ project_id: id, name }) => [id, name ?? id])))}
            rows={flows}
            keyOf={({ flow_id: id }) => id}
          />
        )}
      </Panel>
      {projects.length > 0 ? (
        <Panel title={texts.storage.projects}>
          <ListTable
            label={texts.storage.projects}
            columns={projectColumns}
            rows={projects}
            keyOf={({ project_id: id }) => id}
          />
        </Panel>
      ) : null}
      <Panel title={texts.storage.indexes}>
        {indexes === null ? <Empty>{texts.storage.away}</Empty> : null}
        {indexes?.length === 0 ? <Empty>{texts.storage.noIndexes}</Empty> : null}
        {indexes && indexes.length > 0 ? (
          <ListTable
            label={texts.storage.indexes}
            columns={indexColumns}
            rows={indexes}
            keyOf={({ name }: IndexStorage) => name}
          />
        ) : null}
      </Panel>
    </>
  );
}

function Totals({ report }: { report: StorageReport }) {
  const sum = (entries: readonly { bytes: number }[]) => entries.reduce((total, { bytes }) => total + bytes, 0);
  const formatKnownBytes = (bytes: number | null) => (bytes === null ? texts.storage.unknown : formatBytes(bytes));
  const files = sum(report.files);
  const indexes = report.indexes === null ? null : sum(report.indexes);
  const facts: [string, string][] = [
    [texts.storage.total, formatBytes(files + (report.database_bytes ?? 0) + (indexes ?? 0))],
    [texts.storage.files, formatBytes(files)],
    [texts.storage.database, formatKnownBytes(report.database_bytes)],
    [texts.storage.indexes, formatKnownBytes(indexes)],
  ];
  return (
    <Panel title={texts.storage.title}>
      <FactList facts={facts} />
      {report.is_complete ? null : <p>{texts.storage.incomplete}</p>}
      <ListTable
        label={texts.storage.kinds}
        columns={kindColumns}
        rows={report.files}
        keyOf={({ kind }: KindStorage) => kind}
      />
      <p className="state-note">{texts.storage.measured(formatTime(report.measured_at))}</p>
    </Panel>
  );
}

type KindStorage = StorageReport['files'][number];
const kindColumns: readonly Column<KindStorage>[] = [
  { title: texts.storage.kind, kind: 'name', cell: ({ kind }) => texts.storage.names[kind] ?? kind },
  { title: texts.storage.count, kind: 'num', cell: ({ files }) => formatCount(files) },
  { title: texts.storage.size, kind: 'num', cell: ({ bytes }) => formatBytes(bytes) },
];
const indexColumns: readonly Column<IndexStorage>[] = [
  { title: texts.storage.index, kind: 'name', cell: ({ name }) => name },
  { title: texts.storage.records, kind: 'num', cell: ({ records }) => formatCount(records) },
  { title: texts.storage.size, kind: 'num', cell: ({ bytes }) => formatBytes(bytes) },
];
const projectColumns: readonly Column<StorageReport['projects'][number]>[] = [
  {
    title: texts.storage.project,
    kind: 'name',
    cell: ({ project_id: id, name }) => <Link to={`/projects/${id}`}>{name ?? id}</Link>,
  },
  { title: texts.storage.size, kind: 'num', cell: ({ bytes }) => formatBytes(bytes) },
];

/** Shows zero as a dash, so that used storage stands out. */
function formatSize(bytes: number): string {
  return bytes === 0 ? '–' : formatBytes(bytes);
}

function listFlowColumns(projects: ReadonlyMap<string, string>): Column<FlowStorage>[] {
  return [
    {
      title: texts.storage.flow,
      kind: 'name',
      cell: ({ flow_id: id, flow_name: name }) =>
        name === null ? texts.storage.removed(id) : <Link to={`/flows/${id}`}>{name}</Link>,
    },
    { title: texts.storage.project, cell: ({ project_id: id }) => (id === null ? '' : (projects.get(id) ?? id)) },
    { title: texts.storage.names['tables'] ?? '', kind: 'num', cell: ({ tables_bytes: bytes }) => formatSize(bytes) },
    {
      title: texts.storage.names['documents'] ?? '',
      kind: 'num',
      cell: ({ documents_bytes: bytes }) => formatSize(bytes),
    },
    { title: texts.storage.names['graphs'] ?? '', kind: 'num', cell: ({ graphs_bytes: bytes }) => formatSize(bytes) },
    { title: texts.storage.total, kind: 'num', cell: ({ bytes }) => formatBytes(bytes) },
  ];
}

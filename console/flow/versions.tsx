import { Button, NativeSelect } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FlowVersionDifference, FlowVersionPage } from '../../client';
import { api } from '../api';
import { formatTime } from '../format';
import { ConfirmButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { Empty, Failure, Panel, QueryState } from '../parts/page';
import { Pager } from '../parts/pager';
import { Value } from '../parts/value';
import { setQuery, usePlace } from '../router';
import { texts } from '../texts';

type Version = FlowVersionPage['versions'][number];

const limit = 10;
/** Maximum number of changed members shown in the list of versions. */
const maxChanges = 4;

/** The versions of a flow, with what changed in each; compares and restores them. `ifMatch` returns the ETag of the displayed flow. */
export function Versions({
  flowId,
  ifMatch,
  onRestored,
}: {
  flowId: string;
  ifMatch: () => string | undefined;
  onRestored: () => Promise<unknown>;
}) {
  const queries = useQueryClient();
  const [offset, setOffset] = useState(0);
  const compared = Number(usePlace().query.get('version')) || undefined;
  const versions = useQuery({
    queryKey: ['flow', flowId, 'versions', offset],
    queryFn: () => api.flowVersions.list(flowId, { limit, offset }),
    placeholderData: keepPreviousData,
  });
  const restore = useMutation({
    mutationFn: async (version: number) => {
      await api.flowVersions.restore(flowId, version, { ifMatch: ifMatch() });
      await onRestored();
      return version;
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['flow', flowId, 'versions'] }),
  });
  return (
    <Panel title={texts.versions.title}>
      <p className="muted">{texts.versions.help}</p>
      <p role="status">{restore.data === undefined ? null : texts.versions.restored(restore.data)}</p>
      {restore.isError ? <Failure error={restore.error} title={texts.versions.failed} isAction /> : null}
      <QueryState query={versions} />
      {versions.data ? (
        <>
          <VersionTable
            versions={versions.data.versions}
            isPending={restore.isPending}
            onRestore={(version) => restore.mutate(version)}
          />
          <Pager
            offset={offset}
            limit={limit}
            total={versions.data.total_count}
            updatedAt={versions.dataUpdatedAt}
            onOffset={setOffset}
          />
          {compared === undefined ? null : (
            <Difference key={compared} flowId={flowId} version={compared} versions={versions.data.versions} />
          )}
        </>
      ) : null}
    </Panel>
  );
}

function VersionTable({
  versions,
  isPending,
  onRestore,
}: {
  versions: readonly Version[];
  isPending: boolean;
  onRestore: (version: number) => void;
}) {
  const columns: Column<Version>[] = [
    {
      title: texts.versions.version,
      kind: 'name',
      cell: ({ version, is_current: isCurrent, restored_from: from }) => (
        <>
          {texts.versions.number(version)}
          {isCurrent ? ` (${texts.versions.current})` : null}
          {from ? <span className="state-note below">{texts.versions.restoredFrom(from)}</span> : null}
        </>
      ),
    },
    { title: texts.versions.saved, kind: 'when', cell: ({ saved_on: at }) => formatTime(at) },
    { title: texts.versions.by, cell: ({ saved_by: by }) => by },
    { title: texts.versions.changes, kind: 'long', cell: (version) => <Changes {...version} /> },
    {
      title: texts.data.actions,
      kind: 'acts',
      cell: (version) => <VersionActions {...{ version, isPending, onRestore }} />,
    },
  ];
  return (
    <ListTable
      label={texts.versions.title}
      columns={columns}
      rows={versions}
      keyOf={({ version }) => String(version)}
    />
  );
}

function VersionActions({
  version: { version, is_current: isCurrent },
  isPending,
  onRestore,
}: {
  version: Version;
  isPending: boolean;
  onRestore: (version: number) => void;
}) {
  return (
    <span className="actions">
      {version > 1 || !isCurrent ? (
        <Button
          size="xs"
          variant="default"
          aria-label={texts.versions.compareOne(version)}
          onClick={() => setQuery({ version: String(version), against: undefined })}
        >
          {texts.versions.compare}
        </Button>
      ) : null}
      {isCurrent ? null : (
        <ConfirmButton
          size="xs"
          label={texts.versions.restore}
          about={texts.versions.restoreOne(version)}
          question={texts.versions.sure}
          isPending={isPending}
          onConfirm={() => onRestore(version)}
        />
      )}
    </span>
  );
}

function Changes({ version, changes, total_changes: total }: Version) {
  if (version === 1) return texts.versions.first;
  const members = changes.slice(0, maxChanges).map((path) => describePointer(path));
  const moreCount = total - members.length;
  return [...members, ...(moreCount > 0 ? [texts.versions.moreChanges(moreCount)] : [])].join(', ');
}

/** Shortens the JSON pointer of a change: `/flow/chunk/config/chunk_size` becomes `chunk › chunk_size`. */
function describePointer(pointer: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [first, ...inFlow] = parts;
  if (first !== 'flow' || inFlow.length === 0) return parts.join(' › ');
  return inFlow.filter((part, index) => !(index === 1 && part === 'config')).join(' › ');
}

/** The differences between a version and another one, by default the previous one. */
function Difference({ flowId, version, versions }: { flowId: string; version: number; versions: readonly Version[] }) {
  const against = Number(usePlace().query.get('against')) || Math.max(1, version - 1);
  const result = useQuery({
    queryKey: ['flow', flowId, 'difference', version, against],
    queryFn: () => api.flowVersions.compare(flowId, version, against),
    retry: false,
  });
  const title = texts.versions.difference(version, against);
  const numbers = [...new Set([...versions.map((loadedVersion) => loadedVersion.version), against])]
    .filter((number) => number !== version)
    .toSorted((value, other) => other - value);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <div className="filters">
        <NativeSelect
          label={texts.versions.against}
          value={String(against)}
          data={numbers.map((number) => ({ value: String(number), label: texts.versions.number(number) }))}
          onChange={({ currentTarget: { value } }) => setQuery({ against: value })}
        />
        <Button variant="default" onClick={() => setQuery({ version: undefined, against: undefined })}>
          {texts.versions.close}
        </Button>
      </div>
      <QueryState query={result} />
      {result.data ? <Differences found={result.data} label={title} /> : null}
    </section>
  );
}

type Change = FlowVersionDifference['differences'][number];

const columns: readonly Column<Change>[] = [
  { title: texts.versions.where, kind: 'name', cell: ({ path }) => describePointer(path) },
  { title: texts.versions.kind, cell: ({ kind }) => texts.versions.kinds[kind] },
  {
    title: texts.versions.before,
    kind: 'long',
    cell: ({ kind, before }) => (kind === 'added' ? '' : <ChangedValue value={before} />),
  },
  {
    title: texts.versions.after,
    kind: 'long',
    cell: ({ kind, after }) => (kind === 'removed' ? '' : <ChangedValue value={after} />),
  },
];

/** A value that changed; the API leaves out long ones. */
function ChangedValue({ value }: { value: unknown }) {
  return value === undefined ? texts.versions.long : <Value value={value} />;
}

function Differences({ found, label }: { found: FlowVersionDifference; label: string }) {
  if (found.differences.length === 0) return <Empty>{texts.versions.same}</Empty>;
  const moreCount = found.total_differences - found.differences.length;
  return (
    <>
      <ListTable label={label} columns={columns} rows={found.differences} keyOf={({ path }) => path} />
      {moreCount > 0 ? <p className="muted">{texts.versions.moreDifferences(moreCount)}</p> : null}
    </>
  );
}

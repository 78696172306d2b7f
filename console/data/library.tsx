import { Button } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { LibraryFile } from '../../client';
import { api } from '../api';
import { formatBytes, formatTime } from '../format';
import { RemoveButton } from '../parts/confirm';
import { type Column, ListTable } from '../parts/list-table';
import { Failure, Loading, Page, Panel } from '../parts/page';
import { Paged, pageSize, useOffset } from '../parts/paged';
import { Link } from '../router';
import { useSession } from '../session';
import { texts } from '../texts';
import { ChosenFiles, useFileChoice } from '../upload/chosen-files';

/** One library: its files, and a form to add files. */
export function LibraryScreen({ libraryId }: { libraryId: string }) {
  const offset = useOffset();
  const { user } = useSession();
  const library = useQuery({
    queryKey: ['library', libraryId],
    queryFn: () => api.documentLibraries.get(libraryId),
  });
  const files = useQuery({
    queryKey: ['library', libraryId, 'files', offset],
    queryFn: () => api.documentLibraries.files(libraryId, { limit: pageSize, offset }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (library.isPending) return <Loading />;
  if (!library.data)
    return (
      <Page title={texts.libraries.title}>
        <Failure error={library.error} />
        <Link to="/data/libraries">{texts.libraries.all}</Link>
      </Page>
    );
  const { name, owner, readers } = library.data;
  const isOwn = owner === user.username;
  return (
    <Page title={name}>
      <p className="muted">
        <Link to="/data/libraries">{texts.libraries.all}</Link> · {texts.data.owner}: {owner}
        {readers.length > 0 ? ` · ${texts.libraries.readers(readers.join(', '))}` : null}
      </p>
      {isOwn ? <AddFiles libraryId={libraryId} /> : null}
      <Paged title={texts.libraries.files} found={files} empty={texts.libraries.none}>
        {({ items }) => <FileTable libraryId={libraryId} files={items} isOwn={isOwn} />}
      </Paged>
    </Page>
  );
}

function AddFiles({ libraryId }: { libraryId: string }) {
  const queries = useQueryClient();
  const choice = useFileChoice();
  const count = choice.usable.length;
  const send = useMutation({
    mutationFn: async () => count - (await choice.upload(libraryId)),
    onSuccess: () => choice.clearSent(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['library', libraryId] }),
  });
  return (
    <Panel title={texts.libraries.add}>
      <p className="muted">{texts.libraries.addHelp}</p>
      <ChosenFiles choice={choice} isFixed={send.isPending} />
      {count > 0 ? (
        <Button mt={12} loading={send.isPending} onClick={() => send.mutate()}>
          {texts.libraries.send(count)}
        </Button>
      ) : null}
      <p role="status">{send.data ? texts.libraries.sent(send.data) : null}</p>
      {send.isError ? <Failure error={send.error} isAction /> : null}
    </Panel>
  );
}

function FileTable({ libraryId, files, isOwn }: { libraryId: string; files: readonly LibraryFile[]; isOwn: boolean }) {
  const buildAddress = (id: string) => `/api/v1/document-libraries/${libraryId}/files/${id}/content`;
  const columns: Column<LibraryFile>[] = [
    {
      title: texts.libraries.file,
      kind: 'name',
      cell: ({ name, file_id: id }) => (
        <a href={buildAddress(id)} download>
          {name}
        </a>
      ),
    },
    { title: texts.data.size, kind: 'num', cell: ({ size }) => formatBytes(size) },
    { title: texts.libraries.by, cell: ({ uploaded_by: by }) => by },
    { title: texts.libraries.uploaded, kind: 'when', cell: ({ updated_at: at }) => formatTime(at) },
    ...(isOwn
      ? [
          {
            title: texts.data.actions,
            kind: 'acts' as const,
            cell: ({ file_id: id, name }: LibraryFile) => (
              <RemoveButton
                label={texts.data.remove}
                about={texts.data.removeOne(name)}
                question={texts.libraries.sureFile}
                queryKey={['library', libraryId]}
                remove={() => api.documentLibraries.removeFile(libraryId, id)}
              />
            ),
          },
        ]
      : []),
  ];
  return <ListTable label={texts.libraries.files} columns={columns} rows={files} keyOf={({ file_id: id }) => id} />;
}

import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { FileId, LibraryFile, LibraryFilePage } from '../../model/document-set/wire-files';
import { LibraryId } from '../../model/document-set/wire-libraries';
import { AppError } from '../../model/errors';
import type { LibraryFileRecord } from '../../services/document-set/library-files';
import { getMediaType } from '../../services/source/media-types';
import { createAttachmentHeader } from '../http/attachment';
import { buildPage, paging } from '../http/page';
import { type RequestContext, authorize, documentLibraryPolicy } from '../http/policies';
import { reply, route } from '../http/route';

const params = Type.Object({ library_id: LibraryId, file_id: FileId });
const errors = ['DOCUMENT_LIBRARY_NOT_FOUND', 'LIBRARY_FILE_NOT_FOUND', 'FORBIDDEN'] as const;
const forReaders = 'For the owner of the library and its readers; administrators are refused like everybody else.';

export const listLibraryFiles = route({
  method: 'GET',
  path: '/api/v1/document-libraries/{library_id}/files',
  operationId: 'listLibraryFiles',
  summary: 'The files of a library, sorted by name.',
  description: forReaders,
  params: Type.Object({ library_id: LibraryId }),
  query: Type.Object({
    ...paging,
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[^\\u0000]*$',
        description: 'Part of the name, case-insensitive.',
      }),
    ),
  }),
  replies: { 200: LibraryFilePage },
  errors: ['DOCUMENT_LIBRARY_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ params: { library_id }, query, url, ...context }) => {
    const { limit = 100, offset = 0, ...filter } = query;
    await authorize(documentLibraryPolicy, 'readFiles', library_id, context);
    const { items, total } = await context.services.libraryFiles.list(library_id, { limit, offset, ...filter });
    return buildPage(url, items.map(toFileReply), { limit, offset, total });
  },
});

export const getLibraryFile = route({
  method: 'GET',
  path: '/api/v1/document-libraries/{library_id}/files/{file_id}',
  operationId: 'getLibraryFile',
  summary: 'One file of a library.',
  description: forReaders,
  params,
  replies: { 200: LibraryFile },
  errors,
  handler: async ({ params: ids, ...context }) => toFileReply(await loadReadableFile(ids, context)),
});

export const getLibraryFileContent = route({
  method: 'GET',
  path: '/api/v1/document-libraries/{library_id}/files/{file_id}/content',
  operationId: 'downloadLibraryFile',
  audit: 'read',
  summary: 'The bytes of a file of a library, as an attachment.',
  description: forReaders,
  params,
  replies: { 200: Type.Unsafe<Readable>({ type: 'string', contentMediaType: 'application/octet-stream' }) },
  errors,
  handler: async ({ params: ids, ...context }) => {
    const file = await loadReadableFile(ids, context);
    const bytes = context.services.libraryFiles.open(file);
    // An error before the first byte becomes an error reply rather than an aborted connection.
    await once(bytes, 'readable');
    return reply(200, bytes, {
      'Content-Length': String(file.size),
      'Cache-Control': 'private, no-store',
      ...createAttachmentHeader(file.name),
    });
  },
});

export const deleteLibraryFile = route({
  method: 'DELETE',
  path: '/api/v1/document-libraries/{library_id}/files/{file_id}',
  operationId: 'deleteLibraryFile',
  summary: 'Deletes a file of a library.',
  description:
    'For the owner of the library. The next run of each flow removes what it made of the file, as for any document that is gone from its source.',
  params,
  replies: { 204: Type.Null() },
  errors,
  handler: async ({ params: { library_id, file_id }, ...context }) => {
    await authorize(documentLibraryPolicy, 'changeFiles', library_id, context);
    if (!(await context.services.libraryFiles.remove(library_id, file_id))) throw createNoFileError(file_id);
    return reply(204, null);
  },
});

/** A stored file in the form of a reply. */
export function toFileReply({ content_id: _content, keys: _keys, ...file }: LibraryFileRecord): LibraryFile {
  const extension = file.name.includes('.') ? (file.name.split('.').at(-1) ?? '') : '';
  return { ...file, mimetype: getMediaType(extension.toLowerCase()) };
}

async function loadReadableFile(
  ids: { library_id: string; file_id: string },
  context: RequestContext,
): Promise<LibraryFileRecord> {
  await authorize(documentLibraryPolicy, 'readFiles', ids.library_id, context);
  const file = await context.services.libraryFiles.get(ids.library_id, ids.file_id);
  if (!file) throw createNoFileError(ids.file_id);
  return file;
}

function createNoFileError(fileId: string): AppError {
  return new AppError('LIBRARY_FILE_NOT_FOUND', `The library has no file with ID '${fileId}'.`, {
    target: { type: 'parameter', name: 'file_id' },
  });
}

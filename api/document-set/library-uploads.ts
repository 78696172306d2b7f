import { Type } from '@sinclair/typebox';
import { findFileNameProblem, toStoredName } from '../../model/document-set/file-name';
import {
  LibraryFile,
  Sha256,
  Upload,
  UploadCreate,
  UploadId,
  uploadPartBytes,
} from '../../model/document-set/wire-files';
import { LibraryId } from '../../model/document-set/wire-libraries';
import { AppError } from '../../model/errors';
import type { LibraryFileRecord } from '../../services/document-set/library-files';
import { countParts, createUploadNotFoundError, type UploadRecord } from '../../services/document-set/library-uploads';
import { type RequestContext, authorize, documentLibraryPolicy } from '../http/policies';
import { reply, route } from '../http/route';
import { toFileReply } from './library-files';

const params = Type.Object({ library_id: LibraryId, upload_id: UploadId });
const path = '/api/v1/document-libraries/{library_id}/uploads';
const errors = ['DOCUMENT_LIBRARY_NOT_FOUND', 'UPLOAD_NOT_FOUND', 'FORBIDDEN'] as const;

export const createUpload = route({
  method: 'POST',
  path,
  operationId: 'startUpload',
  summary: 'Announces a file of a library, or finds its unfinished upload.',
  description:
    'For the owner of the library. Say the name, the size and the SHA-256; send each part with PUT, then complete the upload. After a lost connection, send the same announcement: the reply lists the parts that are missing. If the library already holds this very file, `state` is `complete`.',
  params: Type.Object({ library_id: LibraryId }),
  body: UploadCreate,
  replies: { 201: Upload, 200: Upload },
  errors: [
    'DOCUMENT_LIBRARY_NOT_FOUND',
    'FORBIDDEN',
    'LIBRARY_FILE_INVALID_NAME',
    'LIBRARY_FILE_ALREADY_EXISTS',
    'LIBRARY_FULL',
  ],
  handler: async ({ params: { library_id }, body, ...context }) => {
    const library = await authorize(documentLibraryPolicy, 'changeFiles', library_id, context);
    const problem = findFileNameProblem(body.name);
    if (problem !== undefined)
      throw new AppError(
        'LIBRARY_FILE_INVALID_NAME',
        `The name ${JSON.stringify(body.name.slice(0, 300))} ${problem}.`,
        {
          target: { type: 'field', name: 'name' },
        },
      );
    const { size, sha256 } = body;
    const announced = { name: toStoredName(body.name), size, sha256, uploadedBy: context.user.username };
    const begun = await context.services.libraryUploads.begin(library, announced);
    if ('file' in begun) return reply(200, toCompleteReply(begun.file));
    return reply(begun.created ? 201 : 200, toUploadReply(begun.upload));
  },
});

export const getUpload = route({
  method: 'GET',
  path: `${path}/{upload_id}`,
  operationId: 'getUpload',
  summary: 'An unfinished upload with the parts that are missing.',
  description: 'For the owner of the library.',
  params,
  replies: { 200: Upload },
  errors,
  handler: async ({ params: ids, ...context }) => toUploadReply(await openUpload(ids, context)),
});

export const putUploadPart = route({
  method: 'PUT',
  path: `${path}/{upload_id}/parts/{part}`,
  operationId: 'uploadPart',
  audit: 'none',
  summary: 'Sends one part of a file.',
  description:
    'For the owner of the library. Every part but the last has exactly `part_size` bytes. Parts may come in any order, several at a time, and again. A part whose connection is cut leaves nothing.',
  params: Type.Object({ ...params.properties, part: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }),
  query: Type.Object({ sha256: Type.Optional(Sha256) }),
  takesBytes: true,
  replies: { 200: Upload },
  errors: [...errors, 'UPLOAD_INVALID'],
  handler: async ({ params: { part, ...ids }, query: { sha256 }, bytes, ...context }) => {
    const upload = await openUpload(ids, context);
    const { libraryUploads } = context.services;
    return toUploadReply(await libraryUploads.putPart(upload, { number: part, bytes: await bytes(), sha256 }));
  },
});

export const completeUpload = route({
  method: 'POST',
  path: `${path}/{upload_id}/complete`,
  operationId: 'completeUpload',
  summary: 'Verifies an uploaded file and adds it to the library.',
  description:
    'For the owner of the library. A file of the same name is replaced. If the SHA-256 of the whole differs from the announced one, all parts must be sent again. Completing twice gives the same file.',
  params,
  replies: { 200: LibraryFile },
  errors: [...errors, 'UPLOAD_INVALID', 'UPLOAD_INCOMPLETE', 'LIBRARY_FILE_ALREADY_EXISTS'],
  handler: async ({ params: { library_id, upload_id }, signal, ...context }) => {
    await authorize(documentLibraryPolicy, 'changeFiles', library_id, context);
    const { libraryUploads, libraryFiles } = context.services;
    const upload = await libraryUploads.get(library_id, upload_id);
    if (upload) return toFileReply(await libraryUploads.complete(upload, signal));
    const file = await libraryFiles.findByContent(upload_id);
    if (file?.library_id === library_id) return toFileReply(file);
    throw createUploadNotFoundError(upload_id);
  },
});

export const cancelUpload = route({
  method: 'DELETE',
  path: `${path}/{upload_id}`,
  operationId: 'cancelUpload',
  summary: 'Ends an unfinished upload and removes its parts.',
  description: 'For the owner of the library.',
  params,
  replies: { 204: Type.Null() },
  errors,
  handler: async ({ params: { library_id, upload_id }, ...context }) => {
    await openUpload({ library_id, upload_id }, context);
    await context.services.libraryUploads.cancel(library_id, upload_id);
    return reply(204, null);
  },
});

async function openUpload(
  { library_id, upload_id }: { library_id: string; upload_id: string },
  context: RequestContext,
): Promise<UploadRecord> {
  await authorize(documentLibraryPolicy, 'changeFiles', library_id, context);
  const upload = await context.services.libraryUploads.get(library_id, upload_id);
  if (!upload) throw createUploadNotFoundError(upload_id);
  return upload;
}

function toUploadReply({ owner: _owner, uploaded_by: _by, places: _places, parts, ...upload }: UploadRecord): Upload {
  const part_count = countParts(upload.size);
  return {
    ...upload,
    state: 'open',
    part_size: uploadPartBytes,
    part_count,
    missing_parts: Array.from({ length: part_count }, (_, index) => index + 1).filter(
      (number) => parts[number] === undefined,
    ),
  };
}

function toCompleteReply(file: LibraryFileRecord): Upload {
  const { library_id, name, size, sha256, content_id, updated_at } = file;
  return {
    upload_id: content_id,
    library_id,
    name,
    size,
    sha256,
    state: 'complete',
    part_size: uploadPartBytes,
    part_count: countParts(size),
    missing_parts: [],
    expires_at: updated_at,
    file: toFileReply(file),
  };
}

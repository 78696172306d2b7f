import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { uuidPattern } from '../uuid';
import { count, pageSchema } from '../wire-parts';

/** Size in bytes of every upload part except the last; also the most that a request may carry. */
export const uploadPartBytes = 5 * 1024 * 1024;

const defineUuid = (description: string) => Type.String({ pattern: uuidPattern, description });

/** The path parameter `upload_id`. */
export const UploadId = defineUuid('Id of the upload: a UUID in lower case.');
/** The path parameter `file_id`. */
export const FileId = defineUuid('Id of the file: a UUID in lower case.');
/** A SHA-256 in hexadecimal. */
export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256, hexadecimal in lower case.' });
const time = Type.String({ format: 'date-time' });

/** A file of a library. */
export const LibraryFile = closedObject('LibraryFile', {
  file_id: FileId,
  library_id: Type.String(),
  name: Type.String(),
  size: count,
  sha256: Sha256,
  mimetype: Type.String({ description: 'By the extension of the name.' }),
  uploaded_by: Type.String(),
  created_at: time,
  updated_at: Type.String({ format: 'date-time', description: 'When the present content was uploaded.' }),
});
export type LibraryFile = Static<typeof LibraryFile>;

/** One page of the files of a library, sorted by name. */
export const LibraryFilePage = pageSchema(LibraryFile, 'LibraryFilePage');
export type LibraryFilePage = Static<typeof LibraryFilePage>;

/** Request body that starts an upload. */
export const UploadCreate = closedObject('UploadCreate', {
  name: Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'Name of the file, without a folder; at most 255 bytes. A file with this name is replaced.',
  }),
  size: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes of the whole file.' }),
  sha256: Sha256,
});
export type UploadCreate = Static<typeof UploadCreate>;

/** An upload in progress. The file is not visible before the upload is complete. */
export const Upload = Type.Object(
  {
    upload_id: UploadId,
    library_id: Type.String(),
    name: Type.String(),
    size: count,
    sha256: Sha256,
    state: Type.Union([Type.Literal('open'), Type.Literal('complete')]),
    part_size: Type.Integer({ minimum: 1, description: 'Bytes of each part but the last, which has the rest.' }),
    part_count: Type.Integer({ minimum: 1 }),
    missing_parts: Type.Array(Type.Integer({ minimum: 1 }), {
      description: 'Numbers of the parts that have not arrived, from 1; send only these to resume.',
    }),
    expires_at: Type.String({ format: 'date-time', description: 'When it is removed unless another part arrives.' }),
    file: Type.Optional(LibraryFile),
  },
  {
    $id: 'Upload',
    additionalProperties: false,
    description: 'With `state` complete the library has this very file, and `file` is it.',
  },
);
export type Upload = Static<typeof Upload>;

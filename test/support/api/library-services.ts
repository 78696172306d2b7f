import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ApiServices } from '../../../api/services';
import type { LibraryFileRecord } from '../../../services/document-set/library-files';
import type { UploadRecord } from '../../../services/document-set/library-uploads';

/** Files and uploads of libraries in memory, with the behaviour of the stores that the routes rely on. */
export function memoryLibraryFiles(
  newFileId: () => string = randomUUID,
  newUploadId: () => string = randomUUID,
): Pick<ApiServices, 'libraryFiles' | 'libraryUploads'> {
  const files = new Map<string, LibraryFileRecord>();
  const uploads = new Map<string, UploadRecord>();
  const bytes = new Map<string, Uint8Array>();
  const getKey = (upload: UploadRecord, number: number) => `${upload.upload_id}/${number}`;
  return {
    libraryFiles: {
      get: async (library, id) =>
        [...files.values()].find((file) => file.file_id === id && file.library_id === library),
      list: async (library, { limit, offset }) => {
        const matchingFiles = [...files.values()].filter(({ library_id }) => library_id === library);
        return { items: matchingFiles.slice(offset, offset + limit), total: matchingFiles.length };
      },
      open: ({ keys }) => Readable.from(keys.map((key) => bytes.get(key) ?? Buffer.alloc(0))),
      findByContent: async (id) => [...files.values()].find(({ content_id }) => content_id === id),
      remove: async (_library, id) => files.delete(id),
      removeLibrary: async (library) => {
        for (const [id, file] of files) if (file.library_id === library) files.delete(id);
      },
    },
    libraryUploads: {
      begin: async ({ library_id, owner }, { uploadedBy, ...announced }) => {
        const open = [...uploads.values()].find(
          (uploadRecord) => uploadRecord.library_id === library_id && uploadRecord.name === announced.name,
        );
        if (open) return { upload: open, created: false };
        const expires_at = new Date(Date.now() + 3_600_000).toISOString();
        const upload = {
          ...announced,
          upload_id: newUploadId(),
          library_id,
          owner,
          uploaded_by: uploadedBy,
          expires_at,
        };
        uploads.set(upload.upload_id, { ...upload, parts: {} });
        return { upload: { ...upload, parts: {} }, created: true };
      },
      get: async (library, id) => {
        const upload = uploads.get(id);
        return upload?.library_id === library ? upload : undefined;
      },
      putPart: async (upload, { number, bytes: given }) => {
        bytes.set(getKey(upload, number), given);
        const sha256 = createHash('sha256').update(given).digest('hex');
        const changed = { ...upload, parts: { ...upload.parts, [number]: sha256 } };
        uploads.set(upload.upload_id, changed);
        return changed;
      },
      complete: async (upload) => {
        const { upload_id, library_id, name, size, sha256, uploaded_by, parts } = upload;
        const now = new Date().toISOString();
        const file = {
          file_id: newFileId(),
          library_id,
          name,
          size,
          sha256,
          uploaded_by,
          created_at: now,
          updated_at: now,
          content_id: upload_id,
          keys: Object.keys(parts).map((number) => getKey(upload, Number(number))),
        };
        files.set(file.file_id, file);
        uploads.delete(upload_id);
        return file;
      },
      cancel: async (_library, id) => void uploads.delete(id),
      removeLibrary: async (library) => {
        for (const [id, upload] of uploads) if (upload.library_id === library) uploads.delete(id);
      },
    },
  };
}

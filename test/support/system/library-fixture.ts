import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../model/config';
import { uploadPartBytes } from '../../../model/document-set/wire-files';
import {
  createDocumentLibrariesStore,
  type DocumentLibrariesStore,
} from '../../../services/document-set/document-libraries-store';
import { createLibraryFiles, type LibraryFiles } from '../../../services/document-set/library-files';
import { MongoLibraryUploads, type UploadLimits } from '../../../services/document-set/library-uploads';
import { connectMongo } from '../../../services/storage/mongo';
import { createObjectStore } from '../../../services/storage/object-store';
import type { ObjectStore } from '../../../services/storage/object-store-port';

/** Libraries on the real database and store, with limits that a test can reach. */
export interface LibraryStores {
  documentLibraries: DocumentLibrariesStore;
  libraryFiles: LibraryFiles;
  libraryUploads: MongoLibraryUploads;
  store: ObjectStore;
  /** Uploads of another api on the same database; `filesOf` may change what it sees. */
  openUploads(filesOf: (files: LibraryFiles) => LibraryFiles): MongoLibraryUploads;
  /** Every key below the library. */
  keysOf(libraryId: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Limits of uploads in these tests. */
export const testLimits: UploadLimits = {
  fileBytes: 12 * 1024 * 1024,
  userBytes: 20 * 1024 * 1024,
  libraryFiles: 5,
  hours: 1,
};

/** Opens them in a separate database and folder (or bucket). */
export function openLibraries(storage: 'folder' | 's3' = 'folder', limits: Partial<UploadLimits> = {}): LibraryStores {
  const folder = path.join(tmpdir(), `docloom-libraries-${randomUUID()}`);
  const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
  url.pathname = `/libraries_${randomUUID().replaceAll('-', '')}`;
  const mongo = connectMongo(url.toString());
  const own = { DOCLOOM_DATA: folder, DOCLOOM_STORAGE: storage, DOCLOOM_S3_BUCKET: `libraries-${randomUUID()}` };
  const store = createObjectStore(readConfig({ ...process.env, ...own }));
  const libraryFiles = createLibraryFiles(mongo, store);
  return {
    documentLibraries: createDocumentLibrariesStore(mongo, { list: async () => ({ items: [], total: 0 }) }),
    libraryFiles,
    libraryUploads: new MongoLibraryUploads(mongo, store, libraryFiles, { ...testLimits, ...limits }),
    store,
    openUploads: (filesOf) =>
      new MongoLibraryUploads(mongo, store, filesOf(libraryFiles), { ...testLimits, ...limits }),
    async keysOf(libraryId) {
      const keys: string[] = [];
      for await (const key of store.list(`libraries/${libraryId}/`)) keys.push(key);
      return keys.toSorted();
    },
    async close() {
      for (const name of ['document_libraries', 'library_files', 'library_uploads'])
        await mongo
          .collection(name)
          .drop()
          // A test may not have written into each of them.
          .catch((error: Error) => expect(error.message).toContain('ns not found'));
      await mongo.close();
      store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Two and a half parts of incompressible data. */
export const manyBytes = randomBytes(uploadPartBytes * 2 + 1_000);

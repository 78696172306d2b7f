import { createHash, randomUUID } from 'node:crypto';
import { createSources } from '../../../services/source/sources';
import { openLibraries } from '../system/library-fixture';
import type { SourceFixture } from './fixture';

/** A document library of alice on the database of the tests. */
export async function libraryFixture(): Promise<SourceFixture> {
  const stores = openLibraries('folder', { libraryFiles: 1_000 });
  const library_id = randomUUID();
  const now = new Date().toISOString();
  const library = await stores.documentLibraries.create({
    library_id,
    name: 'Contract',
    description: null,
    purpose: null,
    original_size: null,
    final_size: null,
    tags: [],
    set_ids: [],
    owner: 'alice',
    readers: ['bob'],
    created_by: 'alice',
    created_at: now,
    updated_at: now,
  });
  const config = { provider: 'library', connection_params: { library_id } };
  return {
    provider: 'library',
    sources: createSources({
      roots: [],
      library: { libraries: stores.documentLibraries, files: stores.libraryFiles },
    }),
    config,
    async put(name, text) {
      const bytes = Buffer.from(text);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const announced = { name, size: bytes.length, sha256, uploadedBy: 'alice' };
      const begun = await stores.libraryUploads.begin(library, announced);
      if (!('upload' in begun)) return;
      const state = await stores.libraryUploads.putPart(begun.upload, { number: 1, bytes });
      await stores.libraryUploads.complete(state, new AbortController().signal);
    },
    async remove(name) {
      const file = await stores.libraryFiles.findByName(library_id, name);
      if (file) await stores.libraryFiles.remove(library_id, file.file_id);
    },
    keyOf: ({ relativePath }) => relativePath,
    missing: { ...config, connection_params: { library_id: randomUUID() } },
    close: () => stores.close(),
  };
}

import { getNameKey } from '../../model/document-set/file-name';
import { AppError } from '../../model/errors';
import { seesDocument } from '../../model/run/rights';
import { type LibrarySettings, librarySource, readLibrarySettings } from '../../model/source/library-source';
import type { DocumentLibrariesStore, DocumentLibraryRecord } from '../document-set/document-libraries-store';
import type { LibraryFileRecord, LibraryFiles } from '../document-set/library-files';
import { createFileFilter } from './file-filter';
import { findSizeFailure } from './limit-bytes';
import { getMediaType } from './media-types';
import type { Source, SourceEntry } from './source';

/** Dependencies of the library source. */
export interface LibrarySourceDeps {
  libraries: Pick<DocumentLibrariesStore, 'get'>;
  files: Pick<LibraryFiles, 'iterate' | 'findByName' | 'open'>;
}

/**
 * Lists the uploaded files of a document library. The library's owner and readers can read them. A library is reported as missing
 * unless all people for whom the run acts may see it.
 */
export function createLibrarySource({ libraries, files }: LibrarySourceDeps): Source {
  const find = async (config: Record<string, unknown>, file: string): Promise<LibraryFileRecord> => {
    const { libraryId } = readLibrarySettings(config);
    const start = buildPath(libraryId, '');
    if (!file.startsWith(start))
      throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a file of the library '${libraryId}'.`);
    const record = await files.findByName(libraryId, file.slice(start.length));
    if (record && buildPath(libraryId, record.name) === file) return record;
    throw new AppError('SOURCE_GONE', `'${file}' is no longer in its library.`);
  };
  return {
    async *list(config, signal, { readers, after } = {}) {
      const settings = readLibrarySettings(config);
      const library = await libraries.get({ user: { username: '' }, everyone: true }, settings.libraryId);
      if (!library || !readers || !seesDocument(readers, { allowed_users: listUsers(library) }))
        throw createNoLibraryError(settings.libraryId);
      const filter = createFileFilter(settings);
      for await (const file of files.iterate(settings.libraryId, after)) {
        signal.throwIfAborted();
        if (filter.takesFile(file.name)) yield buildEntry(library, file, settings);
      }
    },
    async read(file, config, signal) {
      const parts: Uint8Array[] = [];
      for await (const part of files.open(await find(config, file))) {
        signal.throwIfAborted();
        parts.push(part as Uint8Array);
      }
      return Buffer.concat(parts);
    },
    hash: async (file, config) => (await find(config, file)).sha256,
  };
}

function listUsers({ owner, readers }: DocumentLibraryRecord): string[] {
  return [...new Set([owner, ...readers])];
}

function buildEntry(library: DocumentLibraryRecord, file: LibraryFileRecord, settings: LibrarySettings): SourceEntry {
  const { library_id } = library;
  const { name, size, sha256, updated_at } = file;
  const extension = name.includes('.') ? (name.split('.').at(-1) ?? '').toLowerCase() : '';
  return {
    source: `${librarySource}${library_id}`,
    relativePath: name,
    path: buildPath(library_id, name),
    name,
    mimetype: getMediaType(extension),
    size,
    modifiedTime: updated_at,
    allowedUsers: listUsers(library),
    metadata: { relative_path: name, extension, library: library.name, file_id: file.file_id },
    version: sha256,
    cursor: getNameKey(name),
    ...findSizeFailure(size, settings),
  };
}

function buildPath(libraryId: string, name: string): string {
  return `${librarySource}${libraryId}/${name}`;
}

function createNoLibraryError(libraryId: string): AppError {
  return new AppError(
    'SOURCE_NOT_FOUND',
    `The document library '${libraryId}' does not exist, or not everybody for whom the run acts may see it.`,
  );
}

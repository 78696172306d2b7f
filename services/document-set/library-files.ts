import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Collection } from 'mongodb';
import { getNameKey } from '../../model/document-set/file-name';
import { AppError } from '../../model/errors';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import { readPage } from '../storage/read-page';

/** A file of a library. Its bytes are the concatenated parts, each stored under its own key. */
export interface LibraryFileRecord {
  file_id: string;
  library_id: string;
  name: string;
  size: number;
  sha256: string;
  uploaded_by: string;
  created_at: string;
  updated_at: string;
  /** Id of the upload of the current content. */
  content_id: string;
  keys: string[];
}

/** The data of a complete upload. */
export type LibraryFileContent = Pick<
  LibraryFileRecord,
  'library_id' | 'name' | 'size' | 'sha256' | 'uploaded_by' | 'content_id' | 'keys'
> & { owner: string };

type StoredFile = Omit<LibraryFileRecord, 'file_id'> & {
  _id: string;
  owner: string;
  /** Unique in the library. A removed file has a key that no name can have. */
  name_key: string;
  removed: boolean;
  /** Ids of replaced contents whose bytes may not be deleted yet. */
  replaced: string[];
};

/** Files of document libraries, with records in MongoDB and bytes in the object store. */
export interface LibraryFiles {
  /** Ignores removed files. */
  get(libraryId: string, fileId: string): Promise<LibraryFileRecord | undefined>;
  /** The file whose name has the same key as `name`. */
  findByName(libraryId: string, name: string): Promise<LibraryFileRecord | undefined>;
  /** Sorted by name. */
  list(
    libraryId: string,
    query: { limit: number; offset: number; name?: string },
  ): Promise<{ items: LibraryFileRecord[]; total: number }>;
  /** Every file, sorted by the key of its name, or those after a key. Holds one page in memory at a time. */
  iterate(libraryId: string, afterKey?: string): AsyncIterable<LibraryFileRecord>;
  /** The file with the content of this upload, also when that content was replaced. */
  findByContent(contentId: string): Promise<LibraryFileRecord | undefined>;
  /**
   * Makes this content the current one of the file with its name. Throws LIBRARY_FILE_ALREADY_EXISTS if a different name has
   * the same key.
   */
  publish(content: LibraryFileContent): Promise<LibraryFileRecord>;
  open(file: Pick<LibraryFileRecord, 'keys'>): Readable;
  remove(libraryId: string, fileId: string): Promise<boolean>;
  /** The number of files in a library, and the total bytes in all libraries of an owner. */
  readUsage(libraryId: string, owner: string): Promise<{ files: number; bytes: number }>;
  removeLibrary(libraryId: string): Promise<void>;
  /** Ids of libraries that have files, for the sweep. */
  listLibraryIds(): Promise<string[]>;
  /** Completes removals that a killed process left unfinished. */
  sweep(): Promise<void>;
}

/** Files per query. */
const pageSize = 500;

/** Key prefix of the bytes of an upload. */
export function buildContentPrefix(libraryId: string, contentId: string): string {
  return `libraries/${libraryId}/${contentId}/`;
}

/** Creates the store, which connects on first use. */
export function createLibraryFiles(mongo: Mongo, store: Pick<ObjectStore, 'open' | 'removePrefix'>): LibraryFiles {
  const files = mongo.collection<StoredFile>('library_files');
  const whenReady = createWhenReady(async () => {
    await files.createIndex({ library_id: 1, name_key: 1 }, { unique: true });
    await files.createIndex({ owner: 1 });
    await files.createIndex({ content_id: 1 });
  });
  const find = (filter: object) =>
    whenReady(async () => {
      const stored = await files.findOne({ ...filter, removed: false });
      return stored ? readStored(stored) : undefined;
    });
  return {
    get: (libraryId, fileId) => find({ _id: fileId, library_id: libraryId }),
    findByName: (libraryId, name) => find({ library_id: libraryId, name_key: getNameKey(name) }),
    list: (libraryId, query) => whenReady(() => listPage(files, libraryId, query)),
    iterate: (libraryId, afterKey) => iterateAll(files, libraryId, afterKey),
    findByContent: (contentId) => find({ $or: [{ content_id: contentId }, { replaced: contentId }] }),
    publish: (content) => whenReady(() => publish(files, store, content)),
    open: ({ keys }) => Readable.from(readParts(store, keys), { objectMode: false }),
    remove: (libraryId, fileId) =>
      guard(async () => {
        const { matchedCount } = await files.updateOne(
          { _id: fileId, library_id: libraryId, removed: false },
          { $set: { removed: true, name_key: `/${fileId}` } },
        );
        if (matchedCount > 0) await finishRemoval(files, store, { _id: fileId });
        return matchedCount > 0;
      }),
    readUsage: (libraryId, owner) => guard(() => readUsage(files, libraryId, owner)),
    removeLibrary: (libraryId) =>
      guard(async () => {
        await store.removePrefix(`libraries/${libraryId}/`);
        await files.deleteMany({ library_id: libraryId });
      }),
    listLibraryIds: () => guard(() => files.distinct('library_id')),
    sweep: () =>
      guard(async () => {
        await finishRemoval(files, store, { removed: true });
        for await (const file of files.find({ 'replaced.0': { $exists: true } }))
          await removeReplaced(files, store, file);
      }),
  };
}

type Files = Collection<StoredFile>;

async function listPage(
  files: Files,
  libraryId: string,
  { limit, offset, name }: Parameters<LibraryFiles['list']>[1],
): ReturnType<LibraryFiles['list']> {
  const filter = {
    library_id: libraryId,
    removed: false,
    ...(name ? { name_key: { $regex: getNameKey(name).replace(/[.*+?^${}()|[\]\\]/g, '\\$&') } } : {}),
  };
  return await readPage(files, filter, { sort: { name_key: 1 }, limit, offset }, readStored);
}

async function readUsage(files: Files, libraryId: string, owner: string): Promise<{ files: number; bytes: number }> {
  const [sum] = await files
    .aggregate<{ bytes: number }>([
      { $match: { owner, removed: false } },
      { $group: { _id: null, bytes: { $sum: '$size' } } },
    ])
    .toArray();
  return { files: await files.countDocuments({ library_id: libraryId, removed: false }), bytes: sum?.bytes ?? 0 };
}

async function* iterateAll(files: Files, libraryId: string, afterKey = ''): AsyncGenerator<LibraryFileRecord> {
  let after = afterKey;
  for (;;) {
    const filter = { library_id: libraryId, removed: false, name_key: { $gt: after } };
    const records = await guard(() => files.find(filter).sort({ name_key: 1 }).limit(pageSize).toArray());
    for (const file of records) yield readStored(file);
    after = records.at(-1)?.name_key ?? after;
    if (records.length < pageSize) return;
  }
}

async function* readParts(store: Pick<ObjectStore, 'open'>, keys: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const key of keys) for await (const chunk of await store.open(key)) yield chunk as Uint8Array;
}

/** A single write replaces the content; when another writer came first, the attempt is repeated. */
async function publish(
  files: Files,
  store: Pick<ObjectStore, 'removePrefix'>,
  { owner, ...content }: LibraryFileContent,
): Promise<LibraryFileRecord> {
  for (;;) {
    const name_key = getNameKey(content.name);
    const now = new Date().toISOString();
    const existingFile = await files.findOne({ library_id: content.library_id, name_key });
    if (existingFile?.content_id === content.content_id) return readStored(existingFile);
    if (existingFile && existingFile.name !== content.name) throw createNameTakenError(content.name, existingFile.name);
    if (!existingFile) {
      const record = { ...content, _id: randomUUID(), owner, name_key, created_at: now, updated_at: now };
      const file: StoredFile = { ...record, removed: false, replaced: [] };
      const isTaken = await files.insertOne(file).then(
        () => false,
        (error: unknown) => {
          if (isDuplicate(error)) return true;
          throw error;
        },
      );
      if (isTaken) continue;
      return readStored(file);
    }
    const { matchedCount } = await files.updateOne(
      { _id: existingFile._id, content_id: existingFile.content_id, removed: false },
      { $set: { ...content, updated_at: now }, $push: { replaced: existingFile.content_id } },
    );
    if (matchedCount === 0) continue;
    const changed = await files.findOne({ _id: existingFile._id });
    if (changed) await removeReplaced(files, store, changed);
    return readStored({ ...existingFile, ...content, updated_at: now });
  }
}

/** The error for a name that differs from an existing one only in spelling. */
export function createNameTakenError(name: string, existingName: string): AppError {
  return new AppError(
    'LIBRARY_FILE_ALREADY_EXISTS',
    `The library has the file '${existingName}'; '${name}' differs from it only in letter case or in the form of a character. Rename one of them.`,
    { target: { type: 'field', name: 'name' } },
  );
}

async function removeReplaced(
  files: Files,
  store: Pick<ObjectStore, 'removePrefix'>,
  { _id, library_id, content_id, replaced }: StoredFile,
): Promise<void> {
  for (const old of replaced) {
    if (old !== content_id) await store.removePrefix(buildContentPrefix(library_id, old));
    await files.updateOne({ _id }, { $pull: { replaced: old } });
  }
}

async function finishRemoval(
  files: Files,
  store: Pick<ObjectStore, 'removePrefix'>,
  filter: { _id?: string; removed?: boolean },
): Promise<void> {
  for await (const { _id, library_id, content_id, replaced } of files.find({ ...filter, removed: true })) {
    for (const content of [content_id, ...replaced]) await store.removePrefix(buildContentPrefix(library_id, content));
    await files.deleteOne({ _id });
  }
}

function readStored({
  _id,
  owner: _owner,
  name_key: _key,
  removed: _removed,
  replaced: _replaced,
  ...file
}: StoredFile) {
  return { file_id: _id, ...file };
}

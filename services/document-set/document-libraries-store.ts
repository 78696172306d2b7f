import type { Filter } from 'mongodb';
import type { DocumentLibraryReply } from '../../model/document-set/wire-libraries';
import { AppError } from '../../model/errors';
import { escapeRegExp } from '../../model/escape-reg-exp';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';
import type { DocumentSetsStore, ResourceAsker } from './document-sets-store';

/** A named group of document sets. A set may belong to several libraries. */
export interface DocumentLibraryRecord extends Omit<DocumentLibraryReply, 'document_set_count' | 'href'> {
  /** Ids of the linked sets, in the order in which they were added. */
  set_ids: string[];
}

/** The members of a library that its owner may change. */
export type DocumentLibraryChange = Partial<
  Pick<DocumentLibraryRecord, 'name' | 'description' | 'purpose' | 'original_size' | 'final_size' | 'tags' | 'readers'>
>;

/** Stores libraries and their links. Names are unique per owner; a taken name throws DOCUMENT_LIBRARY_ALREADY_EXISTS. */
export interface DocumentLibrariesStore {
  create(library: DocumentLibraryRecord): Promise<DocumentLibraryRecord>;
  get(asker: ResourceAsker, libraryId: string): Promise<DocumentLibraryRecord | undefined>;
  /** Newest first. At least one of `tags` must match. */
  list(
    asker: ResourceAsker,
    query: { limit: number; offset: number; name?: string; tags?: readonly string[] },
  ): Promise<{ items: DocumentLibraryRecord[]; total: number }>;
  update(libraryId: string, change: DocumentLibraryChange): Promise<DocumentLibraryRecord | undefined>;
  /** Does not delete the linked sets. */
  remove(libraryId: string): Promise<void>;
  /**
   * Links sets that the user may see; linked ones stay linked. Links none if one of them does not exist. False when all were
   * linked already.
   */
  addSets(asker: ResourceAsker, libraryId: string, setIds: readonly string[]): Promise<boolean>;
  /** Removes links. Removes none when one of the sets is not linked. */
  removeSets(libraryId: string, setIds: readonly string[]): Promise<void>;
  /** Unlinks a set from every library. */
  unlinkEverywhere(setId: string): Promise<void>;
}

type StoredLibrary = Omit<DocumentLibraryRecord, 'library_id'> & { _id: string };

/** Ids that a message names. */
const maxIdsShown = 20;
/** Maximum sets per library. It keeps the record far below the size limit of the database. */
const maxSets = 100_000;

/** Stores libraries in MongoDB. The links are part of the record, so that each change of them is a single write. */
export function createDocumentLibrariesStore(
  mongo: Mongo,
  sets: Pick<DocumentSetsStore, 'list'>,
): DocumentLibrariesStore {
  return new MongoDocumentLibraries(mongo, sets);
}

class MongoDocumentLibraries implements DocumentLibrariesStore {
  private readonly libraries;
  private readonly whenReady;

  constructor(
    mongo: Mongo,
    private readonly sets: Pick<DocumentSetsStore, 'list'>,
  ) {
    this.libraries = mongo.collection<StoredLibrary>('document_libraries');
    this.whenReady = createWhenReady(async () => {
      await this.libraries.createIndex({ owner: 1, name: 1 }, { unique: true });
      await this.libraries.createIndex({ set_ids: 1 });
    });
  }

  create(library: DocumentLibraryRecord) {
    return this.whenReady(async () => {
      const { library_id: _id, ...members } = library;
      await this.libraries.insertOne({ _id, ...members }).catch((error: unknown) => refuse(library.name, error));
      return library;
    });
  }

  get(asker: ResourceAsker, libraryId: string) {
    return guard(async () => {
      const stored = await this.libraries.findOne({ _id: libraryId, ...createVisibleFilter(asker) });
      return stored ? readStored(stored) : undefined;
    });
  }

  list(
    asker: ResourceAsker,
    { limit, offset, name, tags }: { limit: number; offset: number; name?: string; tags?: readonly string[] },
  ) {
    return this.whenReady(async () => {
      const filter: Filter<StoredLibrary> = {
        ...createVisibleFilter(asker),
        ...(name ? { name: { $regex: escapeRegExp(name), $options: 'i' } } : {}),
        ...(tags && tags.length > 0 ? { tags: { $in: [...tags] } } : {}),
      };
      return await readPage(this.libraries, filter, { sort: { created_at: -1, _id: 1 }, limit, offset }, readStored);
    });
  }

  update(libraryId: string, change: DocumentLibraryChange) {
    return guard(async () => {
      const stored = await this.libraries
        .findOneAndUpdate(
          { _id: libraryId },
          { $set: { ...change, updated_at: this.now() } },
          { returnDocument: 'after' },
        )
        .catch((error: unknown) => refuse(change.name ?? '', error));
      return stored ? readStored(stored) : undefined;
    });
  }

  remove(libraryId: string) {
    return guard(async () => void (await this.libraries.deleteOne({ _id: libraryId })));
  }

  addSets(asker: ResourceAsker, libraryId: string, setIds: readonly string[]) {
    return guard(async () => {
      const missing = await this.findMissing(asker, setIds);
      if (missing.length > 0) throw createNoSuchSetsError(missing);
      const linked = new Set((await this.libraries.findOne({ _id: libraryId }))?.set_ids);
      const fresh = setIds.filter((id) => !linked.has(id));
      if (fresh.length === 0) return false;
      if (linked.size + fresh.length > maxSets)
        throw createInvalidError(`A library holds at most ${maxSets.toLocaleString('en')} document sets.`);
      const { matchedCount } = await this.libraries.updateOne(
        { _id: libraryId },
        { $addToSet: { set_ids: { $each: fresh } }, $set: { updated_at: this.now() } },
      );
      if (matchedCount === 0) throw createLibraryGoneError(libraryId);
      // A set that was deleted between the check and the write would leave a dangling link.
      const gone = await this.findMissing(asker, fresh);
      if (gone.length === 0) return true;
      await this.libraries.updateOne({ _id: libraryId }, { $pullAll: { set_ids: fresh } });
      throw createNoSuchSetsError(gone);
    });
  }

  removeSets(libraryId: string, setIds: readonly string[]) {
    return guard(async () => {
      const { matchedCount } = await this.libraries.updateOne(
        { _id: libraryId, set_ids: { $all: [...setIds] } },
        { $pullAll: { set_ids: [...setIds] }, $set: { updated_at: this.now() } },
      );
      if (matchedCount > 0) return;
      const linked = (await this.libraries.findOne({ _id: libraryId }))?.set_ids ?? [];
      const others = setIds.filter((id) => !linked.includes(id));
      throw new AppError(
        'DOCUMENT_SET_NOT_FOUND',
        `Not in the library: ${others.join(', ')}. Nothing was removed.`,
        idsTarget,
      );
    });
  }

  unlinkEverywhere(setId: string) {
    return guard(async () => {
      await this.libraries.updateMany(
        { set_ids: setId },
        { $pull: { set_ids: setId }, $set: { updated_at: this.now() } },
      );
    });
  }

  private now() {
    return new Date().toISOString();
  }

  private async findMissing(asker: ResourceAsker, setIds: readonly string[]) {
    const { items } = await this.sets.list(asker, { limit: setIds.length, offset: 0, ids: setIds });
    const visibleIds = new Set(items.map(({ id }) => id));
    return setIds.filter((id) => !visibleIds.has(id));
  }
}

const idsTarget = { target: { type: 'parameter' as const, name: 'document_sets_ids' } };

function createNoSuchSetsError(ids: readonly string[]): AppError {
  const named = ids.slice(0, maxIdsShown).join(', ');
  return new AppError('DOCUMENT_SET_NOT_FOUND', `No such document set: ${named}. Nothing was added.`, idsTarget);
}

function createLibraryGoneError(id: string): AppError {
  return new AppError('DOCUMENT_LIBRARY_NOT_FOUND', `Document library with ID '${id}' not found.`);
}

function createInvalidError(message: string): AppError {
  return new AppError('DOCUMENT_LIBRARY_INVALID_DATA', message, idsTarget);
}

function refuse(name: string, error: unknown): never {
  if (!isDuplicate(error)) throw error;
  throw new AppError('DOCUMENT_LIBRARY_ALREADY_EXISTS', `A library with the name '${name}' exists already.`, {
    target: { type: 'field', name: 'name' },
  });
}

function createVisibleFilter({ user, everyone }: ResourceAsker): Filter<StoredLibrary> {
  return everyone ? {} : { $or: [{ owner: user.username }, { readers: user.username }] };
}

function readStored({ _id, ...library }: StoredLibrary): DocumentLibraryRecord {
  return { library_id: _id, ...library };
}

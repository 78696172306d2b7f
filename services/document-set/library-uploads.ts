import { createHash, hash, randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { Config } from '../../model/config';
import { uploadPartBytes } from '../../model/document-set/wire-files';
import { AppError } from '../../model/errors';
import { pause } from '../pacing/pause';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import type { ObjectStore } from '../storage/object-store-port';
import type { DocumentLibraryRecord } from './document-libraries-store';
import { buildContentPrefix, type LibraryFileRecord, type LibraryFiles, createNameTakenError } from './library-files';

/** An upload in progress: the announced file and the parts received so far. */
export interface UploadRecord {
  upload_id: string;
  library_id: string;
  owner: string;
  name: string;
  size: number;
  sha256: string;
  uploaded_by: string;
  expires_at: string;
  /** SHA-256 of each received part, by part number from 1. */
  parts: Record<string, string>;
  /** A unique part of the key of each stored part. Absent for parts that earlier versions stored. */
  places?: Record<string, string>;
}

/** Limits on the size of uploads, and the hours after which an idle upload expires. */
export interface UploadLimits {
  fileBytes: number;
  userBytes: number;
  libraryFiles: number;
  hours: number;
}

const megabyte = 1024 * 1024;
/** How long other attempts wait for the one that publishes, which takes milliseconds unless its process is killed. */
const publishingMs = 30_000;
const publishingPollMs = 50;

/** The configured limits. */
export function readUploadLimits(config: Config): UploadLimits {
  return {
    fileBytes: config.DOCLOOM_UPLOAD_MAX_MB * megabyte,
    userBytes: config.DOCLOOM_UPLOAD_USER_MB * megabyte,
    libraryFiles: config.DOCLOOM_UPLOAD_LIBRARY_FILES,
    hours: config.DOCLOOM_UPLOAD_HOURS,
  };
}

/** The file that a client announces. */
export interface AnnouncedFile {
  name: string;
  size: number;
  sha256: string;
  uploadedBy: string;
}

type StoredUpload = Omit<UploadRecord, 'upload_id'> & {
  _id: string;
  removed: boolean;
  /** True while the upload is being turned into a file. It takes no parts and cannot be cancelled then. */
  completing: boolean;
  /** Ids of the requests that are completing the upload. One that fails must not reopen it for the others. */
  attempts?: string[];
  /** The attempt that is making the upload a file, and until when the others wait for it, ISO 8601. */
  publisher?: { attempt: string; until: string };
};

/** Uploads into document libraries. A file is not visible before `complete` has verified it. */
export interface LibraryUploads {
  /** Starts an upload. Returns the open upload of the same file, or the file itself, if there is one. */
  begin(
    library: DocumentLibraryRecord,
    file: AnnouncedFile,
  ): Promise<{ upload: UploadRecord; created: boolean } | { file: LibraryFileRecord }>;
  get(libraryId: string, uploadId: string): Promise<UploadRecord | undefined>;
  /** Stores a part. Idempotent. */
  putPart(upload: UploadRecord, part: { number: number; bytes: Uint8Array; sha256?: string }): Promise<UploadRecord>;
  /** Verifies the complete content and makes it a file of the library. Idempotent. */
  complete(upload: UploadRecord, signal: AbortSignal): Promise<LibraryFileRecord>;
  cancel(libraryId: string, uploadId: string): Promise<void>;
  removeLibrary(libraryId: string): Promise<void>;
  /** Removes expired uploads, and leftovers of libraries for which `exists` returns false. */
  sweep(now: Date, exists: (libraryId: string) => Promise<boolean>): Promise<number>;
}

/** Number of parts of a file with this size in bytes. */
export function countParts(size: number): number {
  return Math.ceil(size / uploadPartBytes);
}

/** Stores uploads; `files` receives the completed ones. A class because its methods share five dependencies. */
export class MongoLibraryUploads implements LibraryUploads {
  private readonly uploads;
  private readonly whenReady;

  constructor(
    mongo: Mongo,
    private readonly store: Pick<ObjectStore, 'put' | 'open' | 'removePrefix'>,
    private readonly files: LibraryFiles,
    private readonly limits: UploadLimits,
  ) {
    const uploads = mongo.collection<StoredUpload>('library_uploads');
    this.uploads = uploads;
    this.whenReady = createWhenReady(async () => {
      await uploads.createIndex({ library_id: 1 });
      await uploads.createIndex({ owner: 1 });
      await uploads.createIndex({ expires_at: 1 });
    });
  }

  async begin(library: DocumentLibraryRecord, { uploadedBy, ...announced }: AnnouncedFile) {
    const { library_id, owner } = library;
    if (announced.size > this.limits.fileBytes)
      throw createFullError(`'${announced.name}' has ${announced.size} bytes; the limit is ${this.limits.fileBytes}.`);
    const existingFile = await this.files.findByName(library_id, announced.name);
    if (existingFile && existingFile.name !== announced.name)
      throw createNameTakenError(announced.name, existingFile.name);
    if (existingFile && existingFile.sha256 === announced.sha256 && existingFile.size === announced.size)
      return { file: existingFile };
    return this.whenReady(async () => {
      const open = await this.uploads.findOne({ library_id, ...announced, removed: false });
      if (open) return { upload: readStored(open), created: false };
      const stored: StoredUpload = {
        ...announced,
        _id: randomUUID(),
        library_id,
        owner,
        uploaded_by: uploadedBy,
        expires_at: this.computeExpiry(),
        parts: {},
        removed: false,
        completing: false,
      };
      await this.uploads.insertOne(stored);
      // Checked after the insert, so that concurrent uploads cannot exceed the limit together.
      const problem = await this.findExceededLimit(stored, existingFile);
      if (problem === undefined) return { upload: readStored(stored), created: true };
      await this.uploads.deleteOne({ _id: stored._id });
      throw problem;
    });
  }

  get(libraryId: string, uploadId: string) {
    return guard(async () => {
      const stored = await this.uploads.findOne({ _id: uploadId, library_id: libraryId, removed: false });
      return stored ? readStored(stored) : undefined;
    });
  }

  async putPart(
    upload: UploadRecord,
    { number, bytes, sha256 }: { number: number; bytes: Uint8Array; sha256?: string },
  ) {
    const partCount = countParts(upload.size);
    if (number > partCount) throw createInvalidError(`There is no part ${number}: the file has ${partCount}.`);
    const expected = number < partCount ? uploadPartBytes : upload.size - (partCount - 1) * uploadPartBytes;
    if (bytes.length !== expected)
      throw createInvalidError(`Part ${number} has ${bytes.length} bytes; expected ${expected}. It was not kept.`);
    const digest = hash('sha256', bytes);
    if (sha256 !== undefined && sha256 !== digest)
      throw createInvalidError(
        `Part ${number} arrived with the SHA-256 ${digest}; expected ${sha256}. It was not kept.`,
      );
    if (upload.parts[number] === digest) return upload;
    // Unique, so that removing a replaced part never removes the same bytes of a parallel request.
    const place = randomUUID();
    const key = buildPartKey(upload, number, digest, place);
    await this.store.put(key, bytes);
    const replaced = await guard(() =>
      this.uploads.findOneAndUpdate(
        { _id: upload.upload_id, removed: false, completing: false },
        { $set: { [`parts.${number}`]: digest, [`places.${number}`]: place, expires_at: this.computeExpiry() } },
        { returnDocument: 'before' },
      ),
    );
    if (!replaced) return this.dropLatePart(upload, key);
    // Without this, parts that are sent again could fill the store beyond every limit.
    const earlier = replaced.parts[number];
    if (earlier !== undefined)
      await this.store.removePrefix(buildPartKey(upload, number, earlier, replaced.places?.[number]));
    return { ...readStored(replaced), parts: { ...replaced.parts, [number]: digest } };
  }

  /** Removes a part of an upload that ended or is being completed. */
  private async dropLatePart(upload: UploadRecord, key: string): Promise<never> {
    const { upload_id: id, library_id: libraryId } = upload;
    const current = await this.get(libraryId, id);
    await this.store.removePrefix(key);
    if (current) throw createInvalidError('The upload is being completed; its parts are final.');
    throw createUploadNotFoundError(id);
  }

  async complete(upload: UploadRecord, signal: AbortSignal) {
    listPartKeys(upload);
    const { upload_id } = upload;
    const attempt = randomUUID();
    const final = await guard(() =>
      this.uploads.findOneAndUpdate(
        { _id: upload_id, removed: false },
        { $set: { completing: true, expires_at: this.computeExpiry() }, $push: { attempts: attempt } },
        { returnDocument: 'after' },
      ),
    );
    if (!final) return this.requireFile(upload_id);
    // A part may have been replaced since the upload was read; from now on none is.
    const { upload_id: _id, parts, places, expires_at: _expires, ...content } = readStored(final);
    try {
      const keys = listPartKeys({ ...upload, parts, places });
      const digest = await this.hashContent(keys, signal);
      if (digest !== upload.sha256) {
        await this.reopenEmpty(upload_id, attempt);
        for (const key of keys) await this.store.removePrefix(key);
        throw createInvalidError(
          `The file has the SHA-256 ${digest}; the upload announced ${upload.sha256}. Send all parts again.`,
        );
      }
      // Without this, a late attempt could restore this content after another upload has replaced it.
      if (!(await this.claimPublishing(upload_id, attempt, signal))) return await this.requireFile(upload_id);
      const file = await this.files.publish({ ...content, content_id: upload_id, keys });
      await guard(() => this.uploads.deleteOne({ _id: upload_id }));
      return file;
    } catch (error) {
      await this.endAttempt(upload_id, attempt);
      throw error;
    }
  }

  cancel(libraryId: string, uploadId: string) {
    return this.removeAll({ _id: uploadId, library_id: libraryId, completing: false });
  }

  removeLibrary(libraryId: string) {
    return guard(async () => void (await this.uploads.deleteMany({ library_id: libraryId })));
  }

  async sweep(now: Date, exists: (libraryId: string) => Promise<boolean>) {
    const expired = { $or: [{ removed: true }, { expires_at: { $lt: now.toISOString() } }] };
    const count = await guard(() => this.uploads.countDocuments(expired));
    await this.removeAll(expired);
    await this.files.sweep();
    const libraries = await guard(() => this.uploads.distinct('library_id'));
    for (const library of new Set([...libraries, ...(await this.files.listLibraryIds())])) {
      if (await exists(library)) continue;
      await this.removeLibrary(library);
      await this.files.removeLibrary(library);
    }
    return count;
  }

  /** Marked as removed before the bytes are deleted, so that nobody resumes an upload without them. */
  private async removeAll(filter: Filter<StoredUpload>): Promise<void> {
    await guard(async () => {
      await this.uploads.updateMany(filter, { $set: { removed: true } });
      for await (const { _id, library_id } of this.uploads.find({ ...filter, removed: true })) {
        if (!(await this.files.findByContent(_id))) await this.store.removePrefix(buildContentPrefix(library_id, _id));
        await this.uploads.deleteOne({ _id });
      }
    });
  }

  /** Forgets all parts after a wrong hash, unless another attempt has already done so: new parts may have arrived. */
  private reopenEmpty(uploadId: string, attempt: string) {
    return guard(() =>
      this.uploads.updateOne(
        { _id: uploadId, removed: false, attempts: attempt },
        { $set: { parts: {}, places: {}, attempts: [], completing: false } },
      ),
    );
  }

  /** Accepts parts and cancellation again when no other request is completing the upload. */
  private endAttempt(uploadId: string, attempt: string) {
    return guard(async () => {
      await this.uploads.updateOne({ _id: uploadId }, { $pull: { attempts: attempt } });
      await this.uploads.updateOne({ _id: uploadId, 'publisher.attempt': attempt }, { $unset: { publisher: '' } });
      await this.uploads.updateOne(
        { _id: uploadId, removed: false, 'attempts.0': { $exists: false } },
        { $set: { completing: false } },
      );
    });
  }

  /** True for the only attempt that may publish; false if another one has published. */
  private async claimPublishing(uploadId: string, attempt: string, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const now = Date.now();
      const until = new Date(now + publishingMs).toISOString();
      const freeConditions = [
        { publisher: { $exists: false } },
        { 'publisher.attempt': attempt },
        { 'publisher.until': { $lt: new Date(now).toISOString() } },
      ];
      const claimed = await guard(() =>
        this.uploads.findOneAndUpdate(
          { _id: uploadId, removed: false, attempts: attempt, $or: freeConditions },
          { $set: { publisher: { attempt, until } } },
        ),
      );
      if (claimed) return true;
      const open = await guard(() => this.uploads.findOne({ _id: uploadId, removed: false, attempts: attempt }));
      if (!open) return false;
      await pause(publishingPollMs, signal);
    }
  }

  /** The file that an ended upload has become. Throws UPLOAD_NOT_FOUND if there is none. */
  private async requireFile(uploadId: string): Promise<LibraryFileRecord> {
    const file = await this.files.findByContent(uploadId);
    if (file) return file;
    throw createUploadNotFoundError(uploadId);
  }

  private async hashContent(keys: readonly string[], signal: AbortSignal): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of this.files.open({ keys: [...keys] })) {
      signal.throwIfAborted();
      hash.update(chunk as Uint8Array);
    }
    return hash.digest('hex');
  }

  private computeExpiry(): string {
    return new Date(Date.now() + this.limits.hours * 3_600_000).toISOString();
  }

  /** `replaced` is the file whose space becomes free when the upload completes. */
  private async findExceededLimit({ library_id, owner }: StoredUpload, replaced: LibraryFileRecord | undefined) {
    const filed = await this.files.readUsage(library_id, owner);
    const [open] = await this.uploads
      .aggregate<{ bytes: number }>([
        { $match: { owner, removed: false } },
        { $group: { _id: null, bytes: { $sum: '$size' } } },
      ])
      .toArray();
    const bytes = filed.bytes + (open?.bytes ?? 0) - (replaced?.size ?? 0);
    if (bytes > this.limits.userBytes)
      return createFullError(
        `The libraries of '${owner}' would hold ${bytes} bytes; the limit is ${this.limits.userBytes}.`,
      );
    const uploads = await this.uploads.countDocuments({ library_id, removed: false });
    const files = filed.files + uploads - (replaced ? 1 : 0);
    if (files > this.limits.libraryFiles)
      return createFullError(`The library would hold ${files} files; the limit is ${this.limits.libraryFiles}.`);
    return undefined;
  }
}

/** The error for an upload that does not exist or is no longer open. */
export function createUploadNotFoundError(uploadId: string): AppError {
  return new AppError('UPLOAD_NOT_FOUND', `There is no open upload with ID '${uploadId}' in the library.`, {
    target: { type: 'parameter', name: 'upload_id' },
  });
}

/** The key contains the hash, so that a part that is sent again with other bytes does not overwrite a verified one. */
function buildPartKey(
  upload: Pick<UploadRecord, 'library_id' | 'upload_id'>,
  number: number,
  sha256: string,
  place: string | undefined,
): string {
  const unique = place === undefined ? '' : `${place}.`;
  return `${buildContentPrefix(upload.library_id, upload.upload_id)}${number}.${unique}${sha256}`;
}

/** The keys of all parts in order. Throws UPLOAD_INCOMPLETE if one is missing. */
function listPartKeys(
  upload: Omit<UploadRecord, 'places'> & { places?: UploadRecord['places'] | undefined },
): string[] {
  const { parts, places } = upload;
  const numbers = Array.from({ length: countParts(upload.size) }, (_, index) => index + 1);
  const missing = numbers.filter((number) => parts[number] === undefined);
  if (missing.length > 0)
    throw new AppError(
      'UPLOAD_INCOMPLETE',
      `${missing.length} of ${numbers.length} parts are missing, the first is ${missing[0]}.`,
    );
  return numbers.map((number) => buildPartKey(upload, number, parts[number] ?? '', places?.[number]));
}

function createInvalidError(message: string): AppError {
  return new AppError('UPLOAD_INVALID', message);
}

function createFullError(message: string): AppError {
  return new AppError('LIBRARY_FULL', message);
}

function readStored({
  _id,
  removed: _removed,
  completing: _completing,
  attempts: _attempts,
  publisher: _publisher,
  ...upload
}: StoredUpload): UploadRecord {
  return { upload_id: _id, ...upload };
}

import { hash } from 'node:crypto';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { createGoogleTokens } from '../cloud/google-token';
import type { ExportFormat, ExportRows } from '../document-set/document-set-export';
import type { IndexRecord, IndexWriter } from '../search/ports';
import { openBucketPlace } from './bucket-place';
import type { Claim, ClaimOwner, ExportClaims } from './claims';
import { openCloudPlace } from './cloud-place';
import { type ExportLimits, openFolder } from './folder-place';
import {
  type ExportVectors,
  type IndexPlace,
  type IndexPlaceDeps,
  type IndexTarget,
  openIndexPlace,
} from './index-place';
import { removeIndexed, writeRecords } from './indexed';
import type { ExportOrigin, ExportPlace, ExportScope, ExportTarget, FileTarget } from './place';

/** One file of a document. */
export interface ExportFile {
  documentId: string;
  /** Distinguishes the files of a document. */
  format: string;
  /** The name to use if it is free. */
  name: string;
  mediaType: string;
  content: string | { rows: readonly Row[]; columns: readonly string[]; format: ExportFormat };
}

/** Exported files, one per document and format, and exported records, one per row. */
export interface Exports {
  /** Opens the place. Throws EXPORT_NOT_ALLOWED or ADDRESS_NOT_ALLOWED where the flow may not write. */
  open(target: FileTarget): Promise<OpenExport>;
  openIndex(target: IndexTarget): Promise<OpenIndex>;
  /** Removes files and records; returns the number of files and of documents with records. Nothing else is ever touched. */
  remove(target: ExportTarget, scope: ExportScope): Promise<number>;
  /** Points the alias of an index at it. Does nothing for files. */
  finish(target: ExportTarget, writer: IndexWriter): Promise<void>;
  /** The keys of the places where documents have files or records. */
  listPlaceKeys(jobId: string, documentIds: readonly string[]): Promise<string[]>;
}

/** An open place for files. The caller closes it. */
export interface OpenExport {
  key: string;
  /** Writes the file under its own name, the same in every attempt and every run. Returns the name. */
  write(file: ExportFile, origin: ExportOrigin): Promise<string>;
  /** Removes files; returns their number. Files that were not exported are never touched. */
  remove(scope: ExportScope): Promise<number>;
  close(): void;
}

/** An open index. The caller closes it. */
export interface OpenIndex extends Pick<IndexPlace, 'key' | 'ensure' | 'close'> {
  /** Writes records under their own ids, the same in every attempt and every run. Returns those that the server rejects. */
  write(
    records: readonly IndexRecord[],
    origin: ExportOrigin,
    signal: AbortSignal,
  ): Promise<{ id: string; reason: string }[]>;
}
export type { ExportVectors };

export interface ExportDeps extends IndexPlaceDeps {
  claims: ExportClaims;
  limits: ExportLimits;
  /** Writes tables. */
  rows: ExportRows;
}

/** Exports to folders, buckets, containers and indexes. */
export function createExports(deps: ExportDeps): Exports {
  const { claims, guard, limits, rows } = deps;
  const tokens = createGoogleTokens();
  const openPlace = async (target: FileTarget): Promise<ExportPlace> => {
    if (target.kind === 'folder') return await openFolder(target.path, limits);
    return target.kind === 's3' ? openBucketPlace(target, guard) : openCloudPlace(target, { guard, tokens });
  };
  return {
    async open(target) {
      const place = await openPlace(target);
      return {
        key: place.key,
        async write(file, origin) {
          const bytes = await renderContent(file, rows);
          return writeFile({ claims, place }, file, origin, bytes);
        },
        remove: (scope) => removeFiles({ claims, place }, scope),
        close: () => place.close(),
      };
    },
    async openIndex(target) {
      const place = openIndexPlace(target, deps);
      return {
        key: place.key,
        ensure: (writer, vectors, signal) => place.ensure(writer, vectors, signal),
        write: (records, origin, signal) => writeRecords({ claims, place }, records, { origin, signal }),
        close: () => place.close(),
      };
    },
    async remove(target, scope) {
      if (target.kind === 'elasticsearch')
        return await withPlace(openIndexPlace(target, deps), (place) => removeIndexed({ claims, place }, scope));
      return await withPlace(await openPlace(target), (place) => removeFiles({ claims, place }, scope));
    },
    async finish(target, writer) {
      if (target.kind === 'elasticsearch')
        await withPlace(openIndexPlace(target, deps), (place) => place.finish(writer));
    },
    async listPlaceKeys(jobId, documentIds) {
      return [...new Set((await claims.of(jobId, documentIds)).map(({ place }) => place))];
    },
  };
}

async function withPlace<P extends { close(): void }, T>(place: P, work: (place: P) => Promise<T>): Promise<T> {
  try {
    return await work(place);
  } finally {
    place.close();
  }
}

/** The same exports for a run that may not write into folders. */
export function omitFolders(exports: Exports): Exports {
  return {
    ...exports,
    async open(target) {
      if (target.kind !== 'folder') return exports.open(target);
      throw new AppError(
        'EXPORT_NOT_ALLOWED',
        'The run may not export into folders of the worker: DOCLOOM_EXPORT_PRINCIPALS does not name everybody for whom it acts. Administrators may, where it is not set.',
      );
    },
  };
}

interface Work {
  claims: ExportClaims;
  place: ExportPlace;
}

async function writeFile(
  { claims, place }: Work,
  file: ExportFile,
  { jobId, runId, operator }: ExportOrigin,
  bytes: Uint8Array,
): Promise<string> {
  const owner = { place: place.key, job_id: jobId, operator, document_id: file.documentId, format: file.format };
  const hash = hashBytes(bytes);
  for (const name of iterateCandidates(file)) {
    const claim = await claims.claim(owner, name, runId);
    if (!claim) continue;
    if (claim.written) await place.put(name, bytes, file.mediaType);
    else if (!(await createOwn({ claims, place }, { name, mediaType: file.mediaType }, bytes, hash))) {
      await claims.release(place.key, name);
      continue;
    }
    await claims.written(place.key, name, runId);
    await removeOthers({ claims, place }, owner, name);
    return name;
  }
  throw new AppError(
    'EXPORT_NOT_ALLOWED',
    `'${file.name}' and the names beside it are taken by files that no flow has written; choose another name_template.`,
  );
}

/** False if the name belongs to a file that no attempt of this export wrote. */
async function createOwn(
  { claims, place }: Work,
  { name, mediaType }: { name: string; mediaType: string },
  bytes: Uint8Array,
  hash: string,
): Promise<boolean> {
  const claim = await claims.note(place.key, name, hash);
  if (await place.create(name, bytes, mediaType)) return true;
  const present = await place.read(name);
  if (present && !claim?.written && !claim?.hashes.includes(hashBytes(present))) return false;
  await place.put(name, bytes, mediaType);
  return true;
}

/** Files of the document under names that an earlier template gave them. */
async function removeOthers(work: Work, owner: ClaimOwner, name: string): Promise<void> {
  const all = await work.claims.of(owner.job_id, [owner.document_id]);
  const others = all.filter(
    (claim) =>
      claim.place === owner.place &&
      claim.operator === owner.operator &&
      claim.format === owner.format &&
      claim.name !== name,
  );
  for (const claim of others) await removeFile(work, claim);
}

async function removeFiles(work: Work, { jobId, documentIds, keepRunId }: ExportScope): Promise<number> {
  const all = await work.claims.of(jobId, documentIds);
  const olderFiles = all.filter(({ place, run_id }) => place === work.place.key && run_id !== keepRunId);
  for (const claim of olderFiles) await removeFile(work, claim);
  return olderFiles.length;
}

/** Removes the file first: a claim without a file is removed later, but a file without a claim would stay forever. */
async function removeFile({ claims, place }: Work, { name, written, hashes }: Claim): Promise<void> {
  const present = written ? undefined : await place.read(name);
  if (written || (present && hashes.includes(hashBytes(present)))) await place.remove(name);
  await claims.release(place.key, name);
}

/** The wanted name, then names with the beginning of the document's id, which are the same every time. */
function* iterateCandidates({ name, documentId, format }: ExportFile): Generator<string> {
  yield name;
  const hash = hashBytes(Buffer.from(`${documentId}\0${format}`));
  const dot = name.lastIndexOf('.');
  for (const length of [8, 16, 32]) yield `${name.slice(0, dot)}-${hash.slice(0, length)}${name.slice(dot)}`;
}

async function renderContent({ content }: ExportFile, rows: ExportRows): Promise<Uint8Array> {
  if (typeof content === 'string') return Buffer.from(content);
  const chunks: Uint8Array[] = [];
  const pages = (async function* () {
    yield [...content.rows];
  })();
  for await (const chunk of rows(content.format, content.columns, pages)) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

function hashBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

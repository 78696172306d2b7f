import { toSafeFileName } from '../../model/conversion/request/file-names';
import type { BucketSource } from '../../model/conversion/request/sources';
import { AppError, type ErrorCode } from '../../model/errors';
import { buildResultsPrefix } from '../../services/conversion/files';
import type { NewConversionTask, TaskSource } from '../../services/conversion/ports';
import type { TaskRecord } from '../../services/conversion/record';
import type { ConvertDeps } from './deps';

/** One document of a task, before its bytes are read. */
export type DocumentSource =
  | Exclude<TaskSource, BucketSource>
  /** An object in the bucket of the source with the index `source`. */
  | { kind: 'object'; source: number; key: string; size: number }
  /** A file within a source, or a source, that could not be opened. Its document fails with the reason. */
  | { kind: 'unreadable'; filename: string; code: ErrorCode; message: string };

/** A task with its documents; its buckets are already listed. */
export interface OpenTask {
  id: string;
  tenant: string;
  request: NewConversionTask;
  packaging: TaskRecord['packaging'];
  sources: readonly DocumentSource[];
}

/** Reads each task once per worker, because its request never changes. */
export interface OpenTasks {
  /** Undefined when the task has ended, because its request has then been deleted. */
  get(id: string): Promise<OpenTask | undefined>;
  /** Caches a record that the caller already has. */
  keep(task: TaskRecord): Promise<OpenTask | undefined>;
  forget(id: string): void;
}

/** Tasks in the cache. */
const maxCachedTasks = 200;
/** Larger files, and files that take long whatever their size, are converted outside the workflow's worker. */
const lightBytes = 2 * 1024 * 1024;
const heavyNames =
  /\.(?:pdf|png|jpe?g|tiff?|bmp|webp|avif|heic|heif|gif|wav|mp3|m4a|aac|ogg|flac|mp4|avi|mov|mkv|webm|gz)$/i;

/** Key of the listing of a task's buckets in the files store. */
export function buildListingKey(taskId: string): string {
  return `${buildResultsPrefix(taskId)}listing.json`;
}

/** Caches the tasks in progress. */
export function createOpenTasks({ store, files }: Pick<ConvertDeps, 'store' | 'files'>): OpenTasks {
  const tasks = new Map<string, Promise<OpenTask | undefined>>();
  async function open(record: TaskRecord): Promise<OpenTask | undefined> {
    const { request } = record;
    if (!request) return undefined;
    const sources = record.expandable ? await readListing(files, record._id) : (request.sources as DocumentSource[]);
    return { id: record._id, tenant: record.tenant, request, packaging: record.packaging, sources };
  }
  function remember(id: string, opening: Promise<OpenTask | undefined>): Promise<OpenTask | undefined> {
    tasks.delete(id);
    tasks.set(id, opening);
    opening.catch(() => tasks.delete(id));
    if (tasks.size > maxCachedTasks) tasks.delete(tasks.keys().next().value ?? '');
    return opening;
  }
  return {
    get: (id) =>
      tasks.get(id) ??
      remember(
        id,
        store.getWhole(id).then((record) => (record ? open(record) : undefined)),
      ),
    keep: (record) => remember(record._id, open(record)),
    forget: (id) => void tasks.delete(id),
  };
}

async function readListing(files: ConvertDeps['files'], id: string): Promise<DocumentSource[]> {
  const text = Buffer.from(await files.get(buildListingKey(id))).toString();
  return JSON.parse(text) as DocumentSource[];
}

/** One character per document, in the format of the plan: `1` for light, `0` for heavy. */
export function encodeLightDocuments(sources: readonly DocumentSource[]): string {
  return sources.map((source) => (isLight(source) ? '1' : '0')).join('');
}

function isLight(source: DocumentSource): boolean {
  return source.kind === 'file' && source.size <= lightBytes && !heavyNames.test(source.filename);
}

/** Name and address of the document, known before its bytes are read. */
export function buildName(source: DocumentSource): { filename: string; uri: string } {
  if (source.kind === 'file' || source.kind === 'unreadable')
    return { filename: toSafeFileName(source.filename), uri: source.filename };
  if (source.kind === 'object') return { filename: toSafeFileName(source.key), uri: source.key };
  const path = URL.canParse(source.url) ? new URL(source.url).pathname : source.url;
  return { filename: toSafeFileName(path), uri: source.url };
}

/** Throws SOURCE_TOO_LARGE with the wording that clients expect. */
export function checkSize(size: number, limit: number): void {
  if (limit === 0 || size <= limit) return;
  throw new AppError('SOURCE_TOO_LARGE', `File size ${size} exceeds the max_file_size limit of ${limit} bytes.`);
}

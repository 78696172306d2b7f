import { isBucket } from '../../model/conversion/request/sources';
import { AppError } from '../../model/errors';
import type { Stopwatch } from '../../threads/conversion/timings';
import type { ConvertDeps } from './deps';
import { checkSize, type DocumentSource, buildName, type OpenTask } from './sources';

/** A document that is about to be converted. */
export interface ReadSource {
  filename: string;
  mimetype?: string;
  /** Called when a thread is free, so that waiting documents do not fill the memory. */
  load: () => Promise<Uint8Array>;
}

/**
 * Fetches remote sources now. Sources in the files store are read later, by `load`. Throws SOURCE_TOO_LARGE and the errors of
 * fetching.
 */
export async function readSource(
  { files, fetcher, buckets, settings }: ConvertDeps,
  task: OpenTask,
  source: DocumentSource,
  { watch, signal }: { watch: Stopwatch; signal: AbortSignal },
): Promise<ReadSource> {
  const { filename } = buildName(source);
  if (source.kind === 'unreadable') throw new AppError(source.code, source.message);
  if (source.kind === 'file') {
    checkSize(source.size, settings.maxFileSize);
    const { key, mimetype } = source;
    return { filename, ...(mimetype === undefined ? {} : { mimetype }), load: () => files.get(key) };
  }
  if (source.kind === 'http') {
    const fetched = await watch.measure('fetch', () => fetcher.fetch(source, signal));
    checkSize(fetched.bytes.byteLength, settings.maxFileSize);
    const { bytes, mimetype } = fetched;
    return { filename: fetched.filename, ...(mimetype === undefined ? {} : { mimetype }), load: async () => bytes };
  }
  checkSize(source.size, settings.maxFileSize);
  return { filename, load: () => readObject(buckets, task, source) };
}

/** Reads an object from the bucket of a source. */
async function readObject(
  buckets: ConvertDeps['buckets'],
  { request }: OpenTask,
  { source, key }: { source: number; key: string },
): Promise<Uint8Array> {
  const location = request.sources[source];
  if (!location || !isBucket(location))
    throw new AppError('SOURCE_UNREADABLE', `The source ${source} is not a bucket.`);
  const bucket = buckets.open(location);
  try {
    return await bucket.get(key);
  } finally {
    bucket.close();
  }
}

import { hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';
import { findOutputFile } from '../../model/conversion/request/formats';
import type { BucketTarget } from '../../model/conversion/request/sources';
import type { Artifact } from '../../model/conversion/task/result';
import { AppError, asAppError } from '../../model/errors';
import { type AddressGuard, findAppError, createAddressGuard, formatHostAndPort } from '../net/address-guard';
import { createGuardedConnector } from '../net/guarded-connections';
import { pause } from '../pacing/pause';
import { collectBytes } from '../storage/collect-bytes';
import { type Bucket, type BucketLocation, getEndpoint, openBucket } from '../storage/s3-bucket';
import { withTemporaryFolder } from '../storage/temporary-folder';
import type { RequestBuckets } from './buckets';
import type { DocumentResult, ResultFiles, TaskResult } from './ports';
import { listFiles } from './result-archive';

/** The server's own bucket, for targets of kind `presigned_url`. */
export interface ArtifactStorage {
  location: BucketLocation;
  prefix: string;
  seconds: number;
}

/** Sends results to their targets. Idempotent. Throws CONVERSION_TARGET_FAILED with the reason. */
export interface ResultTargets {
  /** Uploads the archive with a single PUT. */
  put(result: TaskResult, url: string, signal: AbortSignal): Promise<void>;
  /** Uploads every file, into one folder per document. */
  uploadToBucket(result: TaskResult, target: BucketTarget, signal: AbortSignal): Promise<void>;
  /** Uploads every file to the server's own bucket and returns the addresses by document index. */
  uploadAndPresign(result: TaskResult, signal: AbortSignal): Promise<Map<number, Artifact[]>>;
  close(): void;
}

const maxAttempts = 3;
const pauseMs = 500;
const putTimeoutMs = 10 * 60_000;

/** Sends to targets through the address guard. The server's own bucket is exempt. */
export function createResultTargets(deps: {
  guard: AddressGuard;
  buckets: RequestBuckets;
  results: ResultFiles;
  storage: ArtifactStorage | undefined;
}): ResultTargets {
  const { guard, results } = deps;
  const agent = new Agent({
    connect: createGuardedConnector(guard),
    headersTimeout: putTimeoutMs,
    bodyTimeout: putTimeoutMs,
  });
  return {
    put: (result, url, signal) => wrapTargetErrors(() => putArchive({ agent, results, result, url, signal })),
    uploadToBucket: (result, target, signal) =>
      wrapTargetErrors(async () => {
        const bucket = deps.buckets.open(target);
        try {
          const prefix = bucket.prefix === '' || bucket.prefix.endsWith('/') ? bucket.prefix : `${bucket.prefix}/`;
          for (const [document, folder] of iterateFolders(result.documents)) {
            signal.throwIfAborted();
            await writeDocument({ bucket, results }, document, prefix + folder);
          }
        } finally {
          bucket.close();
        }
      }),
    uploadAndPresign: (result, signal) =>
      wrapTargetErrors(async () => {
        const { storage } = deps;
        if (!storage) throw new AppError('MISSING_CONFIGURATION', 'No artifact storage is configured.');
        // The configured bucket may be inside the private network.
        const addressGuard = createAddressGuard([formatHostAndPort(getEndpoint(storage.location))]);
        const bucket = openBucket(storage.location, addressGuard);
        try {
          return await presignAll({ bucket, results, storage }, result, signal);
        } finally {
          bucket.close();
        }
      }),
    close: () => void agent.destroy().catch(() => undefined),
  };
}

async function wrapTargetErrors<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const { code, message } = asAppError(error);
    if (code === 'DATABASE_UNAVAILABLE' || code === 'STORAGE_ERROR') throw error;
    throw new AppError(
      'CONVERSION_TARGET_FAILED',
      `Result could not be written to the requested target. ${message}`,
      {},
      error,
    );
  }
}

interface ArchiveUpload {
  agent: Agent;
  results: ResultFiles;
  result: TaskResult;
  url: string;
  signal: AbortSignal;
}

/** Writes the archive to a file first, because servers require its length. */
async function putArchive({ agent, results, result, url, signal }: ArchiveUpload): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const file = path.join(folder, 'archive.zip');
    await pipeline(results.streamArchive(result), createWriteStream(file), { signal });
    const { size } = await stat(file);
    for (let attempt = 1; ; attempt += 1) {
      const reason = await putOnce(agent, { url, file, size, signal });
      if (reason === undefined) return;
      if (attempt === maxAttempts || !reason.isTemporary) throw new AppError('HTTP_ERROR', `${url}: ${reason.text}`);
      await pause(pauseMs * 2 ** attempt, signal);
    }
  });
}

async function putOnce(
  agent: Agent,
  { url, file, size, signal }: { url: string; file: string; size: number; signal: AbortSignal },
): Promise<{ text: string; isTemporary: boolean } | undefined> {
  try {
    const answer = await request(url, {
      method: 'PUT',
      dispatcher: agent,
      signal,
      headers: { 'content-type': 'application/zip', 'content-length': String(size) },
      body: createReadStream(file),
    });
    await answer.body.dump();
    if (answer.statusCode >= 200 && answer.statusCode < 300) return undefined;
    return { text: `the server answered ${answer.statusCode}`, isTemporary: answer.statusCode >= 500 };
  } catch (error) {
    signal.throwIfAborted();
    const refusal = findAppError(error);
    if (refusal) throw refusal;
    return { text: error instanceof Error ? error.message : String(error), isTemporary: true };
  }
}

/** One folder per document, named after its source. Documents with equal sources get separate folders. */
function* iterateFolders(documents: readonly DocumentResult[]): Generator<[DocumentResult, string]> {
  const seen = new Set<string>();
  for (const document of documents) {
    const { source_uri: uri, index } = document;
    const name = seen.has(uri) ? `${uri}#${index}` : uri;
    seen.add(uri);
    yield [document, `${hash('sha256', name).slice(0, 12)}/`];
  }
}

async function writeDocument(
  { bucket, results }: { bucket: Pick<Bucket, 'put'>; results: ResultFiles },
  document: DocumentResult,
  folder: string,
): Promise<{ name: string; format?: string }[]> {
  const files = listFiles([document]);
  for (const { key, name, format } of files)
    await bucket.put(folder + name, await results.get(key), chooseMediaType(name, format));
  return files;
}

async function presignAll(
  { bucket, results, storage }: { bucket: Bucket; results: ResultFiles; storage: ArtifactStorage },
  result: TaskResult,
  signal: AbortSignal,
): Promise<Map<number, Artifact[]>> {
  const now = new Date();
  const expires = new Date(now.getTime() + storage.seconds * 1_000).toISOString();
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const artifacts = new Map<number, Artifact[]>();
  for (const [document, folder] of iterateFolders(result.documents)) {
    signal.throwIfAborted();
    const place = `${storage.prefix}${day}/${result.task_id}/${folder}`;
    const written = await writeDocument({ bucket, results }, document, place);
    const uploadedArtifacts = written.flatMap(({ name, format }): Artifact[] => {
      const type = findOutputFile(format ?? '')?.artifact;
      if (!type) return [];
      const uri = bucket.presign(place + name, storage.seconds, now);
      return [{ artifact_type: type, mime_type: chooseMediaType(name, format), uri, url_expires_at: expires }];
    });
    if (document.artifacts.length > 0) {
      const name = `${listFiles([document])[0]?.name.replace(/\.[^.]*$/, '') ?? 'document'}_bundle.zip`;
      await bucket.put(place + name, await createWholeArchive(results, result, document), 'application/zip');
      const uri = bucket.presign(place + name, storage.seconds, now);
      uploadedArtifacts.push({
        artifact_type: 'resource_bundle',
        mime_type: 'application/zip',
        uri,
        url_expires_at: expires,
      });
    }
    artifacts.set(document.index, uploadedArtifacts);
  }
  return artifacts;
}

async function createWholeArchive(
  results: ResultFiles,
  result: TaskResult,
  document: DocumentResult,
): Promise<Uint8Array> {
  return await collectBytes(results.streamArchive({ ...result, documents: [document] }, 'bundle'));
}

function chooseMediaType(name: string, format: string | undefined): string {
  if (format !== undefined) return findOutputFile(format)?.mediaType ?? 'application/octet-stream';
  const extension = name.split('.').at(-1) ?? '';
  return `image/${extension === 'jpg' ? 'jpeg' : extension}`;
}

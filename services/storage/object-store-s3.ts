import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { AppError } from '../../model/errors';
import { createS3Client } from '../net/s3-client';
import { collectBytes } from './collect-bytes';
import { checkKey, checkPrefix, createNotStoredError } from './object-keys';
import type { ObjectStore, ScratchFiles } from './object-store-port';
import { withTemporaryFolder } from './temporary-folder';

/** A bucket and its credentials. `prefix` is prepended to every key, so that several installations can share a bucket. */
export interface S3Settings {
  endpoint?: string;
  region: string;
  bucket: string;
  prefix: string;
  accessKey?: string;
  secretKey?: string;
}
type Sdk = typeof import('@aws-sdk/client-s3');
interface Bucket {
  sdk: Sdk;
  client: S3Client;
  name: string;
}

/** Part size of multipart uploads; larger streams are split. S3 requires at least 5 MB per part. */
const partBytes = 8 * 1024 * 1024;

/** Stores objects in a bucket, which is created with the first write if it does not exist. The SDK is loaded on first use. */
export function createS3Store(settings: S3Settings): ObjectStore {
  return new S3Store(settings);
}

class S3Store implements ObjectStore {
  private opened?: Promise<Bucket>;
  private readonly prefix;

  constructor(private readonly settings: S3Settings) {
    this.prefix = settings.prefix === '' || settings.prefix.endsWith('/') ? settings.prefix : `${settings.prefix}/`;
  }

  async get(key: string) {
    const stream = await this.open(key);
    return collectBytes(stream).catch((error: unknown) => {
      throw createStorageError(error, key);
    });
  }

  async exists(key: string) {
    const { sdk, client, name } = await this.bucket();
    return client.send(new sdk.HeadObjectCommand({ Bucket: name, Key: this.keyOf(key) })).then(
      () => true,
      (error: unknown) => {
        if (isMissing(error)) return false;
        throw createStorageError(error, key);
      },
    );
  }

  async removePrefix(start: string) {
    checkPrefix(start);
    const store = await this.bucket();
    for await (const page of readPages(store, this.prefix + start)) {
      const keys = page.map(({ key }) => key);
      await removeKeys(store, keys);
    }
  }

  async withFile<T>(key: string, use: (file: string) => Promise<T>) {
    const stream = await this.open(key);
    return withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'object');
      await pipeline(stream, createWriteStream(file)).catch((error: unknown) => {
        throw createStorageError(error, key);
      });
      return use(file);
    });
  }

  withScratch<T>(use: (scratch: ScratchFiles) => Promise<T>) {
    return withTemporaryFolder((folder) => {
      // Files are named by number, because keys contain slashes.
      const keys: string[] = [];
      const fileFor = (key: string) => {
        if (!keys.includes(key)) keys.push(key);
        return path.join(folder, String(keys.indexOf(key)));
      };
      return use({
        getFile: fileFor,
        keep: async (key) => {
          const file = fileFor(key);
          await this.put(key, createReadStream(file));
          await rm(file, { force: true });
        },
      });
    });
  }

  async removeUnfinished(before: Date) {
    return abortUploads(await this.bucket(), this.prefix, before);
  }

  close() {
    this.opened?.then(({ client }) => client.destroy()).catch(() => undefined);
    this.opened = undefined;
  }

  private bucket() {
    return (this.opened ??= openBucket(this.settings));
  }

  private keyOf(key: string) {
    checkKey(key);
    return this.prefix + key;
  }

  async open(key: string): Promise<Readable> {
    const { sdk, client, name } = await this.bucket();
    const reply = await client
      .send(new sdk.GetObjectCommand({ Bucket: name, Key: this.keyOf(key) }))
      .catch((error: unknown) => {
        throw createStorageError(error, key);
      });
    return reply.Body as Readable;
  }

  async *list(start: string): AsyncGenerator<string> {
    for await (const { key } of this.listSizes(start)) yield key;
  }

  async *listSizes(start: string): AsyncGenerator<{ key: string; bytes: number }> {
    if (start !== '') checkPrefix(start);
    for await (const page of readPages(await this.bucket(), this.prefix + start))
      yield* page.map(({ key, bytes }) => ({ key: key.slice(this.prefix.length), bytes }));
  }

  async put(key: string, bytes: Uint8Array | Readable): Promise<void> {
    const target = this.keyOf(key);
    const store = await this.bucket();
    await (bytes instanceof Uint8Array ? putBytes(store, target, bytes) : putStream(store, target, bytes)).catch(
      (error: unknown) => {
        throw createStorageError(error, key);
      },
    );
  }
}

async function openBucket(settings: S3Settings): Promise<Bucket> {
  const { accessKey, secretKey } = settings;
  const client = await createS3Client({
    region: settings.region,
    forcePathStyle: true,
    ...(settings.endpoint ? { endpoint: settings.endpoint } : {}),
    ...(accessKey && secretKey ? { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } } : {}),
  });
  return { ...client, name: settings.bucket };
}

async function putBytes(store: Bucket, key: string, bytes: Uint8Array): Promise<void> {
  const command = new store.sdk.PutObjectCommand({ Bucket: store.name, Key: key, Body: bytes });
  await withBucket(store, () => store.client.send(command));
}

/** Holds one part in memory at a time, because the length of a stream is unknown until its end. */
async function putStream(store: Bucket, key: string, stream: Readable): Promise<void> {
  const { sdk, client, name } = store;
  const parts = readParts(stream);
  const first = await parts.next();
  const second = await parts.next();
  if (second.done) return putBytes(store, key, first.value ?? new Uint8Array());
  const target = { Bucket: name, Key: key };
  const { UploadId } = await withBucket(store, () => client.send(new sdk.CreateMultipartUploadCommand(target)));
  try {
    const sent: { ETag?: string; PartNumber: number }[] = [];
    const send = async (body: Uint8Array) => {
      const PartNumber = sent.length + 1;
      const { ETag } = await client.send(new sdk.UploadPartCommand({ ...target, UploadId, PartNumber, Body: body }));
      sent.push({ ETag, PartNumber });
    };
    await send(first.value as Uint8Array);
    await send(second.value);
    for await (const part of parts) await send(part);
    await client.send(
      new sdk.CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts: sent } }),
    );
  } catch (error) {
    // Report the first error. The next sweep removes parts that could not be removed here.
    await client.send(new sdk.AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => undefined);
    throw error;
  }
}

async function* readParts(stream: Readable): AsyncGenerator<Uint8Array, undefined> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array | string>) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (size < partBytes) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(chunks);
}

/** Sends a request again after creating the bucket, if it does not exist. */
async function withBucket<T>(store: Bucket, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if ((error as Error).name !== 'NoSuchBucket') throw error;
    await store.client.send(new store.sdk.CreateBucketCommand({ Bucket: store.name })).catch((other: unknown) => {
      // Another process created the bucket first.
      if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes((other as Error).name)) throw other;
    });
    return send();
  }
}

async function* readPages(
  { sdk, client, name }: Bucket,
  prefix: string,
): AsyncGenerator<{ key: string; bytes: number }[]> {
  let token: string | undefined;
  do {
    const page = await client
      .send(new sdk.ListObjectsV2Command({ Bucket: name, Prefix: prefix, ContinuationToken: token }))
      .catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw createStorageError(error, prefix);
      });
    yield (page?.Contents ?? []).map(({ Key = '', Size = 0 }) => ({ key: Key, bytes: Size }));
    token = page?.NextContinuationToken;
  } while (token);
}

async function removeKeys({ sdk, client, name }: Bucket, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  const reply = await client
    .send(
      new sdk.DeleteObjectsCommand({ Bucket: name, Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true } }),
    )
    .catch((error: unknown) => {
      throw createStorageError(error, keys[0] ?? '');
    });
  // Some servers report a key that another request has removed meanwhile.
  const failed = reply.Errors?.find(({ Code }) => Code !== 'NoSuchKey');
  if (failed)
    throw new AppError(
      'STORAGE_ERROR',
      `The object store did not remove '${failed.Key}': ${failed.Message ?? failed.Code}.`,
    );
}

/** Aborts abandoned multipart uploads, whose parts occupy storage until then. */
async function abortUploads({ sdk, client, name }: Bucket, prefix: string, before: Date): Promise<number> {
  let aborted = 0;
  let markers: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (;;) {
    const page = await client
      .send(new sdk.ListMultipartUploadsCommand({ Bucket: name, Prefix: prefix, ...markers }))
      .catch((error: unknown) => {
        // Not every S3-compatible server can list them.
        if (isMissing(error) || (error as Error).name === 'NotImplemented') return undefined;
        throw createStorageError(error, prefix);
      });
    for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
      if (!Initiated || Initiated >= before || !Key?.startsWith(prefix)) continue;
      await client
        .send(new sdk.AbortMultipartUploadCommand({ Bucket: name, Key, UploadId }))
        .catch((error: unknown) => {
          throw createStorageError(error, Key);
        });
      aborted += 1;
    }
    if (!page?.IsTruncated) return aborted;
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

function isMissing(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound', 'NoSuchBucket'].includes((error as Error).name);
}

function createStorageError(error: unknown, key: string): AppError {
  if (error instanceof AppError) return error;
  if (isMissing(error)) return createNotStoredError(key, error);
  const { name, message } = error as Error;
  return new AppError('STORAGE_ERROR', `The object store failed for '${key}': ${name} ${message}`.trim(), {}, error);
}

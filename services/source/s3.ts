import type { Readable } from 'node:stream';
import type {
  GetObjectCommandOutput,
  ListObjectsV2CommandOutput,
  S3Client,
  _Object as S3Object,
} from '@aws-sdk/client-s3';
import { AppError } from '../../model/errors';
import { readS3Settings, type S3SourceSettings } from '../../model/source/remote-source';
import type { AddressGuard } from '../net/address-guard';
import { createS3Client } from '../net/s3-client';
import { createConnectedSource } from './connected-source';
import { type KeyStore, type StoredObject, walkKeys } from './key-walk';
import { limitBytes } from './limit-bytes';
import type { Source } from './source';

type Sdk = typeof import('@aws-sdk/client-s3');
interface Bucket {
  sdk: Sdk;
  client: S3Client;
  settings: S3SourceSettings;
}

/**
 * Lists the objects of a bucket on any S3 server, page by page in the order of their keys. `.acl.json` objects define who may
 * read the objects next to and below them. `pageKeys` is the number of keys per page (default: the server's). Every connection
 * passes the guard. The SDK is loaded on first use.
 */
export function createS3Source({ guard, pageKeys }: { guard: AddressGuard; pageKeys?: number }): Source {
  return createConnectedSource<Bucket>({
    open: (config) => open(readS3Settings(config), guard),
    close: ({ client }) => client.destroy(),
    list: (bucket, signal, after) => walkKeys(toKeyStore(bucket, signal, pageKeys), bucket.settings, signal, after),
    read: readBytes,
  });
}

/** Without keys in the flow the bucket is read anonymously: the worker's own identity does not belong to the flow. */
const anonymous = {
  signer: { sign: async (request: never) => request },
  credentials: { accessKeyId: '', secretAccessKey: '' },
};

async function open(settings: S3SourceSettings, guard: AddressGuard): Promise<Bucket> {
  const { endpoint, accessKey, secretKey } = settings;
  if (settings.bucket === '')
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'Missing bucket name; expected `connection_params.bucket`.');
  if (endpoint !== undefined && !URL.canParse(endpoint))
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `endpoint_url is '${endpoint}'; expected an http or https address.`,
    );
  const client = await createS3Client(
    {
      region: settings.region,
      forcePathStyle: endpoint !== undefined,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(accessKey !== undefined && secretKey !== undefined
        ? { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } }
        : anonymous),
    },
    guard,
  );
  return { ...client, settings };
}

function toKeyStore(bucket: Bucket, signal: AbortSignal, pageKeys: number | undefined): KeyStore {
  const { settings } = bucket;
  const { endpoint, bucket: name, prefix, skipEmpty } = settings;
  return {
    source: `s3:${endpoint === undefined ? '' : new URL(endpoint).host}/${name}`,
    prefix,
    skipEmpty,
    metadata: { bucket: name },
    pathOf: (key) => `s3://${name}/${key}`,
    objects: () => listObjects(bucket, signal, { pageKeys }),
    objectsAfter: (key) => listObjects(bucket, signal, { pageKeys, after: key }),
    text: (key) => readText(bucket, key, signal),
  };
}

async function* listObjects(
  { sdk, client, settings }: Bucket,
  signal: AbortSignal,
  { pageKeys, after }: { pageKeys: number | undefined; after?: string },
): AsyncGenerator<StoredObject> {
  const tokens = new Set<string>();
  let token: string | undefined;
  do {
    signal.throwIfAborted();
    const page: ListObjectsV2CommandOutput = await client
      .send(
        new sdk.ListObjectsV2Command({
          Bucket: settings.bucket,
          Prefix: settings.prefix,
          ContinuationToken: token,
          StartAfter: token === undefined ? after : undefined,
          MaxKeys: pageKeys,
          ...(settings.recursive ? {} : { Delimiter: '/' }),
        }),
        { abortSignal: signal },
      )
      .catch((error: unknown) => {
        throw createListError(error, settings, signal);
      });
    yield* (page.Contents ?? []).map(toObject);
    token = page.NextContinuationToken;
    // A server that repeats a token would be listed forever.
    if (token !== undefined && tokens.has(token))
      throw new AppError(
        'INVALID_RESPONSE',
        `The server's listing of the bucket '${settings.bucket}' never ends: it repeats itself.`,
      );
    if (token !== undefined) tokens.add(token);
  } while (token !== undefined);
}

function toObject({ Key: key = '', Size: size = 0, LastModified: modified, ETag: version }: S3Object): StoredObject {
  return { key, size, modifiedTime: modified?.toISOString() ?? '', ...(version === undefined ? {} : { version }) };
}

async function readText(bucket: Bucket, key: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const reply = await get(bucket, key, signal);
    return await reply.Body?.transformToString('utf8');
  } catch (error) {
    signal.throwIfAborted();
    if (getName(error) === 'NoSuchKey' || getName(error) === 'NotFound') return undefined;
    throw error;
  }
}

function get({ sdk, client, settings }: Bucket, key: string, signal: AbortSignal): Promise<GetObjectCommandOutput> {
  return client.send(new sdk.GetObjectCommand({ Bucket: settings.bucket, Key: key }), { abortSignal: signal });
}

async function* readBytes(bucket: Bucket, file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const start = `s3://${bucket.settings.bucket}/`;
  const key = file.slice(start.length);
  if (!file.startsWith(start) || !key.startsWith(bucket.settings.prefix))
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is not an object below ${start}${bucket.settings.prefix}.`);
  const { maxFileBytes } = bucket.settings;
  try {
    const reply = await get(bucket, key, signal);
    yield* limitBytes(reply.Body as Readable, { name: file, announced: reply.ContentLength, maxBytes: maxFileBytes });
  } catch (error) {
    throw createReadError(error, file, signal);
  }
}

/** Codes for rejected keys, as opposed to missing permissions. */
const signInCodes = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'ExpiredToken']);

/** An error that ends the listing ends the run: a missing or inaccessible bucket must not look like an empty one. */
function createListError(error: unknown, { bucket, endpoint }: S3SourceSettings, signal: AbortSignal): unknown {
  signal.throwIfAborted();
  const place = `The bucket '${bucket}'${endpoint ? ` at ${endpoint}` : ''}`;
  const code = getName(error);
  if (code === 'NoSuchBucket' || code === 'NotFound')
    return new AppError('SOURCE_NOT_FOUND', `${place} does not exist.`, {}, error);
  if (getStatus(error) === 401 || signInCodes.has(code))
    return new AppError('SOURCE_SIGN_IN_FAILED', `${place} does not accept these credentials: ${code}.`, {}, error);
  if (getStatus(error) === 403)
    return new AppError('SOURCE_NOT_ALLOWED', `${place} cannot be listed with these credentials: ${code}.`, {}, error);
  return (
    findConnectionError(error, place) ??
    new AppError('EXTERNAL_SERVICE_ERROR', `${place} cannot be listed: ${getMessage(error)}`, {}, error)
  );
}

function createReadError(error: unknown, file: string, signal: AbortSignal): unknown {
  signal.throwIfAborted();
  if (error instanceof AppError) return error;
  if (getName(error) === 'NoSuchKey' || getName(error) === 'NotFound')
    return new AppError('SOURCE_GONE', `'${file}' no longer exists.`, {}, error);
  return (
    findConnectionError(error, `'${file}'`) ??
    new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: ${getName(error)}: ${getMessage(error)}`, {}, error)
  );
}

/** Without a response, the server is unavailable, which is temporary. A rejection by the guard is permanent. */
function findConnectionError(error: unknown, place: string): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof AppError) return cause;
  if (getStatus(error) !== undefined) return undefined;
  return new AppError('CONNECTION_ERROR', `${place} cannot be reached: ${getMessage(error)}`, {}, error);
}

const getName = (error: unknown) => (error instanceof Error ? error.name : 'Error');
const getMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));
const getStatus = (error: unknown) =>
  (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode;

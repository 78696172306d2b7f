import type { Readable } from 'node:stream';
import type { S3Source } from '../../model/conversion/request/sources';
import { AppError } from '../../model/errors';
import { type AddressGuard, findAppError } from '../net/address-guard';
import { createS3Client } from '../net/s3-client';
import { limitBytes } from '../source/limit-bytes';
import { collectBytes } from './collect-bytes';
import { presign } from './s3-presign';

/** A bucket named by a request or in the settings. The caller handles `max_num_elements`. */
export type BucketLocation = Pick<
  S3Source,
  'endpoint' | 'verify_ssl' | 'access_key' | 'secret_key' | 'bucket' | 'region'
>;

/** Objects of one bucket. Errors of the server become EXTERNAL_SERVICE_ERROR, those of the guard stay ADDRESS_NOT_ALLOWED. */
export interface Bucket {
  /** Sorted by key, without folders. */
  list(prefix: string): AsyncIterable<{ key: string; size: number }>;
  /** Throws SOURCE_TOO_LARGE beyond `maxBytes`; the size that the server announces is not trusted. */
  get(key: string, maxBytes?: number): Promise<Uint8Array>;
  put(key: string, bytes: Uint8Array, mediaType: string): Promise<void>;
  /** A missing object is not an error. */
  remove(key: string): Promise<void>;
  /** A URL that lets anybody read the object for this time. */
  presign(key: string, seconds: number, now: Date): string;
  close(): void;
}

const defaultRegion = 'us-east-1';

/** The URL of an endpoint, with or without a protocol. */
export function getEndpoint({ endpoint, verify_ssl }: Pick<BucketLocation, 'endpoint' | 'verify_ssl'>): URL {
  const text = endpoint.includes('://') ? endpoint : `${verify_ssl ? 'https' : 'http'}://${endpoint}`;
  if (URL.canParse(text)) return new URL(text);
  throw new AppError('VALIDATION_ERROR', `'${endpoint}' is not a host of an S3 server.`);
}

/** Opens a bucket. Every connection passes the guard. The SDK is loaded on first use. */
export function openBucket(location: BucketLocation, guard: AddressGuard): Bucket {
  const endpoint = getEndpoint(location);
  const region = location.region || defaultRegion;
  const credentials = { accessKeyId: location.access_key, secretAccessKey: location.secret_key };
  let opened: ReturnType<typeof createS3Client> | undefined;
  const open = () =>
    (opened ??= createS3Client({ region, endpoint: endpoint.href, forcePathStyle: true, credentials }, guard));
  const rethrow = (action: string) => (error: unknown) => {
    throw createBucketError(error, `${action} in the bucket '${location.bucket}' at ${endpoint.host}`);
  };

  return {
    async *list(prefix) {
      const { sdk, client } = await open();
      let token: string | undefined;
      do {
        const page = await client
          .send(new sdk.ListObjectsV2Command({ Bucket: location.bucket, Prefix: prefix, ContinuationToken: token }))
          .catch(rethrow(`listing '${prefix}'`));
        for (const { Key: key = '', Size: size = 0 } of page.Contents ?? [])
          if (!key.endsWith('/')) yield { key, size };
        token = page.NextContinuationToken;
      } while (token);
    },
    async get(key, maxBytes = Infinity) {
      const { sdk, client } = await open();
      const reply = await client
        .send(new sdk.GetObjectCommand({ Bucket: location.bucket, Key: key }))
        .catch(rethrow(`reading '${key}'`));
      return await collectBytes(limitBytes(reply.Body as Readable, { name: key, maxBytes }));
    },
    async put(key, bytes, mediaType) {
      const { sdk, client } = await open();
      await client
        .send(new sdk.PutObjectCommand({ Bucket: location.bucket, Key: key, Body: bytes, ContentType: mediaType }))
        .catch(rethrow(`writing '${key}'`));
    },
    async remove(key) {
      const { sdk, client } = await open();
      await client
        .send(new sdk.DeleteObjectCommand({ Bucket: location.bucket, Key: key }))
        .catch(rethrow(`removing '${key}'`));
    },
    presign: (key, seconds, now) =>
      presign(
        { endpoint, region, bucket: location.bucket, accessKey: location.access_key, secretKey: location.secret_key },
        { key, seconds, now },
      ),
    close() {
      void opened?.then(({ client }) => client.destroy()).catch(() => undefined);
      opened = undefined;
    },
  };
}

/** `action` is what failed, as in "reading 'a.pdf' in the bucket …". */
function createBucketError(error: unknown, action: string): AppError {
  const refusal = findAppError(error);
  if (refusal) return refusal;
  const { name, message } = error as Error;
  return new AppError('EXTERNAL_SERVICE_ERROR', `S3 failed ${action}: ${name} ${message}`.trim(), {}, error);
}

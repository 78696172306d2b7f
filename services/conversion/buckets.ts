import type { BucketSource, BucketTarget } from '../../model/conversion/request/sources';
import { AppError } from '../../model/errors';
import { readConnectionString } from '../../model/source/azure-container';
import { openAzureContainer } from '../cloud/azure-container';
import type { CloudStore } from '../cloud/cloud-store';
import { openGoogleBucket } from '../cloud/google-bucket';
import { readGoogleKey } from '../cloud/google-key';
import { createGoogleTokens } from '../cloud/google-token';
import type { AddressGuard } from '../net/address-guard';
import { limitBytes } from '../source/limit-bytes';
import { collectBytes } from '../storage/collect-bytes';
import { openBucket } from '../storage/s3-bucket';

/** A bucket or container that a request names. The caller handles `max_num_elements`. */
export interface RequestBucket {
  /** As given in the request. */
  prefix: string;
  /** The objects below the prefix, sorted by key, without folders. */
  list(signal: AbortSignal): AsyncIterable<{ key: string; size: number }>;
  get(key: string): Promise<Uint8Array>;
  put(key: string, bytes: Uint8Array, mediaType: string): Promise<void>;
  close(): void;
}

/** Opens the buckets and containers that requests name. Every connection passes the guard. */
export interface RequestBuckets {
  open(place: BucketSource | BucketTarget): RequestBucket;
}

/** `googleEndpoint` is the address of Google Cloud Storage, which requests cannot name. */
export function createRequestBuckets({
  guard,
  googleEndpoint,
}: {
  guard: AddressGuard;
  googleEndpoint: string;
}): RequestBuckets {
  const tokens = createGoogleTokens();
  return {
    open(place) {
      if (place.kind === 's3') {
        const bucket = openBucket(place, guard);
        return { ...bucket, prefix: place.key_prefix, list: () => bucket.list(place.key_prefix) };
      }
      if (place.kind === 'azure_blob') {
        const { account_name: account, container, connection_string: text } = place;
        const location = readConnectionString(text, { account, container });
        if (typeof location === 'string') throw new AppError('VALIDATION_ERROR', `${location}.`);
        return toRequestBucket(openAzureContainer(location, guard), place.blob_prefix);
      }
      const { bucket, service_account_key: key } = place;
      const location = {
        bucket,
        endpoint: googleEndpoint,
        ...(key ? { key: readGoogleKey(JSON.stringify(key)) } : {}),
      };
      return toRequestBucket(openGoogleBucket(location, 'read_write', { guard, tokens }), place.key_prefix);
    },
  };
}

function toRequestBucket(store: CloudStore, prefix: string): RequestBucket {
  const ended = new AbortController();
  const { signal: attemptSignal } = ended;
  return {
    prefix,
    async *list(signal) {
      for await (const { key, size } of store.list({ prefix, recursive: true }, signal))
        if (key.startsWith(prefix) && !key.endsWith('/')) yield { key, size };
    },
    async get(key) {
      const body = await store.get(key, attemptSignal);
      if (!body) throw new AppError('SOURCE_GONE', `'${key}' no longer exists in ${store.place}.`);
      return await collectBytes(limitBytes(body.parts, { name: key, announced: body.announced }));
    },
    put: async (key, bytes, mediaType) => void (await store.put(key, bytes, { mediaType }, attemptSignal)),
    close() {
      ended.abort(new AppError('CONNECTION_ERROR', 'The task has closed its connection.'));
      store.close();
    },
  };
}

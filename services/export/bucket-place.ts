import { AppError, asAppError } from '../../model/errors';
import type { AddressGuard } from '../net/address-guard';
import { getEndpoint, openBucket } from '../storage/s3-bucket';
import type { ExportPlace, ExportTarget } from './place';

/** Opens a bucket of any S3 server. Every connection passes the guard. */
export function openBucketPlace(target: Extract<ExportTarget, { kind: 's3' }>, guard: AddressGuard): ExportPlace {
  const { bucket: name, prefix, region } = target;
  const endpoint = target.endpoint ?? `https://s3.${region}.amazonaws.com`;
  const location = {
    endpoint,
    verify_ssl: true,
    access_key: target.accessKey,
    secret_key: target.secretKey,
    bucket: name,
    region,
  };
  const bucket = openBucket(location, guard);
  const place: ExportPlace = {
    key: `s3:${getEndpoint(location).host}/${name}/${prefix}`,
    put: (file, bytes, mediaType) => bucket.put(prefix + file, bytes, mediaType).catch(fail),
    read: (file, maxBytes) =>
      bucket.get(prefix + file, maxBytes).catch((error: unknown) => {
        if (findCause(error).name === 'NoSuchKey') return undefined;
        return fail(error);
      }),
    // Not every server supports conditional writes. The name belongs to one document, so only other programs could write in
    // between.
    async create(file, bytes, mediaType) {
      if (await place.read(file)) return false;
      await place.put(file, bytes, mediaType);
      return true;
    },
    remove: (file) => bucket.remove(prefix + file).catch(fail),
    close: () => bucket.close(),
  };
  return place;
}

interface S3Error {
  name?: string;
  $metadata?: { httpStatusCode?: number };
}

function findCause(error: unknown): S3Error {
  return (error as AppError).cause ?? {};
}

/** The run waits for a server that does not answer. Keys without write access end the run. */
function fail(error: unknown): never {
  const appError = asAppError(error);
  if (appError.code !== 'EXTERNAL_SERVICE_ERROR') throw appError;
  const { name, $metadata } = findCause(error);
  const status = $metadata?.httpStatusCode;
  if (status === undefined) throw new AppError('CONNECTION_ERROR', appError.message, {}, error);
  const isRefused = status === 401 || status === 403 || name === 'NoSuchBucket';
  throw isRefused ? new AppError('EXPORT_NOT_ALLOWED', appError.message, {}, error) : appError;
}

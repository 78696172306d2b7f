import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { parseJson } from '../../model/json';
import type { GoogleBucket } from '../../model/source/google-bucket';
import { isPlainKey } from '../../model/source/plain-key';
import { trimSlashes } from '../../model/trim-slashes';
import { parse } from '../../model/validate';
import type { AddressGuard } from '../net/address-guard';
import {
  contentTimeoutMs,
  createRequests,
  readText,
  type RemoteRequest,
  type Requests,
} from '../source/remote/requests';
import {
  addQuery,
  type CloudObject,
  type CloudStore,
  listPages,
  type ObjectListing,
  toBody,
  toCloudError,
  toFacts,
} from './cloud-store';
import type { GoogleScope, GoogleTokens } from './google-token';

const defaultEndpoint = 'https://storage.googleapis.com';
const maxPageBytes = 64 * 1024 * 1024;
const maxErrorBytes = 1024 * 1024;

const Page = Type.Object({
  items: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        size: Type.Optional(Type.String()),
        updated: Type.Optional(Type.String()),
        contentType: Type.Optional(Type.String()),
        generation: Type.Optional(Type.String()),
      }),
    ),
  ),
  nextPageToken: Type.Optional(Type.String()),
});
const Refusal = Type.Object({
  error: Type.Object({ errors: Type.Optional(Type.Array(Type.Object({ reason: Type.Optional(Type.String()) }))) }),
});

interface Bucket {
  requests: Requests;
  location: GoogleBucket;
  tokens: GoogleTokens;
  scope: GoogleScope;
  endpoint: string;
  /** The bucket as named in messages. */
  place: string;
}

/** Dependencies for opening buckets. */
export interface GoogleDeps {
  guard: AddressGuard;
  tokens: GoogleTokens;
  /** Objects per page; default: the server's. */
  pageKeys?: number | undefined;
}

/**
 * Opens a bucket of Google Cloud Storage through its JSON API. Without a key it is read anonymously. Every connection passes
 * the guard.
 */
export function openGoogleBucket(
  location: GoogleBucket,
  scope: GoogleScope,
  { guard, tokens, pageKeys }: GoogleDeps,
): CloudStore {
  const endpoint = readEndpoint(location);
  const { host } = new URL(endpoint);
  const requests = createRequests(guard);
  const bucket: Bucket = {
    requests,
    location,
    tokens,
    scope,
    endpoint,
    place: `The bucket '${location.bucket}' at ${host}`,
  };
  const { place } = bucket;
  const objects = `${endpoint}/storage/v1/b/${encodeURIComponent(location.bucket)}/o`;
  const getUrl = (key: string): URL => {
    if (isPlainKey(key)) return new URL(`${objects}/${encodeURIComponent(key)}`);
    throw new AppError('SOURCE_UNREADABLE', `${place} cannot have an object with this name.`);
  };
  return {
    place: `${host}/${location.bucket}`,
    list: (listing, signal) =>
      listPages(place, (pageToken) => readPage(bucket, { ...listing, objects, pageToken, pageKeys }, signal)),
    async get(key, signal) {
      const url = getUrl(key);
      url.searchParams.set('alt', 'media');
      const response = await send(bucket, { url, timeoutMs: contentTimeoutMs }, signal);
      if (response.ok) return toBody(response);
      if (response.status !== 404) throw await refuse(bucket, response, 'be read');
      await response.body?.cancel();
      return undefined;
    },
    async put(key, bytes, { mediaType, onlyNew = false }, signal) {
      getUrl(key);
      const url = new URL(`${endpoint}/upload/storage/v1/b/${encodeURIComponent(location.bucket)}/o`);
      addQuery(url, { uploadType: 'media', name: key, ifGenerationMatch: onlyNew ? 0 : '' });
      const headers = { 'content-type': mediaType };
      const response = await send(
        bucket,
        { url, method: 'POST', headers, body: bytes, timeoutMs: contentTimeoutMs },
        signal,
      );
      const isTaken = onlyNew && response.status === 412;
      if (!response.ok && !isTaken) throw await refuse(bucket, response, 'be written');
      await response.body?.cancel();
      return response.ok;
    },
    async remove(key, signal) {
      const response = await send(bucket, { url: getUrl(key), method: 'DELETE' }, signal);
      if (!response.ok && response.status !== 404) throw await refuse(bucket, response, 'be changed');
      await response.body?.cancel();
    },
    close: () => requests.close(),
  };
}

interface PageRequest extends ObjectListing {
  /** The address of the object collection. */
  objects: string;
  pageToken: string;
  pageKeys: number | undefined;
}

async function readPage(
  bucket: Bucket,
  { objects, prefix, recursive, pageToken, pageKeys, after = '' }: PageRequest,
  signal: AbortSignal,
): Promise<{ objects: CloudObject[]; next: string }> {
  const url = new URL(objects);
  const fields = 'items(name,size,updated,contentType,generation),nextPageToken';
  addQuery(url, {
    fields,
    prefix,
    pageToken,
    startOffset: after,
    delimiter: recursive ? '' : '/',
    maxResults: pageKeys ?? '',
  });
  const response = await send(bucket, { url }, signal);
  if (!response.ok) throw await refuse(bucket, response, 'be listed');
  const answer = parseJson(await readText(response, maxPageBytes));
  const page = parse(Page, answer, `The listing of ${bucket.place}`, 'INVALID_RESPONSE');
  return { objects: (page.items ?? []).map(toObject), next: page.nextPageToken ?? '' };
}

function readEndpoint({ endpoint = defaultEndpoint, bucket }: GoogleBucket): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'endpoint_url is not an http or https address.');
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(bucket))
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', `'${bucket}' cannot be the name of a bucket.`);
  return `${url.origin}${trimSlashes(url.pathname)}`;
}

async function send(bucket: Bucket, request: RemoteRequest, signal: AbortSignal): Promise<Response> {
  const { requests, location, tokens, scope } = bucket;
  const { key } = location;
  if (!key) return await requests.send(request, signal);
  const sendAuthorized = async (): Promise<Response> => {
    const token = await tokens.getToken(key, scope, requests, signal);
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    return await requests.send({ ...request, headers }, signal);
  };
  const response = await sendAuthorized();
  if (response.status !== 401) return response;
  // The token expired early; with a new token, a refusal concerns the key.
  tokens.drop(key, scope);
  await response.body?.cancel();
  return await sendAuthorized();
}

async function refuse({ place }: Bucket, response: Response, action: string): Promise<AppError> {
  const { status } = response;
  const reason = findReason(await readText(response, maxErrorBytes).catch(() => ''));
  if (status === 403 && /^(?:user)?rateLimitExceeded$/i.test(reason))
    return new AppError('CONNECTION_ERROR', `${place} asks to wait (${status} ${reason}).`, { retryAfterMs: 60_000 });
  return toCloudError({ place, action, status, code: reason, isSignIn: status === 401 });
}

function findReason(text: string): string {
  try {
    return parse(Refusal, parseJson(text), 'The answer', 'INVALID_RESPONSE').error.errors?.[0]?.reason ?? '';
  } catch {
    return '';
  }
}

function toObject({ name, size, updated, contentType, generation }: Item): CloudObject {
  return {
    key: name,
    ...toFacts({ size, modified: updated, mimetype: contentType }),
    ...(generation === undefined ? {} : { version: generation }),
  };
}
type Item = NonNullable<Static<typeof Page>['items']>[number];

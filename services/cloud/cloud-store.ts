import { AppError } from '../../model/errors';

/** An object as listed by its server. The values are not checked: sizes may be wrong, keys may be anything. */
export interface CloudObject {
  key: string;
  size: number;
  /** ISO 8601; empty if the server does not report it. */
  modifiedTime: string;
  version?: string;
  mimetype?: string;
}

/** Options for listing objects. */
export interface ObjectListing {
  /** Where an earlier listing ended. Servers that support it begin there; others also list earlier keys. */
  after?: string;
  prefix: string;
  /** If false, only keys without a `/` after the prefix are listed. */
  recursive: boolean;
}

/** Options for writing an object. */
export interface ObjectWriting {
  mediaType: string;
  /** Write only if no object has this key. */
  onlyNew?: boolean;
}

/**
 * A container of Azure Blob Storage or a bucket of Google Cloud Storage. Calls throw SOURCE_NOT_FOUND if it does not exist,
 * SOURCE_SIGN_IN_FAILED if the credentials are rejected, SOURCE_NOT_ALLOWED if they lack permissions, CONNECTION_ERROR while
 * the server is unavailable or busy, and EXTERNAL_SERVICE_ERROR for other responses. Messages never contain credentials.
 */
export interface CloudStore {
  /** The address without protocol, for messages and ids. */
  place: string;
  /** Lists objects in server order, which is the order of keys. */
  list(listing: ObjectListing, signal: AbortSignal): AsyncIterable<CloudObject>;
  /** Returns the bytes and their announced length; undefined if there is no such object. */
  get(key: string, signal: AbortSignal): Promise<CloudBody | undefined>;
  /** Returns false and changes nothing if `onlyNew` is set and the object exists. */
  put(key: string, bytes: Uint8Array, writing: ObjectWriting, signal: AbortSignal): Promise<boolean>;
  /** Removes an object; a missing object is not an error. */
  remove(key: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The content of an object. */
export interface CloudBody {
  announced: number;
  parts: AsyncIterable<Uint8Array>;
}

const maxPages = 1_000_000;
/** Partitions of a store may be empty, and servers then send empty pages. */
const maxEmptyPages = 1_000;

/**
 * The objects of a listing, page by page. Throws INVALID_RESPONSE if the server would never finish: it repeats a marker, or
 * keeps sending empty pages.
 */
export async function* listPages(
  place: string,
  page: (marker: string) => Promise<{ objects: CloudObject[]; next: string }>,
): AsyncGenerator<CloudObject> {
  let marker = '';
  let emptyPages = 0;
  for (let count = 0; count < maxPages; count += 1) {
    const { objects, next } = await page(marker);
    yield* objects;
    emptyPages = objects.length === 0 ? emptyPages + 1 : 0;
    if (next === '') return;
    if (next === marker || emptyPages > maxEmptyPages) break;
    marker = next;
  }
  throw new AppError('INVALID_RESPONSE', `The listing of ${place} does not end: the server repeats itself.`);
}

/** The reason why a server rejected a call. */
export interface CloudRefusal {
  place: string;
  /** The attempted action, such as `be listed`. */
  action: string;
  status: number;
  /** The error code of the server, letters only. */
  code: string;
  /** True if the credentials themselves are rejected. */
  isSignIn: boolean;
}

/** Creates the error for a rejected call. */
export function toCloudError({ place, action, status, code, isSignIn }: CloudRefusal): AppError {
  // Some servers echo the request in their messages, so only a code word is repeated.
  const word = /^[A-Za-z][A-Za-z0-9_.-]{0,80}$/.test(code) ? ` ${code}` : '';
  const reason = `${status}${word}`;
  if (isSignIn) return new AppError('SOURCE_SIGN_IN_FAILED', `${place} does not accept these credentials (${reason}).`);
  if (status === 404) return new AppError('SOURCE_NOT_FOUND', `${place} does not exist (${reason}).`);
  if (status === 401 || status === 403)
    return new AppError('SOURCE_NOT_ALLOWED', `${place} cannot ${action} with these credentials (${reason}).`);
  return new AppError('EXTERNAL_SERVICE_ERROR', `${place} cannot ${action}: the server answered ${reason}.`);
}

/** The content of a successful response. */
export function toBody(response: Response): CloudBody {
  const announced = Number(response.headers.get('content-length') ?? 0);
  return {
    announced: Number.isSafeInteger(announced) && announced > 0 ? announced : 0,
    parts: (response.body ?? streamNothing()) as AsyncIterable<Uint8Array>,
  };
}

async function* streamNothing(): AsyncGenerator<Uint8Array> {}

/** The size, time and media type that a server reports, without impossible values. */
export function toFacts(facts: {
  size: string | undefined;
  modified: string | undefined;
  mimetype: string | undefined;
}): Pick<CloudObject, 'size' | 'modifiedTime' | 'mimetype'> {
  const size = Number(facts.size ?? 0);
  const modified = Date.parse(facts.modified ?? '');
  const mimetype = facts.mimetype?.split(';')[0]?.trim().toLowerCase();
  return {
    size: Number.isSafeInteger(size) && size > 0 ? size : 0,
    modifiedTime: Number.isNaN(modified) ? '' : new Date(modified).toISOString(),
    ...(mimetype && mimetype !== 'application/octet-stream' ? { mimetype } : {}),
  };
}

/** Sets query parameters; empty ones are skipped. */
export function addQuery(url: URL, query: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(query)) if (value !== '') url.searchParams.set(name, String(value));
}

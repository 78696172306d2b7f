import { AppError } from '../../model/errors';

/** An object as its server lists it. Nothing in it is checked: sizes may be wrong, keys may be anything. */
export interface CloudObject {
  key: string;
  size: number;
  /** ISO 8601; empty if the server does not report it. */
  modifiedTime: string;
  version?: string;
  mimetype?: string;
}

/** What to list. */
export interface ObjectListing {
  prefix: string;
  /** False: only the keys that have no `/` after the prefix. */
  recursive: boolean;
}

/** How to write an object. */
export interface ObjectWriting {
  mediaType: string;
  /** Only if there is no object with this key. */
  onlyNew?: boolean;
}

/**
 * A container of Azure Blob Storage or a bucket of Google Cloud Storage. Calls throw SOURCE_NOT_FOUND when it does not exist,
 * SOURCE_SIGN_IN_FAILED when the credentials are not accepted, SOURCE_NOT_ALLOWED when they are not enough, CONNECTION_ERROR while
 * the server is away or busy, EXTERNAL_SERVICE_ERROR for other answers. Messages never hold credentials.
 */
export interface CloudStore {
  /** For messages and ids: the address without a protocol. */
  place: string;
  /** In the order of the server, which is that of the keys. */
  list(listing: ObjectListing, signal: AbortSignal): AsyncIterable<CloudObject>;
  /** The bytes, and their announced number; undefined when there is no such object. */
  get(key: string, signal: AbortSignal): Promise<CloudBody | undefined>;
  /** False, and nothing is changed, when `onlyNew` is set and there is such an object. */
  put(key: string, bytes: Uint8Array, writing: ObjectWriting, signal: AbortSignal): Promise<boolean>;
  /** A missing object is no error. */
  remove(key: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The content of an object. */
export interface CloudBody {
  announced: number;
  parts: AsyncIterable<Uint8Array>;
}

/** The longest time for writing one object. */
export const writeMs = 10 * 60_000;
const mostPages = 1_000_000;
/** Partitions of a store may be empty, and servers then send empty pages. */
const mostEmptyPages = 1_000;

/**
 * The objects of a listing in pages. Throws INVALID_RESPONSE for a server that would never come to an end: one that repeats a
 * marker or sends empty pages without end.
 */
export async function* listPages(
  place: string,
  page: (marker: string) => Promise<{ objects: CloudObject[]; next: string }>,
): AsyncGenerator<CloudObject> {
  let marker = '';
  let empty = 0;
  for (let count = 0; count < mostPages; count += 1) {
    const { objects, next } = await page(marker);
    yield* objects;
    empty = objects.length === 0 ? empty + 1 : 0;
    if (next === '') return;
    if (next === marker || empty > mostEmptyPages) break;
    marker = next;
  }
  throw new AppError('INVALID_RESPONSE', `The listing of ${place} does not end: the server repeats itself.`);
}

/** Why a server refused a call. */
export interface CloudRefusal {
  place: string;
  /** What was tried, such as `be listed`. */
  action: string;
  status: number;
  /** The server's word for it, of letters only. */
  code: string;
  /** True if the credentials themselves are refused. */
  isSignIn: boolean;
}

/** The error of a refused call. */
export function toCloudError({ place, action, status, code, isSignIn }: CloudRefusal): AppError {
  // Some servers echo the request in their messages; only a word is repeated.
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
    parts: (response.body ?? emptyBody()) as AsyncIterable<Uint8Array>,
  };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** A size, a time and a media type as a server states them, without what cannot be true. */
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

/** A key as path of an address. */
export function encodeKey(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}

/** Sets the parameters of a query, except empty ones. */
export function addQuery(url: URL, query: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(query)) if (value !== '') url.searchParams.set(name, String(value));
}

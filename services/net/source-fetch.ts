import { toSafeFileName } from '../../model/conversion/request/file-names';
import { AppError } from '../../model/errors';
import { createTimeLimit } from '../../model/time/time-limit';
import { decodePart } from '../../model/url-path';
import { pause } from '../pacing/pause';
import { type AddressGuard, findAppError } from './address-guard';
import { followRedirects, type FollowedResponse, isRedirect } from './follow-redirects';
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch';

/** A fetched document. */
export interface FetchedSource {
  bytes: Uint8Array;
  /** From the response header, else from the path of the final URL. */
  filename: string;
  mimetype?: string;
}

/** Downloads documents for users, who must not reach addresses inside the operator's network. */
export interface SourceFetcher {
  /**
   * Follows redirects and checks each like the first URL. Sends the headers to the first server only. Throws ADDRESS_NOT_ALLOWED,
   * SOURCE_TOO_LARGE, SOURCE_FETCH_FAILED, or the signal's reason.
   */
  fetch(source: { url: string; headers: Record<string, string> }, signal: AbortSignal): Promise<FetchedSource>;
  close(): void;
}

export interface SourceFetcherOptions {
  guard: AddressGuard;
  maxBytes: number;
  /** Total time for one source, including redirects and retries. */
  timeoutMs: number;
  /** Throw SOURCE_GONE instead of SOURCE_FETCH_FAILED if the server reports that the document does not exist (404, 410). */
  tellsGone?: boolean;
}

const maxRedirects = 10;
const maxAttempts = 3;
/** The pause before the second attempt; it doubles with each further one. */
const firstPauseMs = 250;
const retriedStatuses = new Set([429, 502, 503, 504]);

/** Fetches over connections checked by the guard. */
export function createSourceFetcher({
  guard,
  maxBytes,
  timeoutMs,
  tellsGone = false,
}: SourceFetcherOptions): SourceFetcher {
  // The limit is enforced while reading, where the error message can be specific.
  const http = createGuardedFetch(guard, Number.MAX_SAFE_INTEGER);
  return {
    async fetch(source, signal) {
      const timeout = createTimeLimit(timeoutMs);
      const either = AbortSignal.any([signal, timeout]);
      try {
        return await fetchWithRetries(http, source, { maxBytes, tellsGone, signal: either });
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted)
          throw createFailedError(source.url, `it took longer than ${timeoutMs / 1_000} seconds`, error);
        throw error;
      }
    },
    close: () => http.close(),
  };
}

interface Download {
  maxBytes: number;
  tellsGone: boolean;
  signal: AbortSignal;
}
type Source = Parameters<SourceFetcher['fetch']>[0];

async function fetchWithRetries(http: GuardedFetch, source: Source, download: Download): Promise<FetchedSource> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === maxAttempts;
    try {
      const { response, url } = await send(http, source, download.signal);
      if (response.ok) return await read(source, url, response, download);
      await response.body?.cancel();
      if (download.tellsGone && (response.status === 404 || response.status === 410))
        throw new AppError('SOURCE_GONE', `${source.url} no longer exists: the server answered ${response.status}.`);
      if (isLast || !retriedStatuses.has(response.status))
        throw createFailedError(source.url, `the server answered ${response.status} ${response.statusText}`.trim());
    } catch (error) {
      download.signal.throwIfAborted();
      const appError = findAppError(error);
      if (appError?.code === 'ADDRESS_NOT_ALLOWED') throw createNotAllowedError(source.url, appError.message, appError);
      if (appError && appError.code !== 'ADDRESS_INVALID') throw appError;
      if (isLast) throw createFailedError(source.url, describeFailure(error), error);
    }
    await pause(firstPauseMs * 2 ** (attempt - 1), download.signal);
  }
}

async function send(http: GuardedFetch, { url, headers }: Source, signal: AbortSignal): Promise<FollowedResponse> {
  const followed = await followRedirects(http, { url: parseAddress(url), headers, maxRedirects, signal });
  if (!isRedirect(followed.response)) return followed;
  await followed.response.body?.cancel();
  parseAddress(followed.response.headers.get('location') ?? '', followed.url);
  throw createFailedError(url, `there were more than ${maxRedirects} redirects`);
}

function parseAddress(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new AppError('ADDRESS_NOT_ALLOWED', `'${text}' is not an http or https address.`);
  return url;
}

async function read(source: Source, url: URL, response: Response, { maxBytes, signal }: Download) {
  const announced = Number(response.headers.get('content-length') ?? 0);
  const createTooLargeError = () =>
    new AppError('SOURCE_TOO_LARGE', `File size exceeds the limit of ${maxBytes} bytes for ${source.url}.`);
  if (announced > maxBytes) {
    await response.body?.cancel();
    throw createTooLargeError();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    signal.throwIfAborted();
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxBytes) throw createTooLargeError();
    chunks.push(chunk);
  }
  const mimetype = response.headers.get('content-type')?.split(';')[0]?.trim();
  const filename = toSafeFileName(findDispositionName(response.headers.get('content-disposition')) ?? getPathName(url));
  return { bytes: Buffer.concat(chunks), filename, ...(mimetype ? { mimetype } : {}) };
}

/** `filename*` in UTF-8 takes precedence over `filename` (RFC 6266). */
function findDispositionName(header: string | null): string | undefined {
  const extended = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(header ?? '')?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(header ?? '');
  return (extended && decodePart(extended.trim())) || plain?.[1] || plain?.[2] || undefined;
}

function getPathName(url: URL): string {
  return decodePart(url.pathname.split('/').at(-1) ?? '') ?? '';
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? describeFailure(error.cause) : error.message;
}

function createNotAllowedError(url: string, reason: string, cause?: unknown): AppError {
  return new AppError('ADDRESS_NOT_ALLOWED', `URL is not allowed: ${url} (${reason})`, {}, cause);
}

function createFailedError(url: string, reason: string, cause?: unknown): AppError {
  return new AppError('SOURCE_FETCH_FAILED', `URL could not be fetched: ${url} (${reason})`, {}, cause);
}

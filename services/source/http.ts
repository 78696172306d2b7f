import { hash } from 'node:crypto';
import path from 'node:path';
import { AppError, asAppError } from '../../model/errors';
import { holdsMask, maskText } from '../../model/flow/secrets';
import { type HttpSourceSettings, readHttpSettings } from '../../model/source/remote-source';
import { createTimeLimit } from '../../model/time/time-limit';
import { decodePart } from '../../model/url-path';
import { type AddressGuard, findAppError } from '../net/address-guard';
import { followRedirects, isRedirect, listHeaderOrigins } from '../net/follow-redirects';
import { createGuardedFetch, type GuardedFetch } from '../net/guarded-fetch';
import { createSourceFetcher } from '../net/source-fetch';
import { pause } from '../pacing/pause';
import { createFileFilter } from './file-filter';
import { getMediaType } from './media-types';
import { type Address, listAddresses, normalizeUrl, readSitemaps } from './site-addresses';
import { createRobots, type MayFetch, robotName } from './site-robots';
import type { Source, SourceEntry } from './source';

/** Number of URLs requested in parallel. */
const batchSize = 8;
const maxRedirects = 10;
const maxAttempts = 3;
/** The pause before the second attempt, unless the server names one; it doubles with each further one. */
const firstPauseMs = 250;
const maxPauseMs = 10_000;
/** Used when the flow sets no limit. */
const defaultMaxBytes = 256 * 1024 * 1024;
/** Statuses by which servers refuse HEAD although they answer GET. */
const headRefusals = [400, 403, 405, 501];
const retriedStatuses = [429, 502, 503, 504];

interface Listing {
  http: GuardedFetch;
  /** The headers for requests to the server of a URL. */
  chooseHeaders: (url: string) => Record<string, string>;
  settings: HttpSourceSettings;
  mayFetch: MayFetch;
  signal: AbortSignal;
}

/**
 * Web pages and files by URL, from the flow or from sitemaps. A page that is gone (404, 410) is not listed, so its document is
 * removed too. A page that cannot be reached fails. ETag and Last-Modified show whether a page must be read again.
 */
export function createHttpSource({ guard }: { guard: AddressGuard }): Source {
  const http = createGuardedFetch(guard, Number.MAX_SAFE_INTEGER);
  const fetchPage = async (url: string, settings: HttpSourceSettings, signal: AbortSignal): Promise<Uint8Array> => {
    const { maxFileBytes: maxBytes = defaultMaxBytes, timeoutMs } = settings;
    const fetcher = createSourceFetcher({ guard, maxBytes, timeoutMs, tellsGone: true });
    try {
      const namedUrl = findNamedUrl(url, settings);
      // A flow may name 100,000 addresses: they are parsed only for a page that is not among them.
      const headers = settings.urls.includes(namedUrl)
        ? settings.headers
        : selectHeaders(namedUrl, settings.headers, listNamedOrigins(settings));
      return (await fetcher.fetch({ url: namedUrl, headers }, signal)).bytes;
    } catch (error) {
      signal.throwIfAborted();
      const { code, message } = asAppError(error);
      if (code === 'ADDRESS_NOT_ALLOWED' || code === 'SOURCE_TOO_LARGE' || code === 'SOURCE_GONE') throw error;
      throw new AppError('SOURCE_UNREADABLE', message, {}, error);
    } finally {
      fetcher.close();
    }
  };
  const read: Source['read'] = (url, config, signal) => fetchPage(url, getSettings(config), signal);
  return {
    async *list(config, signal, { after } = {}) {
      const settings = getSettings(config);
      const filter = createFileFilter(settings);
      const fetchSitemap = (url: string, maxFileBytes: number) => fetchPage(url, { ...settings, maxFileBytes }, signal);
      const readFound = () => readSitemaps(settings.sitemaps, fetchSitemap, signal);
      const named = listNamedOrigins(settings);
      const chooseHeaders = (url: string) => selectHeaders(url, settings.headers, named);
      const mayFetch = createRobots(http, { chooseHeaders, timeoutMs: settings.timeoutMs }, signal);
      const listing: Listing = { http, settings, chooseHeaders, mayFetch, signal };
      let batch: Address[] = [];
      for await (const address of listAddresses(settings, readFound, after)) {
        const { url } = address;
        if (!filter.takesFile(getPath(url)) || (settings.ignoreHidden && isHidden(url))) continue;
        batch.push(address);
        if (batch.length < batchSize) continue;
        yield* await listEntries(listing, batch);
        batch = [];
      }
      yield* await listEntries(listing, batch);
    },
    read,
    hash: async (url, config, signal) => hash('sha256', await read(url, config, signal)),
  };
}

/** Finds the flow's URL for one that is shown with its secrets masked. */
function findNamedUrl(maskedUrl: string, { urls }: HttpSourceSettings): string {
  if (!holdsMask(maskedUrl)) return maskedUrl;
  return urls.map((url) => normalizeUrl(url)).find((url) => maskText(url) === maskedUrl) ?? maskedUrl;
}

/** Identifies us to the site, unless the flow sets a user agent. */
function getSettings(config: Record<string, unknown>): HttpSourceSettings {
  const settings = readHttpSettings(config);
  const hasUserAgent = Object.keys(settings.headers).some((name) => name.toLowerCase() === 'user-agent');
  return hasUserAgent ? settings : { ...settings, headers: { 'user-agent': robotName, ...settings.headers } };
}

async function listEntries(listing: Listing, addresses: readonly Address[]): Promise<SourceEntry[]> {
  const sourceEntries = await Promise.all(addresses.map((address) => readEntry(listing, address)));
  return sourceEntries.filter((entry) => entry !== undefined);
}

/** Undefined if the server reports that the page is gone. */
async function readEntry(listing: Listing, { url, isFromSitemap, cursor }: Address): Promise<SourceEntry | undefined> {
  const { settings, mayFetch, signal } = listing;
  const { origin } = new URL(url);
  // A URL in the flow may contain a password or key. `read` looks it up in the configuration.
  const shownUrl = isFromSitemap ? url : maskText(url);
  const entry: SourceEntry = {
    source: `http:${origin}`,
    relativePath: url.slice(origin.length),
    path: shownUrl,
    name: getName(url),
    mimetype: getMediaType(path.posix.extname(getPath(url)).slice(1).toLowerCase()),
    size: 0,
    modifiedTime: '',
    metadata: { url: shownUrl },
    cursor,
  };
  try {
    if (isFromSitemap && settings.respectRobots) {
      const isAllowed = await mayFetch(url);
      if (isAllowed === false)
        return { ...entry, skip: `The robots.txt of ${origin} keeps '${shownUrl}' from being read.` };
      if (isAllowed === undefined)
        return { ...entry, failure: buildUnreadable(url, `the robots.txt of ${origin} cannot be read`) };
    }
    const response = await requestHead(listing, url);
    if (response.status === 404 || response.status === 410) return undefined;
    if (!response.ok) return { ...entry, failure: buildUnreadable(url, `the server answered ${response.status}`) };
    return { ...entry, ...buildFacts(entry, response, settings) };
  } catch (error) {
    signal.throwIfAborted();
    const refusal = findAppError(error);
    if (refusal) return { ...entry, failure: { code: refusal.code, message: `${shownUrl}: ${refusal.message}` } };
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return { ...entry, failure: buildUnreadable(url, reason) };
  }
}

function buildFacts(
  entry: SourceEntry,
  { headers }: Response,
  { maxFileBytes }: HttpSourceSettings,
): Partial<SourceEntry> {
  const size = Number(headers.get('content-length') ?? 0);
  const modified = Date.parse(headers.get('last-modified') ?? '');
  const etag = headers.get('etag');
  const mimetype = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (maxFileBytes !== undefined && size > maxFileBytes) {
    const message = `${entry.path} has ${size} bytes; max_file_size_mb allows ${maxFileBytes}.`;
    return { size, failure: { code: 'SOURCE_TOO_LARGE', message } };
  }
  return {
    size,
    modifiedTime: Number.isNaN(modified) ? '' : new Date(modified).toISOString(),
    ...(etag ? { version: etag } : {}),
    ...(mimetype ? { mimetype } : {}),
  };
}

/** Sends HEAD, or a GET whose body is not read if the server does not support HEAD. Follows redirects one by one. */
async function requestHead({ http, settings, chooseHeaders, signal }: Listing, url: string): Promise<Response> {
  const limit = AbortSignal.any([signal, createTimeLimit(settings.timeoutMs)]);
  const headers = chooseHeaders(url);
  const send = async (method: string) => {
    const request = { url: new URL(url), method, headers, maxRedirects, signal: limit };
    const { response } = await followRedirects(http, request);
    await response.body?.cancel();
    if (!isRedirect(response)) return response;
    const reason = `there are more than ${maxRedirects} redirects, or one leads to an address that is not http or https`;
    throw new AppError('SOURCE_UNREADABLE', reason);
  };
  for (let attempt = 1; ; attempt += 1) {
    const head = await send('HEAD');
    const response = headRefusals.includes(head.status) ? await send('GET') : head;
    if (!retriedStatuses.includes(response.status) || attempt === maxAttempts) return response;
    const seconds = Number(response.headers.get('retry-after') ?? '');
    const isNamed = Number.isFinite(seconds) && seconds > 0;
    await pause(isNamed ? Math.min(seconds * 1_000, maxPauseMs) : firstPauseMs * 2 ** (attempt - 1), limit);
  }
}

/** The origins of the addresses in the flow. Its headers are for them; sitemaps may also list pages of other servers. */
function listNamedOrigins({ urls, sitemaps }: HttpSourceSettings): Set<string> {
  return new Set([...sitemaps, ...urls].flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : [])));
}

function selectHeaders(url: string, headers: Record<string, string>, named: ReadonlySet<string>) {
  return listHeaderOrigins(new URL(url)).some((origin) => named.has(origin)) ? headers : { 'user-agent': robotName };
}

function buildUnreadable(url: string, reason: string): { code: string; message: string } {
  return { code: 'SOURCE_UNREADABLE', message: maskText(`'${url}' cannot be read: ${reason}.`) };
}

function getPath(url: string): string {
  const { pathname } = new URL(url);
  return (decodePart(pathname) ?? pathname).slice(1);
}

function getName(url: string): string {
  return (
    getPath(url)
      .split('/')
      .findLast((part) => part !== '') ?? new URL(url).host
  );
}

function isHidden(url: string): boolean {
  return getPath(url)
    .split('/')
    .some((name) => name.startsWith('.'));
}

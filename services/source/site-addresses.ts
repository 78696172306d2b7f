import { gunzipSync } from 'node:zlib';
import { compareText } from '../../model/compare-text';
import { AppError, asAppError } from '../../model/errors';
import type { HttpSourceSettings } from '../../model/source/remote-source';
import { readSitemap } from './sitemap';

/** The limit of the sitemap protocol. */
const maxSitemapBytes = 50 * 1024 * 1024;
/** Maximum nesting depth of sitemaps. */
const maxSitemapDepth = 3;
const maxUrls = 1_000_000;

/** An address of a listing. */
export interface Address {
  url: string;
  /** The other URLs are those of the flow. */
  isFromSitemap: boolean;
  /** Where the listing continues after this address. */
  cursor: string;
}
/** After how many addresses of the flow, or after which address of its sitemaps, a listing continues. */
type Cursor = { named: number } | { found: string };

/**
 * The URLs in the given order, then those of sitemaps, sorted: sitemaps are read again to continue a listing, and pages that have moved in
 * them must not be missing from it.
 */
export async function* listAddresses(
  { urls }: Pick<HttpSourceSettings, 'urls'>,
  readFound: () => Promise<ReadonlySet<string>>,
  after?: string,
): AsyncGenerator<Address> {
  const cursor = after === undefined ? { named: 0 } : (JSON.parse(after) as Cursor);
  const named = new Set(urls.map((url) => normalizeUrl(url)));
  const listed = 'named' in cursor ? cursor.named : named.size;
  for (const [index, url] of [...named].slice(listed).entries())
    yield { url, isFromSitemap: false, cursor: writeCursor({ named: listed + index + 1 }) };
  const found = await readFound();
  refuseTooMany(named.size + found.size);
  for (const url of [...found].toSorted(compareText)) {
    if (named.has(url) || ('found' in cursor && compareText(url, cursor.found) <= 0)) continue;
    yield { url, isFromSitemap: true, cursor: writeCursor({ found: url }) };
  }
}

function writeCursor(cursor: Cursor): string {
  return JSON.stringify(cursor);
}

function refuseTooMany(count: number): void {
  if (count > maxUrls) throw new AppError('SOURCE_TOO_LARGE', `The source names more than ${maxUrls} addresses.`);
}

/** The pages of all sitemaps, and of those that they name. */
export async function readSitemaps(
  sitemaps: readonly string[],
  fetchSitemap: (url: string, maxBytes: number) => Promise<Uint8Array>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const seenUrls = new Set<string>();
  const queue = sitemaps.map((url) => ({ url: normalizeUrl(url), depth: 1 }));
  for (const { url, depth } of queue) {
    if (seenUrls.has(url)) continue;
    seenUrls.add(url);
    signal.throwIfAborted();
    // The size limit of the flow applies to pages.
    const bytes = await fetchSitemap(url, maxSitemapBytes).catch((error: unknown) => {
      signal.throwIfAborted();
      const { code, message } = asAppError(error);
      if (code === 'ADDRESS_NOT_ALLOWED') throw error;
      // Without the sitemap the pages are unknown; the run must not treat the site as empty.
      throw new AppError('SOURCE_NOT_FOUND', `The sitemap cannot be read: ${message}`, {}, error);
    });
    const { pages, sitemaps: further } = readSitemap(decodeSitemap(bytes, url), url);
    if (depth < maxSitemapDepth)
      queue.push(...further.map((sitemap) => ({ url: normalizeUrl(sitemap), depth: depth + 1 })));
    for (const page of pages) found.add(normalizeUrl(page));
    refuseTooMany(found.size);
  }
  return found;
}

/** The text of a sitemap, which may be compressed with gzip. */
function decodeSitemap(bytes: Uint8Array, url: string): string {
  try {
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return Buffer.from(isGzip ? gunzipSync(bytes, { maxOutputLength: maxSitemapBytes }) : bytes).toString('utf8');
  } catch (error) {
    throw new AppError('SOURCE_UNREADABLE', `The sitemap ${url} cannot be unpacked.`, {}, error);
  }
}

/** Removes the fragment. Accepts only http and https. */
export function normalizeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', `'${text}' is not an http or https address.`);
  url.hash = '';
  return url.href;
}

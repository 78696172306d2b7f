import { AppError } from '../../model/errors';

/** Maximum characters of comments and declarations before the root element. */
const maxPrologLength = 4_096;
/** Longer than any `<prefix:loc>`. */
const maxTagLength = 64;

/** The URLs in a sitemap: of pages (`urlset`) or of further sitemaps (`sitemapindex`). Also accepts plain lists of URLs. */
export function readSitemap(text: string, url: string): { pages: string[]; sitemaps: string[] } {
  const start = text
    .slice(0, maxPrologLength)
    .replace(/<\?xml[^>]*\?>|<!--[\s\S]*?-->/g, '')
    .trimStart();
  const isIndex = /^<(?:\w+:)?sitemapindex\b/.test(start);
  if (isIndex || /^<(?:\w+:)?urlset\b/.test(start)) {
    const urls = listLocations(text);
    return isIndex ? { pages: [], sitemaps: urls } : { pages: urls, sitemaps: [] };
  }
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
  if (lines.length > 0 && lines.every((line) => /^https?:\/\//.test(line))) return { pages: lines, sitemaps: [] };
  throw new AppError(
    'INVALID_RESPONSE',
    `${url} is not a sitemap: expected <urlset>, <sitemapindex> or a list of addresses.`,
  );
}

/** Resolves only the predefined entities of XML; a document type declaration has no effect. */
function listLocations(text: string): string[] {
  const urls: string[] = [];
  for (let start = text.indexOf('<'); start !== -1; start = text.indexOf('<', start + 1)) {
    const [tag] = /^<(?:\w+:)?loc\s*>/.exec(text.slice(start, start + maxTagLength)) ?? [];
    if (tag === undefined) continue;
    const end = text.indexOf('</', start);
    if (end === -1) break;
    const value = text.slice(start + tag.length, end).replace(/^\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*$/, '$1');
    urls.push(unescapeXml(value.trim()));
  }
  return urls.filter(Boolean);
}

function unescapeXml(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => named[name] ?? '');
}

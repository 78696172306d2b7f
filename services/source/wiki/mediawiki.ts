import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import { type MediawikiSettings, readMediawikiSettings } from '../../../model/source/online/mediawiki-source';
import type { AddressGuard } from '../../net/address-guard';
import { createConnectedSource } from '../connected-source';
import { createFileFilter } from '../file-filter';
import { toDocumentError } from '../items/download';
import { readPages, withinSentence } from '../items/json-api';
import { findSizeFailure, limitBytes, limitResponse } from '../limit-bytes';
import { getMediaType } from '../media-types';
import { contentTimeoutMs } from '../remote/requests';
import type { Source, SourceEntry } from '../source';
import { openWiki, type WikiApi } from './wiki-api';

const Continue = Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])));
const Page = Type.Object({
  pageid: Type.Integer(),
  title: Type.String({ minLength: 1, maxLength: 1_000 }),
  lastrevid: Type.Integer(),
  canonicalurl: Type.Optional(Type.String({ maxLength: 4_000 })),
  revisions: Type.Optional(Type.Array(Type.Object({ timestamp: Type.Optional(Type.String({ maxLength: 100 })) }))),
});
const Pages = Type.Object({
  query: Type.Optional(Type.Object({ pages: Type.Array(Page) })),
  continue: Continue,
});
const File = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 1_000 }),
  sha1: Type.String({ maxLength: 100 }),
  size: Type.Number(),
  mime: Type.Optional(Type.String({ maxLength: 300 })),
  timestamp: Type.Optional(Type.String({ maxLength: 100 })),
  descriptionurl: Type.Optional(Type.String({ maxLength: 4_000 })),
});
const Files = Type.Object({
  query: Type.Optional(Type.Object({ allimages: Type.Array(File) })),
  continue: Continue,
});
const Parsed = Type.Object({ parse: Type.Object({ title: Type.String(), text: Type.String() }) });
const FileFacts = Type.Object({
  query: Type.Object({
    pages: Type.Array(
      Type.Object({ imageinfo: Type.Optional(Type.Array(Type.Object({ url: Type.String({ maxLength: 4_000 }) }))) }),
    ),
  }),
});
type Page = (typeof Page)['static'];
type File = (typeof File)['static'];

/** The namespace of articles. */
const mainNamespace = '0';
/** The namespace of the descriptions of uploaded files. */
const fileNamespace = '6';
const maxDocuments = 10_000_000;

/** A wiki named in a flow. */
interface Wiki {
  api: WikiApi;
  settings: MediawikiSettings;
  source: string;
  /** The beginning of all paths of documents. */
  start: string;
}

/** The place of an entry in a listing: its namespace, and its title or file name. */
type Cursor = readonly [namespace: string, title: string];

/**
 * Lists the pages of a wiki of MediaWiki as HTML, and its uploaded files. A page is identified by its id, so that it stays the same
 * when it is moved; a file by its name.
 */
export function createMediawikiSource({ guard }: { guard: AddressGuard }): Source {
  const open = async (config: Record<string, unknown>, signal: AbortSignal): Promise<Wiki> => {
    const settings = readMediawikiSettings(config);
    const api = await openWiki(settings, guard, signal);
    const { host, pathname } = new URL(settings.apiUrl);
    const place = `${host}${pathname.replace(/\/[^/]*$/, '')}`;
    return { api, settings, source: `mediawiki:${place}`, start: `mediawiki://${place}/` };
  };
  return createConnectedSource<Wiki>({
    open,
    close: ({ api }) => api.close(),
    list: (wiki, signal, after) =>
      walkWiki(wiki, signal, after === undefined ? undefined : (JSON.parse(after) as Cursor)),
    read: readDocument,
  });
}

async function* walkWiki(wiki: Wiki, signal: AbortSignal, after: Cursor | undefined): AsyncGenerator<SourceEntry> {
  const { settings } = wiki;
  const filter = createFileFilter(settings);
  const lastIndex = after === undefined ? -1 : settings.namespaces.indexOf(after[0]);
  let listed = 0;
  for (const [namespaceIndex, namespace] of settings.namespaces.entries()) {
    if (namespaceIndex < lastIndex) continue;
    const from = namespaceIndex === lastIndex ? after?.[1] : undefined;
    const entries = namespace === fileNamespace ? listFiles(wiki, from) : listPages(wiki, namespace, from);
    for await (const entry of entries) {
      signal.throwIfAborted();
      const relative = String(entry.metadata['relative_path']);
      const names = relative.split('/');
      if (!settings.recursive && names.length > 1) continue;
      if (settings.ignoreHidden && names.some((name) => name.startsWith('.'))) continue;
      if (!filter.takesFile(relative)) continue;
      if (names.slice(0, -1).some((_, index) => !filter.entersFolder(names.slice(0, index + 1).join('/')))) continue;
      listed += 1;
      if (listed > maxDocuments)
        throw new AppError('SOURCE_TOO_LARGE', `${wiki.api.place} has more than ${maxDocuments} documents.`);
      yield entry;
    }
  }
}

async function* listPages(wiki: Wiki, namespace: string, from: string | undefined): AsyncGenerator<SourceEntry> {
  const { api } = wiki;
  const query = {
    action: 'query',
    generator: 'allpages',
    gapnamespace: namespace,
    gapfilterredir: 'nonredirects',
    gaplimit: 'max',
    prop: 'info|revisions',
    inprop: 'url',
    rvprop: 'timestamp',
    ...(from === undefined ? {} : { gapfrom: omitNamespace(from, namespace) }),
  };
  const pages = readPages(api.place, async (next) => {
    const answer = await api.ask({ ...query, ...readContinue(next) }, Pages);
    return { items: answer.query?.pages ?? [], next: answer.continue && JSON.stringify(answer.continue) };
  });
  const listed = new Set<number>();
  for await (const pageBatch of pages)
    for (const page of pageBatch.toSorted(comparePages)) {
      // An answer may be continued for more about the same pages.
      if (listed.has(page.pageid) || page.title === from) continue;
      listed.add(page.pageid);
      yield toPageEntry(wiki, namespace, page);
    }
}

async function* listFiles(wiki: Wiki, from: string | undefined): AsyncGenerator<SourceEntry> {
  const { api } = wiki;
  const query = {
    action: 'query',
    list: 'allimages',
    ailimit: 'max',
    aiprop: 'sha1|size|mime|timestamp|url',
    ...(from === undefined ? {} : { aifrom: from }),
  };
  const pages = readPages(api.place, async (next) => {
    const answer = await api.ask({ ...query, ...readContinue(next) }, Files);
    return { items: answer.query?.allimages ?? [], next: answer.continue && JSON.stringify(answer.continue) };
  });
  for await (const fileBatch of pages)
    for (const file of fileBatch) if (file.name !== from) yield toFileEntry(wiki, file);
}

/** `Help:Contents` without `Help:`. Titles in the main namespace have no prefix, but may contain a colon. */
function omitNamespace(title: string, namespace: string): string {
  return namespace === mainNamespace ? title : title.slice(title.indexOf(':') + 1);
}

function readContinue(next: string | undefined): Record<string, string> {
  const parameters = next === undefined ? {} : (JSON.parse(next) as Record<string, string | number>);
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
}

/** The order of the wiki, so that a listing continues where it was: titles as it stores them, by their bytes. */
function comparePages(page: Page, other: Page): number {
  const encode = (title: string) => Buffer.from(title.replaceAll(' ', '_'));
  return Buffer.compare(encode(page.title), encode(other.title));
}

function toPageEntry({ source, start }: Wiki, namespace: string, page: Page): SourceEntry {
  const { pageid, title, lastrevid, canonicalurl: url, revisions = [] } = page;
  return {
    source,
    relativePath: `page/${pageid}`,
    path: `${start}page/${pageid}/${encodeURIComponent(title)}`,
    name: `${title}.html`,
    mimetype: 'text/html',
    // The size of the HTML is known only when it has been made.
    size: 0,
    modifiedTime: toTime(revisions[0]?.timestamp),
    metadata: { relative_path: `${title}.html`, extension: 'html', ...toWebUrl(url) },
    version: String(lastrevid),
    cursor: JSON.stringify([namespace, title]),
  };
}

function toFileEntry({ source, start, settings }: Wiki, file: File): SourceEntry {
  const { name, sha1, size: declaredSize, mime, timestamp, descriptionurl: url } = file;
  const extension = path.posix.extname(name).slice(1).toLowerCase();
  const size = Number.isSafeInteger(declaredSize) && declaredSize > 0 ? declaredSize : 0;
  return {
    source,
    relativePath: `file/${name}`,
    path: `${start}file/${encodeURIComponent(name)}`,
    name,
    mimetype: mime && mime !== 'unknown/unknown' ? mime.toLowerCase() : getMediaType(extension),
    size,
    modifiedTime: toTime(timestamp),
    metadata: { relative_path: `File:${name}`, extension, ...toWebUrl(url) },
    version: sha1,
    cursor: JSON.stringify([fileNamespace, name]),
    ...findSizeFailure(size, settings),
  };
}

function toTime(text = ''): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}

function toWebUrl(url: string | undefined): { web_url?: string } {
  return url !== undefined && /^https?:\/\//.test(url) ? { web_url: url } : {};
}

async function* readDocument(wiki: Wiki, file: string): AsyncGenerator<Uint8Array> {
  const { api, settings, start } = wiki;
  const limits = { name: file, maxBytes: settings.maxFileBytes };
  // `page/ID/TITLE` or `file/NAME`.
  const address = file.startsWith(start) ? file.slice(start.length) : '';
  const [, kind, id = ''] = /^(page|file)\/([^/]+)(?:\/[^/]*)?$/.exec(address) ?? [];
  try {
    if (kind === 'page' && /^\d{1,15}$/.test(id)) {
      yield* limitBytes([Buffer.from(await readPage(api, id))], limits);
      return;
    }
    if (kind !== 'file')
      throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a document of ${withinSentence(api.place)}.`);
    const response = await fetchFile(api, decodeURIComponent(id));
    const { status } = response;
    if (!response.ok) {
      await response.body?.cancel();
      if (status === 404 || status === 410) throw new AppError('SOURCE_GONE', `'${file}' no longer exists.`);
      throw new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: the server answers ${status}.`);
    }
    yield* limitResponse(response, limits);
  } catch (error) {
    throw toDocumentError(error, file);
  }
}

async function readPage(api: WikiApi, id: string): Promise<string> {
  const { parse: parsed } = await api.ask(
    { action: 'parse', pageid: id, prop: 'text', disableeditsection: '1', disabletoc: '1', disablelimitreport: '1' },
    Parsed,
  );
  const title = parsed.title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!DOCTYPE html><html><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${parsed.text}</body></html>`;
}

async function fetchFile(api: WikiApi, name: string): Promise<Response> {
  const { query } = await api.ask(
    { action: 'query', titles: `File:${name}`, prop: 'imageinfo', iiprop: 'url' },
    FileFacts,
  );
  const url = query.pages[0]?.imageinfo?.[0]?.url;
  if (url === undefined || !URL.canParse(url) || !/^https?:/.test(url))
    throw new AppError('SOURCE_GONE', `The file '${name}' no longer exists.`);
  return await api.fetch(new URL(url), contentTimeoutMs);
}

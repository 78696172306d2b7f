import { AppError } from '../../../model/errors';
import { addToList } from '../../../model/multi-map';
import { type ConfluenceSettings, readConfluenceSettings } from '../../../model/source/online/confluence-source';
import { mapInParallel } from '../../pacing/map-in-parallel';
import { createConnectedSource } from '../connected-source';
import { limitBytes } from '../limit-bytes';
import type { EntryAccess, Source } from '../source';
import { readConfluenceDirectory } from './confluence-directory';
import { AttachmentFacts, type OpenSite, PageFacts, readResults, getSiteUrl, Space } from './confluence-pages';
import { openPageRights, toParent } from './confluence-rights';
import { findCoveringMap } from './cover';
import { download, toDocumentError } from './download';
import type { Item } from './item';
import { openJsonApi, withinSentence } from './json-api';
import type { ItemSourceDeps } from './sharepoint';
import { toHtml } from './storage-format';
import { type ItemTree, walkItems } from './walk-items';

const maxPages = 500_000;
const maxDepth = 1_000;
/** Pages whose rights are read at the same time. */
const parallelRights = 8;
const idPart = /^[A-Za-z0-9-]{1,100}$/;

/**
 * Lists the pages of a space of Confluence Cloud as HTML, and their attachments. A page is identified by its id, so that it stays
 * the same when it is renamed or moved. Where an identity map covers the site, permissions and restrictions decide who may read what.
 */
export function createConfluenceSource({ guard, rights }: ItemSourceDeps): Source {
  const open = (config: Record<string, unknown>, signal: AbortSignal): OpenSite => {
    const settings = readConfluenceSettings(config);
    const { siteUrl: base, username, token } = settings;
    const authorization = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
    return { api: openJsonApi({ guard, base, authorize: async () => authorization }), settings, signal };
  };
  const source = createConnectedSource<OpenSite>({
    open,
    close: ({ api }) => api.close(),
    async *list(site, signal, after) {
      const { settings } = site;
      const map = await findCoveringMap(rights, formatPlace(settings), settings.needsRights ?? false);
      yield* walkItems(await toTree(site, map), settings, signal, after);
    },
    read: readDocument,
  });
  return {
    ...source,
    async readDirectory(config, signal) {
      const site = open(config, signal);
      try {
        return await readConfluenceDirectory(site);
      } finally {
        site.api.close();
      }
    },
  };
}

function formatPlace({ siteUrl: base, space }: ConfluenceSettings): string {
  return `confluence://${new URL(base).host}/${space}`;
}

function formatStart({ siteUrl: base }: ConfluenceSettings): string {
  return `confluence://${new URL(base).host}/`;
}

/** The id of the space of the flow. */
async function findSpace(site: OpenSite): Promise<string> {
  const { settings } = site;
  for await (const spaces of readResults(site, '/wiki/api/v2/spaces', {
    schema: Space,
    query: { keys: settings.space },
  }))
    for (const space of spaces) if (space.key === settings.space) return space.id;
  throw new AppError('SOURCE_NOT_FOUND', `${site.api.place} has no space '${settings.space}'.`);
}

async function toTree(site: OpenSite, map: string | undefined): Promise<ItemTree> {
  const { settings, api, signal } = site;
  const place = `The space '${settings.space}' of ${withinSentence(api.place)}`;
  const spaceId = await findSpace(site);
  const pages = new Map<string, PageFacts>();
  const listed = readResults(site, `/wiki/api/v2/spaces/${spaceId}/pages`, {
    schema: PageFacts,
    query: { status: 'current' },
  });
  for await (const pageList of listed) {
    signal.throwIfAborted();
    for (const page of pageList) pages.set(page.id, page);
    if (pages.size > maxPages) throw new AppError('SOURCE_TOO_LARGE', `${place} has more than ${maxPages} pages.`);
  }
  const childPages = groupByParent(pages);
  const parents = new Map([...pages].map(([id, page]) => [id, toParent(page)]));
  const rights = map === undefined ? undefined : openPageRights(site, { map, spaceId, parents });
  const start = formatStart(settings);
  return {
    source: `confluence:${new URL(settings.siteUrl).host}`,
    place,
    root: { id: '', name: '', isDocument: false, isFolder: true },
    buildPath: ({ id, name }) => `${start}${id}/${encodeURIComponent(name)}`,
    async listChildren({ id }) {
      const items = (childPages.get(id) ?? []).map((page) => toPageItem(settings, page));
      return id === '' ? items : [...items, ...(await listAttachments(site, id))];
    },
    ...(rights === undefined
      ? {}
      : {
          async readAccess(items) {
            const accessById = new Map<string, EntryAccess | AppError>();
            await mapInParallel(items, parallelRights, async ({ id }) => {
              // An attachment has the rights of its page: its id is `PAGE.ATTACHMENT`.
              const access = await rights.readAccess(id.split('.')[0] ?? '');
              if (access) accessById.set(id, access);
            });
            return accessById;
          },
        }),
  };
}

/** The pages by parent; pages in a folder, below a hidden page or in a cycle are at the top. */
function groupByParent(pages: ReadonlyMap<string, PageFacts>): Map<string, PageFacts[]> {
  const childPages = new Map<string, PageFacts[]>();
  const reachable = new Set<string>();
  /** True if the parents of the page lead to the top. */
  const isReachable = (pageId: string): boolean => {
    const path: string[] = [];
    let id: string | undefined = pageId;
    while (id !== undefined && !reachable.has(id)) {
      if (path.includes(id) || path.length > maxDepth) return false;
      path.push(id);
      const parent: string | null | undefined = pages.get(id)?.parentId;
      id = parent && pages.has(parent) ? parent : undefined;
    }
    for (const passed of path) reachable.add(passed);
    return true;
  };
  for (const page of pages.values()) {
    const hasListedParent = page.parentId && pages.has(page.parentId) && isReachable(page.id);
    addToList(childPages, hasListedParent ? (page.parentId ?? '') : '', page);
  }
  return childPages;
}

function toPageItem({ siteUrl: base, space }: ConfluenceSettings, { id, title = '', version }: PageFacts): Item {
  return {
    id,
    name: `${title === '' ? id : title}.html`,
    folderName: title === '' ? id : title,
    isDocument: true,
    isFolder: true,
    mimetype: 'text/html',
    webUrl: `${base}/wiki/spaces/${encodeURIComponent(space)}/pages/${id}`,
    ...toVersion(version),
  };
}

/** Without a number, the document would be read in every run. */
function toVersion(version: PageFacts['version']): Pick<Item, 'version' | 'modifiedTime'> {
  const time = Date.parse(version?.createdAt ?? '');
  return {
    ...(version?.number === undefined ? {} : { version: String(version.number) }),
    ...(Number.isNaN(time) ? {} : { modifiedTime: new Date(time).toISOString() }),
  };
}

async function listAttachments(site: OpenSite, pageId: string): Promise<Item[]> {
  const items: Item[] = [];
  try {
    const pages = readResults(site, `/wiki/api/v2/pages/${pageId}/attachments`, { schema: AttachmentFacts });
    for await (const attachments of pages) {
      for (const { id, title = '', mediaType, fileSize = 0, version, status = 'current' } of attachments)
        if (status === 'current')
          items.push({
            id: `${pageId}.${id}`,
            name: title === '' ? id : title,
            isDocument: true,
            isFolder: false,
            size: Number.isSafeInteger(fileSize) && fileSize > 0 ? fileSize : 0,
            ...(mediaType && mediaType !== 'application/octet-stream' ? { mimetype: mediaType.toLowerCase() } : {}),
            ...toVersion(version),
          });
    }
  } catch (error) {
    // The page was deleted during the listing.
    if (!(error instanceof AppError) || error.code !== 'SOURCE_GONE') throw error;
  }
  return items;
}

async function* readDocument(site: OpenSite, file: string): AsyncGenerator<Uint8Array> {
  const { settings, api, signal } = site;
  const start = formatStart(settings);
  const [, id = ''] = /^([^/]+)\/[^/]*$/.exec(file.startsWith(start) ? file.slice(start.length) : '') ?? [];
  const [pageId = '', attachmentId, ...others] = id.split('.');
  const ids = [pageId, ...(attachmentId === undefined ? [] : [attachmentId])];
  if (others.length > 0 || !ids.every((id) => idPart.test(id)))
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a document of ${withinSentence(api.place)}.`);
  const maxBytes = settings.maxFileBytes;
  const query = { 'body-format': 'storage' };
  try {
    const page = await api.read(getSiteUrl(site, `/wiki/api/v2/pages/${pageId}`, query), PageFacts, signal);
    // Pages in the trash are still there.
    if (!page || (page.status ?? 'current') !== 'current')
      throw new AppError('SOURCE_GONE', `'${file}' no longer exists.`);
    if (page.spaceId !== undefined && page.spaceId !== (await findSpace(site)))
      throw new AppError('SOURCE_UNREADABLE', `'${file}' is in another space.`);
    if (attachmentId === undefined) {
      const html = toHtml(page.title ?? '', page.body?.storage?.value ?? '');
      yield* limitBytes([Buffer.from(html)], { name: file, maxBytes });
      return;
    }
    const url = getSiteUrl(site, `/wiki/rest/api/content/${pageId}/child/attachment/${attachmentId}/download`);
    yield* download({ api, url, file, maxBytes }, signal);
  } catch (error) {
    throw toDocumentError(error, file);
  }
}

import path from 'node:path';
import { AppError, asAppError } from '../../../model/errors';
import type { SourceFilter } from '../../../model/source/remote-source';
import { createFileFilter, type FileFilter } from '../file-filter';
import { findSizeFailure } from '../limit-bytes';
import { getMediaType } from '../media-types';
import type { EntryAccess, SourceEntry } from '../source';
import type { Item } from './item';

/** Items of a server below one of them. */
export interface ItemTree {
  /** The `source` of all documents. */
  source: string;
  /** The place as named in messages. */
  place: string;
  root: Item;
  /** The items in a folder, in any order; undefined if it no longer exists. */
  listChildren(folder: Item): Promise<readonly Item[] | undefined>;
  /** Who may read items of one folder; absent where no identity map covers them. Items that no longer exist are absent. */
  readAccess?(items: readonly Item[]): Promise<Map<string, EntryAccess | AppError>>;
  /** Shown as the path of the document, and passed to `read`. */
  buildPath(item: Item): string;
}

interface Walk {
  tree: ItemTree;
  settings: SourceFilter;
  filter: FileFilter;
  signal: AbortSignal;
  /** Ids of the folders entered so far, because servers may have cycles, and folders in several places. */
  entered: Set<string>;
  listed: Set<string>;
}

/** The place of an item in the order of a listing: names and ids from the top down. */
type Passed = readonly (readonly [string, string])[];

/** Number of items whose rights are read at once. */
const pageSize = 200;
const maxDepth = 100;
const maxItems = 1_000_000;
/** If rights apply and a folder cannot be listed, its name must not be revealed to anybody. */
const nobody: EntryAccess = { allowedUsers: [], hasSourceRights: true };

/**
 * Lists the documents of a tree, sorted by name, one folder in memory at a time. A folder that cannot be listed is an incomplete
 * entry. Each item is listed once, even if it is in several folders. `after` is the cursor of an entry; the rest follows.
 */
export async function* walkItems(
  tree: ItemTree,
  settings: SourceFilter,
  signal: AbortSignal,
  after?: string,
): AsyncGenerator<SourceEntry> {
  const walk = {
    tree,
    settings,
    filter: createFileFilter(settings),
    signal,
    entered: new Set<string>(),
    listed: new Set<string>(),
  };
  signal.throwIfAborted();
  const items = await tree.listChildren(tree.root);
  if (!items) throw new AppError('SOURCE_NOT_FOUND', `${tree.place} does not exist.`);
  walk.entered.add(tree.root.id);
  yield* walkFolder(walk, { items, above: [], passed: [], after: after === undefined ? undefined : readCursor(after) });
}

interface Folder {
  items: readonly Item[];
  /** The names of the folders above. */
  above: readonly string[];
  passed: Passed;
  after?: Passed | undefined;
}

async function* walkFolder(walk: Walk, { items, above, passed, after }: Folder): AsyncGenerator<SourceEntry> {
  const { tree, settings, filter, signal } = walk;
  const [lastPassed] = after ?? [];
  const isPassed = (item: Item) => lastPassed !== undefined && compare(item, lastPassed) === 0;
  const sorted = sortItems(settings, items).filter((item) => isRemaining(item, lastPassed));
  const getRelative = (item: Item) => [...above, toPathName(item.name)].join('/');
  for (let start = 0; start < sorted.length; start += pageSize) {
    const page = sorted.slice(start, start + pageSize);
    const documents = page.filter(
      (item) => item.isDocument && !isPassed(item) && filter.takesFile(getRelative(item)) && !walk.listed.has(item.id),
    );
    const access = documents.length === 0 ? undefined : await tree.readAccess?.(documents);
    for (const item of page) {
      signal.throwIfAborted();
      const place: Passed = [...passed, [item.name, item.id]];
      if (documents.includes(item)) {
        walk.listed.add(item.id);
        if (walk.listed.size > maxItems)
          throw new AppError('SOURCE_TOO_LARGE', `${tree.place} has more than ${maxItems} documents.`);
        const entry = { ...toEntry(walk, item, getRelative(item)), cursor: JSON.stringify(place) };
        if (!access) yield entry;
        else if (access.has(item.id)) yield addAccess(entry, access.get(item.id)!);
      }
      const folderNames = [...above, toPathName(item.folderName ?? item.name)];
      if (!item.isFolder || !settings.recursive || !filter.entersFolder(folderNames.join('/'))) continue;
      const afterBelow = isPassed(item) ? after?.slice(1) : undefined;
      yield* enterFolder(walk, item, { above: folderNames, passed: place, after: afterBelow });
    }
  }
}

async function* enterFolder(
  walk: Walk,
  item: Item,
  { above, passed, after }: Omit<Folder, 'items'>,
): AsyncGenerator<SourceEntry> {
  const { tree, signal, entered } = walk;
  if (entered.has(item.id)) return;
  entered.add(item.id);
  const describeUnlisted = (reason: string) => {
    const entry = { ...toEntry(walk, item, above.join('/')), cursor: JSON.stringify(passed) };
    const failure = { code: 'SOURCE_UNREADABLE', message: `'${entry.path}' cannot be listed: ${reason}` };
    return { ...entry, ...(tree.readAccess ? nobody : {}), failure, incomplete: true as const };
  };
  if (above.length > maxDepth) {
    yield describeUnlisted(`it is more than ${maxDepth} folders deep.`);
    return;
  }
  let items: readonly Item[] | undefined;
  try {
    items = await tree.listChildren(item);
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    // While the server is unavailable, every folder would be incomplete; instead the run waits for it.
    if (code !== 'SOURCE_NOT_ALLOWED' && code !== 'SOURCE_UNREADABLE') throw error;
    yield describeUnlisted(message);
    return;
  }
  if (items) yield* walkFolder(walk, { items, above, passed, after });
}

/** Each id once, by name and id, without hidden names. */
function sortItems({ ignoreHidden }: SourceFilter, items: readonly Item[]): Item[] {
  const itemsById = new Map(items.map((item) => [item.id, item]));
  return [...itemsById.values()]
    .filter(({ name }) => !(ignoreHidden && name.startsWith('.')))
    .toSorted((item, other) => compare(item, [other.name, other.id]));
}

function compare({ name, id }: Pick<Item, 'name' | 'id'>, [otherName, otherId]: readonly [string, string]): number {
  if (name !== otherName) return name < otherName ? -1 : 1;
  return id < otherId ? -1 : Number(id > otherId);
}

/** True for an item that the listing has not passed completely: the items below a passed item follow it. */
function isRemaining(item: Item, lastPassed: Passed[number] | undefined): boolean {
  if (!lastPassed) return true;
  const order = compare(item, lastPassed);
  return order > 0 || (order === 0 && item.isFolder);
}

function readCursor(cursor: string): Passed {
  return JSON.parse(cursor) as Passed;
}

/** A name as one part of a path. */
function toPathName(name: string): string {
  return name.replaceAll('/', '%2F');
}

function toEntry({ tree, settings }: Walk, item: Item, relative: string): SourceEntry {
  const extension = path.posix.extname(item.name).slice(1).toLowerCase();
  const { size = 0, modifiedTime = '', version, mimetype, webUrl, skip } = item;
  return {
    source: tree.source,
    relativePath: item.id,
    path: tree.buildPath(item),
    name: item.name,
    mimetype: mimetype ?? getMediaType(extension),
    size,
    modifiedTime,
    metadata: { relative_path: relative, extension, ...(webUrl === undefined ? {} : { web_url: webUrl }) },
    ...(version === undefined ? {} : { version }),
    ...(skip === undefined ? {} : { skip }),
    ...findSizeFailure(size, settings),
  };
}

/** Read for failed items too: without an access list, it would be unknown who may see their names. */
function addAccess(entry: SourceEntry, access: EntryAccess | AppError): SourceEntry {
  if (!(access instanceof AppError)) return { ...entry, ...access };
  return { ...entry, ...nobody, failure: { code: access.code, message: access.message } };
}

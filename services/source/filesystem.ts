import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { compareText } from '../../model/compare-text';
import { type FilesystemSettings, readFilesystemSettings } from '../../model/source/filesystem-source';
import { type AccessRules, addListedAccess, readAccessRules, sidecarName } from './access-sidecar';
import { createFileFilter, type FileFilter } from './file-filter';
import { createUncoveredError } from './items/cover';
import { findSizeFailure } from './limit-bytes';
import { getMediaType } from './media-types';
import { type FileRights, type FolderRights, openFileRights, type SourceRights } from './posix/rights';
import {
  listClosedPlaces,
  findRoots,
  formatFileIdentity,
  listNames,
  openInside,
  type Root,
  type SourceLimits,
  createUnreadableError,
} from './roots';
import type { EntryAccess, ListingStart, Source, SourceEntry } from './source';

interface Walk {
  root: Root;
  settings: FilesystemSettings;
  filter: FileFilter;
  signal: AbortSignal;
  limits: SourceLimits;
  closed: ReadonlySet<string>;
  rights: FileRights;
  /** The path of the root's folder with symbolic links resolved. */
  realFolder: string;
  /** The names below the root after which the listing continues. */
  after: readonly string[] | undefined;
}

/** The access of an entry whose rights cannot be read. */
const nobody: EntryAccess = { allowedUsers: [], hasSourceRights: true };

/** A root as the flow names it, and the names of an entry below it. */
type Cursor = readonly [string, readonly string[]];

/** Number of files checked in parallel, enough to hide the latency of a network drive. */
const filesPerPage = 32;
/** Larger with access control lists, because a program is started for each page. */
const filesPerPageWithRights = 256;

/**
 * Lists files below the allowed roots, sorted by path, with one folder in memory at a time. Does not follow symbolic links: a
 * target inside the roots is listed under its own path, and a target outside must not be listed.
 */
export function createFilesystemSource(limits: SourceLimits, sourceRights?: SourceRights): Source {
  const list = async function* list(
    config: Record<string, unknown>,
    signal: AbortSignal,
    { after: lastCursor }: ListingStart = {},
  ) {
    const cursor = lastCursor === undefined ? undefined : (JSON.parse(lastCursor) as Cursor);
    const settings = readFilesystemSettings(config);
    const filter = createFileFilter(settings);
    const closed = await listClosedPlaces(limits);
    const rights = await openFileRights(sourceRights);
    const roots = await findRoots(settings, limits);
    const first = roots.findIndex(({ folder, file }) => (file ?? folder) === cursor?.[0]);
    for (const [index, root] of roots.entries()) {
      if (index < first) continue;
      const after = index === first ? cursor?.[1] : undefined;
      const realFolder = root.real;
      if (settings.needsRights && !(await rights.findFolderRights(realFolder)))
        throw createUncoveredError(`file:${root.folder}`);
      const walk = { root, settings, filter, signal, limits, closed, rights, realFolder, after };
      const entries = root.file
        ? readEntries(walk, root.folder, listAfterCursor(walk, root.folder, [path.basename(root.file)]), root.rules)
        : walkFolder(walk, root.folder, root.rules.slice(root.rules[0]?.folder === root.folder ? 1 : 0));
      for await (const entry of entries) yield { ...entry, cursor: writeCursor(root, entry) };
    }
  };
  return {
    list,
    async read(file, config, signal, version) {
      const handle = await openInside(file, limits, readFilesystemSettings(config).paths, readIdentity(version));
      try {
        return await handle.readFile({ signal });
      } catch (error) {
        throw signal.aborted ? error : createUnreadableError(file, error);
      } finally {
        await handle.close();
      }
    },
    async hash(file, config, signal, version) {
      const handle = await openInside(file, limits, readFilesystemSettings(config).paths, readIdentity(version));
      const hash = createHash('sha256');
      try {
        for await (const chunk of handle.createReadStream({ autoClose: false, signal })) hash.update(chunk as Buffer);
        return hash.digest('hex');
      } catch (error) {
        throw signal.aborted ? error : createUnreadableError(file, error);
      } finally {
        await handle.close();
      }
    },
  };
}

async function* walkFolder(walk: Walk, folder: string, above: readonly AccessRules[]): AsyncGenerator<SourceEntry> {
  walk.signal.throwIfAborted();
  let names: string[];
  try {
    names = await listNames(resolveReal(walk, folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || folder === walk.root.folder)
      yield addListedAccess(
        describeUnlisted(walk, folder, error),
        folder,
        await readRulesOfUnlisted(walk, folder, above),
      );
    return;
  }
  const rules = names.includes(sidecarName) ? await readRulesOf(walk, folder) : undefined;
  const sorted = listAfterCursor(walk, folder, names).toSorted(compareText);
  yield* readEntries(walk, folder, sorted, rules ? [rules, ...above] : above);
}

/** Read at the real path: a link in the path of the flow may have changed since. Files are looked up by their listed path. */
async function readRulesOf(walk: Walk, folder: string): Promise<AccessRules | undefined> {
  const rules = await readAccessRules(resolveReal(walk, folder));
  return rules && { folder, listOf: (file) => rules.listOf(resolveReal(walk, file)) };
}

function writeCursor({ folder, file }: Root, { path: entryPath }: SourceEntry): string {
  return JSON.stringify([file ?? folder, listNamesBelow(folder, entryPath)] satisfies Cursor);
}

function listNamesBelow(folder: string, file: string): string[] {
  return path.relative(folder, file).split(path.sep).filter(Boolean);
}

/** The names in a folder that an interrupted listing has not passed completely. */
function listAfterCursor({ root, after }: Walk, folder: string, names: readonly string[]): string[] {
  if (!after) return [...names];
  const above = listNamesBelow(root.folder, folder);
  return names.filter((name) => isAfter([...above, name], after));
}

/** True for a path after the other in the order of the listing, and for a folder that contains the other. */
function isAfter(names: readonly string[], after: readonly string[]): boolean {
  for (const [index, name] of names.entries()) {
    const lastName = after[index];
    if (name !== lastName) return lastName === undefined || compareText(name, lastName) > 0;
  }
  return names.length < after.length;
}

/** If the rights of a folder apply but cannot be read, nobody may know its name. */
async function readRulesOfUnlisted(walk: Walk, folder: string, above: readonly AccessRules[]) {
  return (await walk.rights.findFolderRights(resolveReal(walk, folder))) ? [{ folder, listOf: () => nobody }] : above;
}

function resolveReal({ root, realFolder }: Walk, folder: string): string {
  return path.join(realFolder, path.relative(root.folder, folder));
}

async function* readEntries(
  walk: Walk,
  folder: string,
  names: readonly string[],
  rules: readonly AccessRules[],
): AsyncGenerator<SourceEntry> {
  const realFolder = resolveReal(walk, folder);
  const rights = await walk.rights.findFolderRights(realFolder).catch((error: unknown) => {
    // The folder was deleted during the listing, with its content.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && folder !== walk.root.folder) return 'gone' as const;
    throw error;
  });
  if (rights === 'gone') return;
  const pageSize = rights ? filesPerPageWithRights : filesPerPage;
  for (let start = 0; start < names.length; start += pageSize) {
    walk.signal.throwIfAborted();
    const files = names
      .slice(start, start + pageSize)
      .filter((name) => name !== sidecarName)
      .map((name) => path.join(folder, name));
    const stats = await Promise.all(
      files.map((file) =>
        lstat(path.join(realFolder, path.basename(file))).catch((error: unknown) => error as NodeJS.ErrnoException),
      ),
    );
    const pageRules = rights ? await listRightsAsRules({ rights, folder, realFolder, files, stats }) : rules;
    for (const [index, file] of files.entries()) {
      const fileStats = stats[index];
      if (fileStats === undefined || ('code' in fileStats && fileStats.code === 'ENOENT')) continue;
      yield* iterateEntries(walk, file, fileStats, pageRules);
    }
  }
}

interface RightsPage {
  rights: FolderRights;
  folder: string;
  realFolder: string;
  files: readonly string[];
  stats: readonly (Stats | Error)[];
}

/**
 * Uses the rights of files instead of access lists next to them: otherwise anyone who may write into a folder could grant
 * themselves access to the files of others. An entry without rights, because it is not a file, may be read by nobody.
 */
async function listRightsAsRules({ rights, folder, realFolder, files, stats }: RightsPage): Promise<AccessRules[]> {
  const getRealFile = (file: string) => path.join(realFolder, path.basename(file));
  const regularFiles = files.flatMap((file, index) => {
    const fileStats = stats[index];
    if (!fileStats || fileStats instanceof Error || !fileStats.isFile()) return [];
    return [{ real: getRealFile(file), stats: fileStats }];
  });
  const lists = await rights.readAccess(regularFiles);
  return [{ folder, listOf: (file) => lists.get(getRealFile(file)) ?? nobody }];
}

async function* iterateEntries(
  walk: Walk,
  file: string,
  stats: Stats | Error,
  rules: readonly AccessRules[],
): AsyncGenerator<SourceEntry> {
  const { root, settings, filter } = walk;
  const relative = path.relative(root.folder, file).split(path.sep).join('/');
  // A hidden file that the flow names explicitly is included.
  if (settings.ignoreHidden && !root.file && path.basename(file).startsWith('.')) return;
  if (stats instanceof Error) {
    yield addListedAccess(describeUnlisted(walk, file, stats), file, rules);
    return;
  }
  if (walk.closed.has(formatFileIdentity(stats))) return;
  if (!walk.limits.hidden && !root.file && path.basename(file).startsWith('.')) {
    yield {
      ...buildEntry(root, file),
      skip: 'Hidden files are closed; DOCLOOM_HIDDEN_FILES on the worker opens them to runs of administrators',
    };
    return;
  }
  if (stats.isDirectory()) {
    if (settings.recursive && filter.entersFolder(relative)) yield* walkFolder(walk, file, rules);
    return;
  }
  if (!filter.takesFile(relative)) return;
  if (!stats.isFile()) {
    const skip = stats.isSymbolicLink() ? 'Symbolic links are not followed' : 'Not a regular file';
    yield addListedAccess({ ...buildEntry(root, file), skip }, file, rules);
    return;
  }
  const entry = addListedAccess(
    { ...buildEntry(root, file, stats), ...findSizeFailure(stats.size, settings) },
    file,
    rules,
  );
  // These rights belong to the file, not to its name, so no other file may be read under them.
  yield entry.hasSourceRights ? { ...entry, version: formatVersion(stats) } : entry;
}

function formatVersion(stats: Stats): string {
  return `file:${formatFileIdentity(stats)}:${stats.mtimeMs}:${stats.size}`;
}

/** Device and inode of a version that `formatVersion` wrote. */
function readIdentity(version = ''): string | undefined {
  return /^file:(\d+:\d+):/.exec(version)?.[1];
}

/** An entry for a folder, or a possible folder, that could not be listed. */
function describeUnlisted(walk: Walk, file: string, error: unknown): SourceEntry {
  return {
    ...buildEntry(walk.root, file),
    failure: { code: 'SOURCE_UNREADABLE', message: createUnreadableError(file, error).message },
    incomplete: true,
  };
}

function buildEntry(root: Root, file: string, stats?: Stats): SourceEntry {
  const relativePath = path.relative(root.folder, file).split(path.sep).join('/');
  const extension = path.extname(file).slice(1).toLowerCase();
  return {
    source: `file:${root.folder.split(path.sep).join('/')}`,
    relativePath,
    path: file,
    name: path.basename(file),
    mimetype: getMediaType(extension),
    size: stats?.size ?? 0,
    modifiedTime: stats?.mtime.toISOString() ?? '',
    metadata: { relative_path: relativePath, extension },
  };
}

import path from 'node:path';
import { compareText } from '../../../model/compare-text';
import { AppError, asAppError } from '../../../model/errors';
import type { SourceFilter } from '../../../model/source/remote-source';
import { type AccessRules, addListedAccess, readStoredRules, sidecarName } from '../access-sidecar';
import { createFileFilter, type FileFilter } from '../file-filter';
import { findSizeFailure } from '../limit-bytes';
import { getMediaType } from '../media-types';
import type { EntryAccess, SourceEntry } from '../source';

/** A file or folder as listed by its server. */
export interface TreeNode {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  size?: number;
  modifiedTime?: string;
  version?: string;
  mimetype?: string;
}

/** Folders of a remote server. Paths are absolute, with `/` between names. */
export interface Tree {
  /** The `source` of all documents. */
  source: string;
  /** The folder that the flow names. */
  root: string;
  /** The entries of a folder, in any order; undefined if the folder does not exist. */
  list(folder: string): Promise<readonly TreeNode[] | undefined>;
  /** Text of the access list in a folder; undefined if there is none. */
  readSidecar(folder: string): Promise<string | undefined>;
  /** The rights of a folder on the server, if they apply instead of access lists; otherwise undefined. */
  findRights?(folder: string): Promise<TreeRights | undefined>;
  /** Shown as the path of the document, and passed to `read`. */
  buildPath(file: string): string;
}

/** Who may read a file according to its server. `rightsVersion` changes with the rights, and becomes part of the version of the entry. */
export type TreeAccess = EntryAccess & { rightsVersion?: string };

/** Who may read the files of a folder according to its server. */
export interface TreeRights {
  /** An error for a file whose rights cannot be read. Files that no longer exist are absent. */
  readAccess(files: readonly string[]): Promise<Map<string, TreeAccess | AppError>>;
}

interface Walk {
  tree: Tree;
  settings: SourceFilter;
  filter: FileFilter;
  signal: AbortSignal;
  /** Size of the names of the folders that are being listed. */
  heldCharacters: number;
  /** Folders listed so far. */
  folders: number;
}

/** Files whose rights are read at once. */
const pageSize = 200;
/** If the rights of a folder apply and it cannot be listed, its name must not be revealed to anybody. */
const nobody: EntryAccess = { allowedUsers: [], hasSourceRights: true };
/** Servers may nest folders endlessly. */
const maxDepth = 100;
const maxNodes = 1_000_000;
/** Limits of one folder, so that a server cannot fill the memory or send names endlessly. */
const maxEntriesInFolder = 1_000_000;
const maxNameCharacters = 64 * 1024 * 1024;
/** The same for a folder together with those above it, whose names are in memory too; an entry costs more than its name. */
const maxHeldCharacters = 256 * 1024 * 1024;
const charactersPerEntry = 100;

/**
 * Checks the entries of a folder as they arrive, in portions. Throws SOURCE_TOO_LARGE. Portions without entries count too: a server
 * could send them endlessly.
 */
export function createFolderLimit(folder: string): (portion: readonly { name: string }[]) => void {
  let entries = 0;
  let characters = 0;
  return (portion) => {
    entries += Math.max(portion.length, 1);
    for (const { name } of portion) characters += name.length;
    if (entries > maxEntriesInFolder)
      throw new AppError('SOURCE_TOO_LARGE', `The folder '${folder}' has more than ${maxEntriesInFolder} files.`);
    if (characters > maxNameCharacters)
      throw new AppError(
        'SOURCE_TOO_LARGE',
        `The names in the folder '${folder}' have more than ${maxNameCharacters} characters together.`,
      );
  };
}

/**
 * Lists the documents of a tree, sorted by name, one folder in memory at a time. A folder that cannot be listed is an
 * incomplete entry. The folder named in the flow must exist: throws SOURCE_NOT_FOUND, or the error of `tree.list`. `after` is the
 * cursor of an entry; the rest of the listing follows.
 */
export async function* walkTree(
  tree: Tree,
  settings: SourceFilter,
  signal: AbortSignal,
  after?: string,
): AsyncGenerator<SourceEntry> {
  const walk = { tree, settings, filter: createFileFilter(settings), signal, heldCharacters: 0, folders: 0 };
  signal.throwIfAborted();
  const nodes = await tree.list(tree.root);
  if (!nodes) throw new AppError('SOURCE_NOT_FOUND', `The folder '${tree.buildPath(tree.root)}' does not exist.`);
  // Lists above the folder apply too, so that a flow cannot bypass them by naming a subfolder.
  const above: AccessRules[] = [];
  for (let folder = tree.root; folder !== '/';) {
    folder = path.posix.dirname(folder);
    const rules = await readStoredRules(folder, () => tree.readSidecar(folder));
    if (rules) above.push(rules);
  }
  let count = 0;
  for await (const entry of walkFolder(walk, { folder: tree.root, nodes, above, depth: 0, after: after?.split('/') })) {
    count += 1;
    if (count > maxNodes)
      throw new AppError('SOURCE_TOO_LARGE', `'${tree.buildPath(tree.root)}' has more than ${maxNodes} documents.`);
    yield entry;
  }
}

interface Folder {
  folder: string;
  nodes: readonly TreeNode[];
  above: readonly AccessRules[];
  depth: number;
  /** The names below this folder after which the listing continues. */
  after?: readonly string[] | undefined;
}

async function* walkFolder(walk: Walk, { folder, nodes, above, depth, after }: Folder): AsyncGenerator<SourceEntry> {
  const { tree, settings, filter, signal } = walk;
  signal.throwIfAborted();
  walk.folders += 1;
  if (walk.folders > maxNodes)
    throw new AppError('SOURCE_TOO_LARGE', `'${tree.buildPath(tree.root)}' has more than ${maxNodes} folders.`);
  const rights = await tree.findRights?.(folder);
  const hasList = !rights && nodes.some(({ name }) => name === sidecarName);
  const folderRules = hasList ? await readStoredRules(folder, () => tree.readSidecar(folder)) : undefined;
  const rules = folderRules ? [folderRules, ...above] : above;
  const size = nodes.reduce((sum, { name }) => sum + name.length + charactersPerEntry, 0);
  walk.heldCharacters += size;
  if (walk.heldCharacters > maxHeldCharacters)
    throw new AppError('SOURCE_TOO_LARGE', `The folders from '${tree.buildPath(tree.root)}' down hold too many names.`);
  const sorted = sortNodes(walk, nodes).filter((node) => isRemaining(node, after));
  const isListed = (node: TreeNode) =>
    node.kind !== 'folder' && filter.takesFile(path.posix.relative(tree.root, path.posix.join(folder, node.name)));
  for (let start = 0; start < sorted.length; start += pageSize) {
    const page = sorted.slice(start, start + pageSize);
    const files = page.filter(isListed).map(({ name }) => path.posix.join(folder, name));
    const accessByFile = await rights?.readAccess(files);
    for (const node of page) {
      signal.throwIfAborted();
      const file = path.posix.join(folder, node.name);
      if (!isPlainName(node.name)) {
        const entry = describeIncomplete(walk, folder, 'an entry of the folder has a name that is not valid');
        yield addAccess(entry, folder, { rules, access: rights && nobody });
      } else if (isListed(node)) {
        const access = accessByFile?.get(file);
        // With rights, a file without any no longer exists.
        if (!accessByFile || access) yield addAccess(addCursor(buildEntry(walk, file, node)), file, { rules, access });
      } else if (node.kind === 'folder' && settings.recursive && entersFolder(walk, file))
        yield* enterFolder(walk, {
          folder: file,
          above: rules,
          depth: depth + 1,
          after: node.name === after?.[0] ? after.slice(1) : undefined,
        });
    }
  }
  walk.heldCharacters -= size;
}

/** True for a node that the listing has not passed completely. */
function isRemaining({ name, kind }: TreeNode, after: readonly string[] | undefined): boolean {
  const [afterName, ...below] = after ?? [];
  if (afterName === undefined || name > afterName) return true;
  // A folder is listed when the names before it are; a file in place of the folder was not listed.
  return name === afterName && below.length > 0 && (kind === 'folder' || kind === 'file');
}

/** Only for entries at their own path: the entry that reports a folder with an unusable name is listed among its contents. */
function addCursor(entry: SourceEntry): SourceEntry {
  return { ...entry, cursor: entry.relativePath };
}

function entersFolder({ tree, filter }: Walk, folder: string): boolean {
  return filter.entersFolder(path.posix.relative(tree.root, folder));
}

/** Each name once, sorted, without access lists and hidden names. */
function sortNodes({ settings }: Walk, nodes: readonly TreeNode[]): TreeNode[] {
  const seen = new Set<string>();
  return nodes
    .toSorted((node, other) => compareText(node.name, other.name))
    .filter(({ name }) => {
      const isHidden = settings.ignoreHidden && name.startsWith('.');
      if (name === sidecarName || isHidden || seen.has(name)) return false;
      seen.add(name);
      return true;
    });
}

async function* enterFolder(
  walk: Walk,
  { folder, above, depth, after }: Omit<Folder, 'nodes'>,
): AsyncGenerator<SourceEntry> {
  if (depth > maxDepth) {
    const access = (await walk.tree.findRights?.(folder)) && nobody;
    const entry = describeIncomplete(walk, folder, `it is more than ${maxDepth} folders deep`);
    yield addAccess(addCursor(entry), folder, { rules: above, access });
    return;
  }
  let nodes: readonly TreeNode[] | undefined;
  try {
    nodes = await walk.tree.list(folder);
  } catch (error) {
    walk.signal.throwIfAborted();
    const { code, message } = asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    // While the server is unavailable, every folder would be incomplete; instead the run waits for it.
    if (code !== 'SOURCE_NOT_ALLOWED' && code !== 'SOURCE_UNREADABLE') throw error;
    const access = (await walk.tree.findRights?.(folder)) && nobody;
    yield addAccess(addCursor(describeIncomplete(walk, folder, message)), folder, { rules: above, access });
    return;
  }
  if (nodes) yield* walkFolder(walk, { folder, nodes, above, depth, after });
}

/** True for a name that cannot lead out of its folder. */
export function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
}

function describeIncomplete(walk: Walk, folder: string, reason: string): SourceEntry {
  const entry = buildEntry(walk, folder, { name: path.posix.basename(folder), kind: 'file' });
  const message = `'${entry.path}' cannot be listed: ${reason}.`;
  return { ...entry, failure: { code: 'SOURCE_UNREADABLE', message }, incomplete: true };
}

function buildEntry({ tree, settings }: Walk, file: string, node: TreeNode): SourceEntry {
  const relative = path.posix.relative(tree.root, file);
  const extension = path.posix.extname(node.name).slice(1).toLowerCase();
  const { size = 0, modifiedTime = '', version } = node;
  return {
    source: tree.source,
    relativePath: relative,
    path: tree.buildPath(file),
    name: node.name,
    mimetype: node.mimetype ?? getMediaType(extension),
    size,
    modifiedTime,
    metadata: { relative_path: relative, extension },
    ...(version === undefined ? {} : { version }),
    ...(node.kind === 'link' ? { skip: 'Symbolic links are not followed' } : {}),
    ...(node.kind === 'other' ? { skip: 'Not a regular file' } : {}),
    ...findSizeFailure(size, settings),
  };
}

/** Also for unreadable entries: without an access list, it would be unknown who may see their names. */
function addAccess(
  entry: SourceEntry,
  file: string,
  { rules, access }: { rules: readonly AccessRules[]; access?: TreeAccess | AppError | undefined },
): SourceEntry {
  if (access instanceof AppError) return { ...entry, failure: { code: access.code, message: access.message } };
  if (!access) return addListedAccess(entry, file, rules);
  const { rightsVersion, ...list } = access;
  // Without a time, equal versions would not mean equal bytes.
  if (rightsVersion === undefined || entry.modifiedTime === '') return { ...entry, ...list };
  return { ...entry, ...list, version: `${rightsVersion}:${entry.modifiedTime}:${entry.size}` };
}

import path from 'node:path';
import { AppError, asAppError } from '../../model/errors';
import type { SourceFilter } from '../../model/source/remote-source';
import { type AccessRules, readStoredRules, sidecarName } from './access-sidecar';
import { createFileFilter } from './file-filter';
import { findSizeFailure } from './limit-bytes';
import { getMediaType } from './media-types';
import type { EntryAccess, SourceEntry } from './source';

/** An object as listed by its server. */
export interface StoredObject {
  key: string;
  size: number;
  modifiedTime: string;
  version?: string;
  mimetype?: string;
  /** The reason why the object cannot be read although it is listed. */
  failure?: SourceEntry['failure'];
}

/** A store of objects whose keys have `/` between names, such as a bucket. */
export interface KeyStore {
  /** The `source` of all documents. */
  source: string;
  prefix: string;
  /** Objects with the prefix in key order; objects below a further `/` may be skipped if the flow does not want them. */
  objects(): AsyncIterable<StoredObject>;
  /** The objects after this key; absent if listings always start at the beginning. */
  objectsAfter?(key: string): AsyncIterable<StoredObject>;
  /** Text of the object with this key; undefined if there is none. */
  text(key: string): Promise<string | undefined>;
  /** Shown as the path of the document, and passed to `read`. */
  pathOf(key: string): string;
  /** Members of `metadata` in addition to those of every document. */
  metadata?: Record<string, unknown>;
  /** True to skip empty objects. */
  skipEmpty?: boolean;
}

/** No store of documents has more objects, but a faulty server could list some forever. */
const maxObjects = 10_000_000;

/** Lists the documents of a store. `.acl.json` objects define who may read the objects next to and below them. */
export async function* walkKeys(
  store: KeyStore,
  settings: SourceFilter,
  signal: AbortSignal,
  after?: string,
): AsyncGenerator<SourceEntry> {
  const findAccess = createAccessFinder(store);
  const base = store.prefix.slice(0, store.prefix.lastIndexOf('/') + 1);
  const filter = createFileFilter(settings);
  let listed = 0;
  signal.throwIfAborted();
  const objects = after === undefined ? store.objects() : store.objectsAfter?.(after);
  for await (const object of objects ?? []) {
    signal.throwIfAborted();
    const { key } = object;
    if (!key.startsWith(store.prefix)) continue;
    listed += 1;
    if (listed > maxObjects)
      throw new AppError('SOURCE_TOO_LARGE', `'${store.source}' has more than ${maxObjects} objects.`);
    const relative = key.slice(base.length);
    const names = relative.split('/');
    if (key.endsWith('/') || names.at(-1) === sidecarName || !filter.takesFile(relative)) continue;
    if (settings.ignoreHidden && names.some((name) => name.startsWith('.'))) continue;
    if (!settings.recursive && names.length > 1) continue;
    if (names.slice(0, -1).some((_, index) => !filter.entersFolder(names.slice(0, index + 1).join('/')))) continue;
    const cursor = store.objectsAfter ? { cursor: key } : {};
    const entry = { ...toEntry(store, object, relative), ...cursor, ...findProblem(store, object, settings) };
    yield await addAccess(entry, () => findAccess(key));
  }
}

function toEntry(store: KeyStore, object: StoredObject, relative: string): SourceEntry {
  const { key, size, modifiedTime, version, mimetype } = object;
  const extension = path.posix.extname(key).slice(1).toLowerCase();
  return {
    source: store.source,
    relativePath: key,
    path: store.pathOf(key),
    name: path.posix.basename(key),
    mimetype: mimetype ?? getMediaType(extension),
    size,
    modifiedTime,
    metadata: { relative_path: relative, extension, key, ...store.metadata },
    ...(version === undefined ? {} : { version }),
  };
}

function findProblem(
  { skipEmpty = false }: KeyStore,
  { size, failure }: StoredObject,
  settings: SourceFilter,
): Pick<SourceEntry, 'skip' | 'failure'> {
  if (failure) return { failure };
  if (size === 0 && skipEmpty) return { skip: 'The object is empty' };
  return findSizeFailure(size, settings, 'object');
}

/** Also for objects that are skipped or fail: without an access list, it would be unknown who may see their names. */
async function addAccess(entry: SourceEntry, findAccess: () => Promise<EntryAccess | undefined>): Promise<SourceEntry> {
  try {
    return { ...entry, ...(await findAccess()) };
  } catch (error) {
    const { code, message } = asAppError(error);
    return { ...entry, failure: { code, message } };
  }
}

/** Finds the readers of a key: those in the nearest `.acl.json` above it that covers it. Reads each sidecar once per listing. */
function createAccessFinder(store: KeyStore): (key: string) => Promise<EntryAccess | undefined> {
  const rulesByFolder = new Map<string, Promise<AccessRules | undefined>>();
  const readRules = (folder: string) => {
    const key = folder === '' ? sidecarName : `${folder}/${sidecarName}`;
    const storedRules = rulesByFolder.get(folder) ?? readStoredRules(`/${folder}`, () => store.text(key));
    rulesByFolder.set(folder, storedRules);
    return storedRules;
  };
  return async (key) => {
    const folders = key.split('/').map((_, index, names) => names.slice(0, index).join('/'));
    for (const folder of folders.toReversed()) {
      const list = (await readRules(folder))?.listOf(`/${key}`);
      if (list) return list;
    }
    return undefined;
  };
}

import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { HttpClient } from 'isomorphic-git';
import { AppError } from '../../../model/errors';
import { type GitSourceSettings, readGitSettings } from '../../../model/source/git-source';
import { trimSlashes } from '../../../model/trim-slashes';
import type { AddressGuard } from '../../net/address-guard';
import { collectBytes } from '../../storage/collect-bytes';
import { sidecarName } from '../access-sidecar';
import { defaultMaxBytes, limitBytes, limitResponse } from '../limit-bytes';
import type { ListingStart, Source } from '../source';
import { checkLines, checkPack, omitMessages } from './check-pack';
import { contentTimeoutMs, createRequests } from './requests';
import { isPlainName, type Tree, type TreeNode, walkTree } from './tree';

type Git = typeof import('isomorphic-git');

/** The newest commit of a branch in a local folder. */
interface Clone {
  git: Git;
  gitdir: string;
  commit: string;
  /** Indexes of the packs, cached by the library. */
  cache: object;
  sizes: Map<string, number>;
}

/** Clones are kept for a while, because documents are read one by one. */
const keptClones = 4;
const freshMs = 5 * 60_000;
/** Maximum size of the pack of one commit, which the library keeps in memory. */
const maxPackBytes = 512 * 1024 * 1024;
const gigabyte = 1024 * 1024 * 1024;
/** The library unpacks a large object again for each delta; `workBytes` takes it a few minutes. */
const unpackedLimits = {
  objectBytes: gigabyte / 2,
  totalBytes: 4 * gigabyte,
  workBytes: 32 * gigabyte,
  objects: 1_000_000,
};
/** Maximum size of the list of branches and tags: about a million of them. */
const maxRefsBytes = 64 * 1024 * 1024;
const maxListBytes = 16 * 1024 * 1024;

/**
 * Lists the files of one branch, with the blob as version. Fetches only the newest commit, without history, into a folder that
 * only this process may read; nothing is checked out. Links and submodules are not followed.
 */
export function createGitSource({ guard }: { guard: AddressGuard }): Source {
  const clones = createClones(guard);
  const read: Source['read'] = async (file, config, signal) => {
    const settings = buildSettings(config);
    const start = buildPath(settings, settings.folder === '/' ? '/' : `${settings.folder}/`);
    const names = file.slice(buildPath(settings, '/').length).split('/');
    if (!file.startsWith(start) || !names.every(isPlainName))
      throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a document below ${start}.`);
    const clone = await clones.findRecent(settings, signal);
    const bytes = await findBlob(clone, names.join('/'));
    if (!bytes) throw new AppError('SOURCE_GONE', `'${file}' is no longer in the branch.`);
    const { maxFileBytes = defaultMaxBytes } = settings;
    for await (const _part of limitBytes([bytes], { name: file, maxBytes: maxFileBytes })) signal.throwIfAborted();
    return bytes;
  };
  const list = async function* list(
    config: Record<string, unknown>,
    signal: AbortSignal,
    { after }: ListingStart = {},
  ) {
    const settings = buildSettings(config);
    signal.throwIfAborted();
    yield* walkTree(buildTree(await clones.fetchNewest(settings, signal), settings), settings, signal, after);
  };
  return {
    list,
    read,
    hash: async (file, config, signal) => hash('sha256', await read(file, config, signal)),
  };
}

function buildSettings(config: Record<string, unknown>): GitSourceSettings {
  const settings = readGitSettings(config);
  const url = URL.canParse(settings.repositoryUrl) ? new URL(settings.repositoryUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'repository_url is not an http or https address.');
  if (url.username !== '' || url.password !== '')
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'repository_url holds a password; use `credentials`.');
  return { ...settings, repositoryUrl: trimSlashes(url.href) };
}

function buildPath({ repositoryUrl, branch = '' }: GitSourceSettings, file: string): string {
  return `${repositoryUrl}#${branch}:${file.slice(1)}`;
}

function buildTree(clone: Clone, settings: GitSourceSettings): Tree {
  const { repositoryUrl, branch } = settings;
  return {
    source: `git:${repositoryUrl}${branch === undefined ? '' : `#${branch}`}`,
    root: settings.folder,
    buildPath: (file) => buildPath(settings, file),
    list: async (folder) => {
      const entries = await findFolder(clone, folder.slice(1));
      if (!entries) return undefined;
      const nodes: TreeNode[] = [];
      for (const { mode, path: name, oid, type } of entries) {
        if (type === 'tree') nodes.push({ name, kind: 'folder' });
        else if (type === 'commit') nodes.push({ name, kind: 'other' });
        else if (mode === linkMode) nodes.push({ name, kind: 'link', version: oid });
        else nodes.push({ name, kind: 'file', version: oid, size: await readSize(clone, oid) });
      }
      return nodes;
    },
    readSidecar: async (folder) => {
      const bytes = await findBlob(clone, path.posix.join(folder, sidecarName).slice(1));
      if (bytes && bytes.length > maxListBytes)
        throw new AppError('ACCESS_LIST_INVALID', `it has more than ${maxListBytes} bytes`);
      return bytes && Buffer.from(bytes).toString('utf8');
    },
  };
}

/** The mode of a symbolic link in a tree. */
const linkMode = '120000';

/** The entries of a folder; an empty path is the root. Undefined if the path does not exist, or is not a folder. */
async function findFolder({ git, gitdir, cache, commit }: Clone, filepath: string) {
  try {
    const root = filepath === '' ? {} : { filepath };
    return (await git.readTree({ fs, gitdir, cache, oid: commit, ...root })).tree;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Trees do not contain sizes. */
async function readSize({ git, gitdir, cache, sizes }: Clone, oid: string): Promise<number> {
  const size = sizes.get(oid);
  if (size !== undefined) return size;
  const { blob } = await git.readBlob({ fs, gitdir, cache, oid });
  sizes.set(oid, blob.length);
  return blob.length;
}

/** Undefined if the path does not exist, or is a folder or a link. */
async function findBlob(clone: Clone, filepath: string): Promise<Buffer | undefined> {
  const folder = path.posix.dirname(filepath);
  const entries = await findFolder(clone, folder === '.' ? '' : folder);
  const entry = entries?.find(({ path: name }) => name === path.posix.basename(filepath));
  if (entry?.type !== 'blob' || entry.mode === linkMode) return undefined;
  const { git, gitdir, cache } = clone;
  const { blob } = await git.readBlob({ fs, gitdir, cache, oid: entry.oid });
  return Buffer.from(blob);
}

interface Clones {
  /** A clone of the current state of the branch. */
  fetchNewest(settings: GitSourceSettings, signal: AbortSignal): Promise<Clone>;
  /** A clone of the current or a recent state of the branch. */
  findRecent(settings: GitSourceSettings, signal: AbortSignal): Promise<Clone>;
}

function createClones(guard: AddressGuard): Clones {
  const clones = new Map<string, { clone: Promise<Clone>; at: number }>();
  const getKey = ({ repositoryUrl, branch = '', username = '', password = '' }: GitSourceSettings) =>
    hash('sha256', JSON.stringify([repositoryUrl, branch, username, password]));
  const drop = (key: string) => {
    const old = clones.get(key);
    clones.delete(key);
    // Another run may still read from it.
    old?.clone.then(
      (clone) => setTimeout(removeClone, freshMs, clone).unref(),
      () => undefined,
    );
  };
  const fetchNewest = (settings: GitSourceSettings, signal: AbortSignal): Promise<Clone> => {
    const key = getKey(settings);
    drop(key);
    const clone = fetchClone(settings, guard, signal);
    clones.set(key, { clone, at: Date.now() });
    clone.catch(() => clones.get(key)?.clone === clone && clones.delete(key));
    const [oldest] = clones.keys();
    if (clones.size > keptClones && oldest !== undefined) drop(oldest);
    return clone;
  };
  return {
    fetchNewest,
    async findRecent(settings, signal) {
      const entry = clones.get(getKey(settings));
      return await (entry && Date.now() - entry.at < freshMs ? entry.clone : fetchNewest(settings, signal));
    },
  };
}

const clonesOfProcess = new Set<string>();
process.once('exit', () => {
  for (const gitdir of clonesOfProcess) fs.rmSync(gitdir, { recursive: true, force: true });
});

function removeClone({ gitdir }: Clone): void {
  clonesOfProcess.delete(gitdir);
  fs.rmSync(gitdir, { recursive: true, force: true });
}

async function fetchClone(settings: GitSourceSettings, guard: AddressGuard, signal: AbortSignal): Promise<Clone> {
  // Loaded on first use: flows without git do not need it.
  const git = await import('isomorphic-git');
  const requests = createRequests(guard);
  const gitdir = await mkdtemp(path.join(os.tmpdir(), 'docloom-git-'));
  clonesOfProcess.add(gitdir);
  const clone: Clone = { git, gitdir, commit: '', cache: {}, sizes: new Map() };
  try {
    const http = createHttpClient(settings, requests, signal);
    await git.init({ fs, gitdir, bare: true });
    await git.addRemote({ fs, gitdir, remote: 'origin', url: settings.repositoryUrl });
    const { fetchHead } = await git.fetch({
      fs,
      http,
      gitdir,
      cache: clone.cache,
      // The library takes no signal, and calls this at each percent of the objects.
      onProgress: async () => {
        await yieldToOthers();
        signal.throwIfAborted();
      },
      remote: 'origin',
      depth: 1,
      singleBranch: true,
      tags: false,
      ...(settings.branch === undefined ? {} : { ref: settings.branch, remoteRef: settings.branch }),
    });
    if (!fetchHead) throw createNoBranchError(settings);
    return { ...clone, commit: fetchHead };
  } catch (error) {
    removeClone(clone);
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    if (isMissing(error) || (error as { code?: string }).code === 'EmptyServerResponseError')
      throw createNoBranchError(settings);
    const { message } = error as Error;
    throw new AppError('EXTERNAL_SERVICE_ERROR', `${settings.repositoryUrl} cannot be fetched: ${message}`, {}, error);
  } finally {
    requests.close();
  }
}

/** The HTTP client for the library, over guarded connections. */
function createHttpClient(
  settings: GitSourceSettings,
  requests: ReturnType<typeof createRequests>,
  signal: AbortSignal,
): HttpClient {
  const { username, password, repositoryUrl } = settings;
  const basic = `Basic ${Buffer.from(`${username ?? 'git'}:${password ?? ''}`).toString('base64')}`;
  const credentials: Record<string, string> =
    username === undefined && password === undefined ? {} : { authorization: basic };
  return {
    async request({ url, method = 'GET', headers = {}, body }) {
      const parts: Uint8Array[] = [];
      for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) parts.push(part);
      const response = await requests.send(
        {
          url: new URL(url),
          method,
          headers: { ...headers, ...credentials },
          ...(parts.length > 0 ? { body: Buffer.concat(parts) } : {}),
          // A pack holds all documents.
          ...(method === 'POST' ? { timeoutMs: contentTimeoutMs } : {}),
        },
        signal,
      );
      if (!response.ok) {
        await response.body?.cancel();
        throw createStatusError(repositoryUrl, response.status);
      }
      const maxBytes = method === 'POST' ? maxPackBytes : maxRefsBytes;
      const bytes = await collectBytes(limitResponse(response, { name: repositoryUrl, maxBytes }));
      const checked = method === 'POST' ? omitMessages(bytes) : bytes;
      if (method === 'POST') await checkPack(checked, unpackedLimits, signal);
      else checkLines(checked);
      return {
        url,
        method,
        statusCode: response.status,
        statusMessage: response.statusText,
        headers: Object.fromEntries(response.headers),
        body: iterateOnce(checked),
      };
    },
  };
}

async function* iterateOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function createStatusError(url: string, status: number): AppError {
  if (status === 401) return new AppError('SOURCE_SIGN_IN_FAILED', `${url} does not accept these credentials (401).`);
  if (status === 403) return new AppError('SOURCE_NOT_ALLOWED', `${url} may not be fetched (403).`);
  if (status === 404 || status === 410) return new AppError('SOURCE_NOT_FOUND', `There is no repository ${url}.`);
  return new AppError('EXTERNAL_SERVICE_ERROR', `${url} cannot be fetched: the server answered ${status}.`);
}

function createNoBranchError({ repositoryUrl, branch }: GitSourceSettings): AppError {
  const what = branch === undefined ? 'has no branch' : `has no branch '${branch}'`;
  return new AppError('SOURCE_NOT_FOUND', `The repository ${repositoryUrl} ${what}.`);
}

function isMissing(error: unknown): boolean {
  return ['NotFoundError', 'ObjectTypeError'].includes((error as { code?: string }).code ?? '');
}

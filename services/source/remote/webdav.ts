import path from 'node:path';
import { AppError } from '../../../model/errors';
import { readWebdavSettings, type WebdavSourceSettings } from '../../../model/source/webdav-source';
import { encodePath } from '../../../model/url-path';
import type { AddressGuard } from '../../net/address-guard';
import { sidecarName } from '../access-sidecar';
import { createConnectedSource } from '../connected-source';
import { limitResponse } from '../limit-bytes';
import type { Source } from '../source';
import { findChild, readXml, type XmlElement } from './read-xml';
import { contentTimeoutMs, createRequests, readText, type RemoteRequest, type Requests } from './requests';
import { isPlainName, type Tree, type TreeNode, walkTree } from './tree';

/** Maximum size of the listing of one folder. */
const maxListingBytes = 64 * 1024 * 1024;
const maxListBytes = 16 * 1024 * 1024;
const properties =
  '<?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/><getetag/><getcontenttype/></prop></propfind>';

interface Server {
  requests: Requests;
  settings: WebdavSourceSettings;
  /** The folder that the flow names. */
  base: URL;
  root: string;
}

/**
 * Lists folders of a WebDAV server with one PROPFIND of depth 1 per folder. Only children of the folder count: other addresses
 * in a response are not followed. Credentials are sent to the origin of `folder_url` only.
 */
export function createWebdavSource({ guard }: { guard: AddressGuard }): Source {
  return createConnectedSource<Server>({
    open: (config) => open(config, guard),
    close: ({ requests }) => requests.close(),
    list: (server, signal, after) => walkTree(buildTree(server, signal), server.settings, signal, after),
    read: readFile,
  });
}

async function* readFile(server: Server, file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const request = buildRequest(server, createFileUrl(server, file), { timeoutMs: contentTimeoutMs });
  const response = await server.requests.send(request, signal);
  if (!response.ok) {
    await response.body?.cancel();
    throw createReadError(file, response.status);
  }
  yield* limitResponse(response, { name: file, maxBytes: server.settings.maxFileBytes });
}

function open(config: Record<string, unknown>, guard: AddressGuard): Server {
  const settings = readWebdavSettings(config);
  const { folderUrl } = settings;
  if (!URL.canParse(folderUrl) || !/^https?:/i.test(folderUrl))
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'folder_url is not an http or https address.');
  const base = new URL(folderUrl);
  // Even if they are in the address, which is shown with every document.
  if (base.username !== '' || base.password !== '')
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'folder_url holds a password; use `credentials`.');
  base.search = '';
  base.hash = '';
  const root = `/${findNames(base.pathname)?.join('/') ?? ''}`;
  return { requests: createRequests(guard), settings, base, root };
}

function buildRequest({ settings }: Server, url: URL, parts: Partial<RemoteRequest> = {}): RemoteRequest {
  const { username, password, token } = settings;
  const basic = `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}`;
  const authorization = token === undefined ? basic : `Bearer ${token}`;
  const hasCredentials = token !== undefined || username !== undefined;
  return { url, ...parts, headers: { ...(hasCredentials ? { authorization } : {}), ...parts.headers } };
}

function buildTree(server: Server, signal: AbortSignal): Tree {
  const { base, root } = server;
  return {
    source: `webdav:${base.origin}${encodePath(root)}`,
    root,
    buildPath: (file) => `${base.origin}${encodePath(file)}`,
    list: (folder) => listFolder(server, folder, signal),
    readSidecar: async (folder) => {
      const url = new URL(`${base.origin}${encodePath(path.posix.join(folder, sidecarName))}`);
      const response = await server.requests.send(buildRequest(server, url), signal);
      const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
      const isWithin = folder === root || folder.startsWith(`${root}/`);
      if (response.ok && (isWithin || !isPage)) return await readText(response, maxListBytes);
      await response.body?.cancel();
      // Above the folder in the flow, many servers return nothing or a login page.
      if (response.status === 404 || response.status === 410 || !isWithin) return undefined;
      throw new AppError('ACCESS_LIST_INVALID', `the server answered ${response.status}`);
    },
  };
}

async function listFolder(server: Server, folder: string, signal: AbortSignal): Promise<TreeNode[] | undefined> {
  const { requests, base, root } = server;
  const url = new URL(`${base.origin}${encodePath(folder)}`.replace(/\/?$/, '/'));
  const headers = { depth: '1', 'content-type': 'application/xml' };
  const propfind = buildRequest(server, url, { method: 'PROPFIND', headers, body: properties });
  const response = await requests.send(propfind, signal);
  if (response.status !== 207) {
    await response.body?.cancel();
    if (response.status === 404 || response.status === 410) return undefined;
    throw createListError(`The folder '${url.href}'`, response.status);
  }
  const answer = readXml(await readText(response, maxListingBytes));
  if (answer.name !== 'multistatus')
    throw new AppError('INVALID_RESPONSE', `'${url.href}' is not a WebDAV folder: the answer is <${answer.name}>.`);
  const nodes: TreeNode[] = [];
  const folderNames = findNames(url.pathname) ?? [];
  let isFile = false;
  for (const child of answer.children) {
    const names = child.name === 'response' ? parseNames(findChild(child, 'href')?.text ?? '') : undefined;
    if (!names || !folderNames.every((name, level) => name === names[level])) continue;
    const facts = child.children.find((part) => part.name === 'propstat' && isOk(findChild(part, 'status')?.text));
    const isCollection = findChild(facts, 'prop', 'resourcetype', 'collection') !== undefined;
    const [name, ...others] = names.slice(folderNames.length);
    if (name === undefined) isFile ||= facts !== undefined && !isCollection;
    // An entry that the account may not see may be a folder; entering it shows that.
    else if (others.length === 0) nodes.push(buildNode(name, isCollection || !facts, findChild(facts, 'prop')));
  }
  if (isFile && folder === root)
    throw new AppError('SOURCE_NOT_FOUND', `'${url.href}' is a file; folder_url must name a folder.`);
  return nodes;
}

function buildNode(name: string, isFolder: boolean, facts: XmlElement | undefined): TreeNode {
  const findText = (property: string) => findChild(facts, property)?.text.trim() || undefined;
  const size = Number(findText('getcontentlength') ?? 0);
  const modified = Date.parse(findText('getlastmodified') ?? '');
  const etag = findText('getetag');
  const mimetype = findText('getcontenttype')?.split(';')[0]?.trim().toLowerCase();
  return {
    name,
    kind: isFolder ? 'folder' : 'file',
    size: Number.isSafeInteger(size) && size > 0 ? size : 0,
    ...(Number.isNaN(modified) ? {} : { modifiedTime: new Date(modified).toISOString() }),
    ...(etag === undefined ? {} : { version: etag }),
    ...(mimetype && mimetype !== 'application/octet-stream' ? { mimetype } : {}),
  };
}

function isOk(status = 'HTTP/1.1 200 OK'): boolean {
  return /^HTTP\/\S+ 2\d\d/.test(status.trim());
}

/**
 * The names in an `href`; undefined for names that could lead elsewhere. Ignores the host: behind a proxy, servers name another
 * one. Does not use the URL parser, because some servers do not encode `#` and `?` in names.
 */
function parseNames(href: string): string[] | undefined {
  const pathname = href.trim().replace(/^[a-z]+:\/\/[^/]*/i, '');
  return pathname.startsWith('/') ? findNames(pathname) : undefined;
}

function findNames(pathname: string): string[] | undefined {
  try {
    const names = pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    return names.every(isPlainName) ? names : undefined;
  } catch {
    return undefined;
  }
}

/** The address of a listed document. Throws SOURCE_UNREADABLE for one that is not below the folder of the flow. */
function createFileUrl({ base, root }: Server, file: string): URL {
  const url = URL.canParse(file) ? new URL(file) : undefined;
  const names = url && findNames(url.pathname);
  const place = `/${names?.join('/') ?? ''}`;
  const isBelow = root === '/' ? place !== '/' : place.startsWith(`${root}/`);
  if (url?.origin !== base.origin || !names || !isBelow || !file.startsWith(`${base.origin}/`))
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a document below ${base.href}.`);
  return new URL(`${base.origin}${encodePath(place)}`);
}

function createListError(place: string, status: number): AppError {
  if (status === 401)
    return new AppError('SOURCE_SIGN_IN_FAILED', `${place}: the server does not accept these credentials (401).`);
  if (status === 403) return new AppError('SOURCE_NOT_ALLOWED', `${place} may not be listed (403).`);
  if (status === 405 || status === 501 || status < 300)
    return new AppError('SOURCE_NOT_FOUND', `${place} is not a WebDAV folder: the server answered ${status}.`);
  return new AppError('EXTERNAL_SERVICE_ERROR', `${place} cannot be listed: the server answered ${status}.`);
}

function createReadError(file: string, status: number): AppError {
  if (status === 404 || status === 410) return new AppError('SOURCE_GONE', `'${file}' no longer exists.`);
  return new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: the server answered ${status}.`);
}

import { Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import {
  type GoogleDriveSettings,
  readGoogleDriveSettings,
  usualDirectoryEndpoint,
  usualDriveEndpoint,
} from '../../../model/source/online/google-drive-source';
import { parse } from '../../../model/validate';
import { addQuery } from '../../cloud/cloud-store';
import { readGoogleKey } from '../../cloud/google-key';
import { createGoogleTokens, type GoogleScope, type GoogleTokens } from '../../cloud/google-token';
import type { AddressGuard } from '../../net/address-guard';
import { createConnectedSource } from '../connected-source';
import type { Source } from '../source';
import { findCoveringMap } from './cover';
import { download } from './download';
import { catchUp, type ChangeFeed } from './feed';
import { findGoneFiles, readGoogleChanges } from './google-changes';
import { readGoogleDirectory } from './google-directory';
import { DriveFile, fileMembers, findExport, folderType, toItem } from './google-file';
import { readGoogleAccess } from './google-rights';
import type { Item } from './item';
import { type JsonApi, openJsonApi, readPages } from './json-api';
import type { ItemSourceDeps } from './sharepoint';
import { type ItemTree, walkItems } from './walk-items';

const Files = Type.Object({
  files: Type.Array(DriveFile),
  nextPageToken: Type.Optional(Type.String()),
  incompleteSearch: Type.Optional(Type.Boolean()),
});
const Refusal = Type.Object({
  error: Type.Object({ errors: Type.Optional(Type.Array(Type.Object({ reason: Type.Optional(Type.String()) }))) }),
});

const rightsMembers = 'permissions(id,type,emailAddress,domain,role,allowFileDiscovery,deleted,view,expirationTime)';
const idPart = /^[A-Za-z0-9_-]+$/;

/** Google Drive as a flow names it, opened for one listing or one document. */
export interface OpenGoogleDrive {
  api: JsonApi;
  settings: GoogleDriveSettings;
  signal: AbortSignal;
}

/**
 * Lists a Google Drive or a shared drive. A document is identified by its id, so that it stays the same when it is renamed or moved.
 * Where an identity map covers Google Drive, the permissions of the files decide who may read what.
 */
export function createGoogleDriveSource({ guard, rights, knownItems }: ItemSourceDeps): Source {
  const tokens = createGoogleTokens();
  const open = (config: Record<string, unknown>, signal: AbortSignal): OpenGoogleDrive => {
    const settings = readGoogleDriveSettings(config);
    return { api: openGoogleApi(settings, 'drive', { guard, tokens }), settings, signal };
  };
  const source = createConnectedSource<OpenGoogleDrive>({
    open,
    close: ({ api }) => api.close(),
    async *list(drive, signal, after) {
      const { settings } = drive;
      const map = await findCoveringMap(rights, formatPlace(settings), settings.needsRights ?? false);
      const tree = await toTree(drive, map);
      // Changes lack inherited permissions, and do not show whether a file of a user is below a certain folder.
      const isFollowed = map === undefined && settings.folderId === undefined;
      const current =
        knownItems && isFollowed ? await catchUp(toFeed(drive, tree.place), knownItems, signal) : undefined;
      const children = current && { listChildren: ({ id }: Item) => current.listChildren(id) };
      yield* walkItems({ ...tree, ...children }, settings, signal, after);
    },
    read: readFile,
    readChanges: readGoogleChanges,
  });
  return {
    ...source,
    async readDirectory(config, signal) {
      const settings = readGoogleDriveSettings(config);
      const endpoint = settings.endpoint === usualDriveEndpoint ? usualDirectoryEndpoint : settings.endpoint;
      const api = openGoogleApi({ ...settings, endpoint }, 'directory', { guard, tokens });
      try {
        return await readGoogleDirectory({ api, endpoint }, signal);
      } finally {
        api.close();
      }
    },
  };
}

/** Opens an API of Google for a service account. */
export function openGoogleApi(
  { endpoint, keyText, subject }: Pick<GoogleDriveSettings, 'endpoint' | 'keyText' | 'subject'>,
  scope: GoogleScope,
  { guard, tokens }: { guard: AddressGuard; tokens: GoogleTokens },
): JsonApi {
  const key = { ...readGoogleKey(keyText), ...(subject === undefined ? {} : { subject }) };
  return openJsonApi({
    guard,
    base: endpoint,
    findCode: findGoogleCode,
    async authorize(requests, signal, isRenewed) {
      if (isRenewed) tokens.drop(key, scope);
      return `Bearer ${await tokens.getToken(key, scope, requests, signal)}`;
    },
  });
}

function findGoogleCode(answer: unknown): string | undefined {
  try {
    return parse(Refusal, answer, 'The answer', 'INVALID_RESPONSE').error.errors?.[0]?.reason;
  } catch {
    return undefined;
  }
}

/** All maps of Google Drive name people by their mail addresses, which are the same in every drive. */
function formatPlace({ endpoint, driveId }: GoogleDriveSettings): string {
  return `google-drive://${new URL(endpoint).host}${driveId === undefined ? '' : `/${driveId}`}`;
}

function getSource({ endpoint }: GoogleDriveSettings): string {
  return `google-drive:${new URL(endpoint).host}`;
}

function toFeed(drive: OpenGoogleDrive, place: string): ChangeFeed {
  const { endpoint, driveId, keyText, subject } = drive.settings;
  return {
    place,
    key: ['google_drive', endpoint, driveId ?? '', subject ?? ''],
    secret: keyText,
    read: (cursor) => readGoogleChanges(drive, cursor),
    confirmGone: (ids) => findGoneFiles(drive, ids),
  };
}

function getFilesUrl({ endpoint }: GoogleDriveSettings, rest: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(`${endpoint}/drive/v3/files${rest}`);
  addQuery(url, { supportsAllDrives: 'true', ...query });
  return url;
}

async function toTree(drive: OpenGoogleDrive, map: string | undefined): Promise<ItemTree> {
  const { api, settings, signal } = drive;
  const { driveId, folderId = driveId ?? 'root' } = settings;
  if (!idPart.test(folderId) || (driveId !== undefined && !idPart.test(driveId)))
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', `'${folderId}' is not an id of Google Drive.`);
  const place = `The folder '${folderId}' of Google Drive`;
  const root = await api.read(
    getFilesUrl(settings, `/${folderId}`, { fields: 'id,mimeType,trashed' }),
    DriveFile,
    signal,
  );
  if (!root || root.mimeType !== folderType || root.trashed)
    throw new AppError('SOURCE_NOT_FOUND', `${place} does not exist.`);
  /** Permissions that came with the listing. */
  const listedPermissions = new Map<string, DriveFile['permissions']>();
  const fields = `nextPageToken,incompleteSearch,files(${fileMembers}${map === undefined ? '' : `,${rightsMembers}`})`;
  return {
    source: getSource(settings),
    place,
    root: { id: root.id, name: '', isDocument: false, isFolder: true },
    buildPath: ({ id, name }) => `google-drive://${new URL(settings.endpoint).host}/${id}/${encodeURIComponent(name)}`,
    async listChildren({ id }) {
      const items: Item[] = [];
      const query = {
        q: `'${id}' in parents and trashed = false`,
        pageSize: '500',
        includeItemsFromAllDrives: 'true',
        fields,
        ...(driveId === undefined ? {} : { corpora: 'drive', driveId }),
      };
      const pages = readPages(api.place, async (pageToken) => {
        const url = getFilesUrl(settings, '', pageToken === undefined ? query : { ...query, pageToken });
        const page = await api.read(url, Files, signal);
        // Servers leave out what they could not search; missing documents would look deleted.
        if (!page || page.incompleteSearch)
          throw new AppError('SOURCE_UNREADABLE', `${api.place} did not list a folder completely.`);
        return { items: page.files, next: page.nextPageToken };
      });
      for await (const files of pages)
        for (const file of files) {
          listedPermissions.set(file.id, file.permissions);
          items.push(...toItem(file));
        }
      return items;
    },
    ...(map === undefined
      ? {}
      : {
          async readAccess(items) {
            const known = new Map(items.map(({ id }) => [id, listedPermissions.get(id)]));
            for (const { id } of items) listedPermissions.delete(id);
            return await readGoogleAccess(
              { api, map, known, now: new Date() },
              (id, query) => getFilesUrl(settings, `/${id}/permissions`, query),
              signal,
            );
          },
        }),
  };
}

/** The bytes of a file. Its metadata may have changed since the listing, so they are read again first. */
async function* readFile({ api, settings, signal }: OpenGoogleDrive, file: string): AsyncGenerator<Uint8Array> {
  const start = `google-drive://${new URL(settings.endpoint).host}/`;
  const [, id = ''] = /^([^/]+)\/[^/]*$/.exec(file.startsWith(start) ? file.slice(start.length) : '') ?? [];
  if (!idPart.test(id)) throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a document of Google Drive.`);
  const driveFile = await api.read(
    getFilesUrl(settings, `/${id}`, { fields: 'id,mimeType,trashed,driveId' }),
    DriveFile,
    signal,
  );
  if (!driveFile || driveFile.trashed) throw new AppError('SOURCE_GONE', `'${file}' no longer exists.`);
  if (settings.driveId !== undefined && driveFile.driveId !== settings.driveId)
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is in another drive.`);
  const { mimeType = '' } = driveFile;
  const exported = findExport(mimeType);
  const url = exported
    ? getFilesUrl(settings, `/${id}/export`, { mimeType: exported.mimetype })
    : getFilesUrl(settings, `/${id}`, { alt: 'media' });
  yield* download({ api, url, file, maxBytes: settings.maxFileBytes }, signal);
}

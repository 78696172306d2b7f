import { Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import type { SourceGroup } from '../../../model/identity/map';
import { readSharepointSettings, type SharepointSourceSettings } from '../../../model/source/online/sharepoint-source';
import { encodePath } from '../../../model/url-path';
import type { AddressGuard } from '../../net/address-guard';
import { createConnectedSource } from '../connected-source';
import type { Source } from '../source';
import { type CoveringMaps, findCoveringMap } from './cover';
import { download } from './download';
import { DriveItem, itemMembers, toItem } from './drive-item';
import { catchUp, type ChangeFeed } from './feed';
import { type Graph, openGraph } from './graph-api';
import { confirmGone, readGraphChanges } from './graph-changes';
import { readGraphDirectory } from './graph-directory';
import { readGraphAccess } from './graph-rights';
import type { GraphTokens } from './graph-sign-in';
import type { Item } from './item';
import type { KnownItems } from './known-items';
import { readSiteGroups } from './sharepoint-groups';
import { type ItemTree, walkItems } from './walk-items';

const Reference = Type.Object({ id: Type.String({ minLength: 1, maxLength: 512 }) });
const SiteDrive = Type.Object({
  sharePointIds: Type.Optional(Type.Object({ siteId: Type.Optional(Type.String({ maxLength: 100 })) })),
});
const Drive = Type.Object({ id: Reference.properties.id, name: Type.Optional(Type.String()) });

/** A drive named in a flow, opened for one listing or one document. */
export interface OpenDrive {
  graph: Graph;
  settings: SharepointSourceSettings;
  driveId: string;
  signal: AbortSignal;
}

/** Excludes ids of dots only, which would lead to another address. */
const idPart = /^(?!\.+$)[A-Za-z0-9!._~-]+$/;
/** How long the drive of a site or user is cached. */
const drivesMs = 10 * 60_000;
const maxDrives = 100;

/** Drives by the settings that name them. */
type KnownDrives = Map<string, { id: string; until: number }>;

/** The address guard, and the identity maps that define where the permissions of a drive apply. */
export interface ItemSourceDeps {
  guard: AddressGuard;
  rights?: CoveringMaps;
  /** What earlier listings found. Absent: every listing reads everything. */
  knownItems?: KnownItems;
}

/**
 * Lists a document library or a OneDrive through Microsoft Graph. A document is identified by its id, so that it stays the same
 * when it is renamed or moved within the drive. Where an identity map covers the drive, its permissions decide who may read what.
 */
export function createSharepointSource({ guard, rights, knownItems }: ItemSourceDeps): Source {
  const tokens: GraphTokens = new Map();
  const drives: KnownDrives = new Map();
  const open = async (config: Record<string, unknown>, signal: AbortSignal): Promise<OpenDrive> => {
    const settings = requirePlain(readSharepointSettings(config));
    const graph = openGraph(settings.account, guard, tokens);
    try {
      return { graph, settings, signal, driveId: await findDrive(graph, settings, { drives, signal }) };
    } catch (error) {
      graph.close();
      throw error;
    }
  };
  const source = createConnectedSource<OpenDrive>({
    open,
    close: ({ graph }) => graph.close(),
    async *list(drive, signal, after) {
      const tree = await toTree(drive, await findMap(drive, rights));
      const current = knownItems && (await catchUp(toFeed(drive, tree), knownItems, signal));
      const children = current && { listChildren: ({ id }: Item) => current.listChildren(id) };
      yield* walkItems({ ...tree, ...children }, drive.settings, signal, after);
    },
    read: readItem,
    readChanges: readGraphChanges,
  });
  return {
    ...source,
    async readDirectory(config, signal) {
      const { account, sites } = requirePlain(readSharepointSettings(config));
      const graph = openGraph(account, guard, tokens);
      try {
        const { accounts, groups } = await readGraphDirectory(graph, signal);
        const siteGroups: SourceGroup[] = [];
        for (const site of sites)
          siteGroups.push(...(await readSiteGroups({ account, guard, tokens }, { site, accounts }, signal)));
        return { accounts, groups: [...groups, ...siteGroups] };
      } finally {
        graph.close();
      }
    },
  };
}

/** Parts such as `..` would lead to other addresses of the API. */
function requirePlain(settings: SharepointSourceSettings): SharepointSourceSettings {
  const { account, driveId, site, user, folder } = settings;
  const parts = [account.tenant, driveId, user, site?.split(':')[0], ...folder.split('/'), ...(site ?? '').split('/')];
  // Only dots, or a character that ends the path of an address.
  const refused = parts.find((part) => part !== undefined && /^(?:\.+|.*[\0?#\\].*)$/s.test(part));
  if (refused === undefined && (driveId === undefined || idPart.test(driveId))) return settings;
  throw new AppError(
    'OPERATOR_CONFIGURATION_INVALID',
    `'${refused ?? driveId}' cannot be part of the place of a drive.`,
  );
}

async function findDrive(
  graph: Graph,
  settings: SharepointSourceSettings,
  { drives, signal }: { drives: KnownDrives; signal: AbortSignal },
): Promise<string> {
  const { driveId, site, library, user, account } = settings;
  if (driveId !== undefined) return driveId;
  const key = JSON.stringify([account, site, library, user]);
  const drive = drives.get(key);
  if (drive && drive.until > Date.now()) return drive.id;
  const id =
    user === undefined ? await findSiteDrive(graph, settings, signal) : await findUserDrive(graph, user, signal);
  drives.delete(key);
  drives.set(key, { id, until: Date.now() + drivesMs });
  if (drives.size > maxDrives) drives.delete(drives.keys().next().value ?? '');
  return id;
}

async function findUserDrive(graph: Graph, user: string, signal: AbortSignal): Promise<string> {
  const userDrive = await graph.read(
    graph.buildUrl(`/users/${encodeURIComponent(user)}/drive`, { $select: 'id' }),
    Reference,
    signal,
  );
  if (userDrive) return userDrive.id;
  throw new AppError('SOURCE_NOT_FOUND', `The user '${user}' does not exist, or has no OneDrive.`);
}

async function findSiteDrive(
  graph: Graph,
  { site = '', library }: SharepointSourceSettings,
  signal: AbortSignal,
): Promise<string> {
  // `HOST:/sites/NAME`, or only the host for its root site.
  const [host = '', sitePath = ''] = site.split(':');
  const place = sitePath === '' || sitePath === '/' ? host : `${host}:${encodePath(sitePath)}`;
  const missing = new AppError('SOURCE_NOT_FOUND', `The site '${site}' does not exist.`);
  const siteReply = await graph.read(graph.buildUrl(`/sites/${place}`, { $select: 'id' }), Reference, signal);
  if (!siteReply) throw missing;
  const siteId = encodeURIComponent(siteReply.id);
  if (library === undefined) {
    const drive = await graph.read(graph.buildUrl(`/sites/${siteId}/drive`, { $select: 'id' }), Reference, signal);
    if (!drive) throw missing;
    return drive.id;
  }
  const pages = graph.readPages(graph.buildUrl(`/sites/${siteId}/drives`, { $select: 'id,name' }), Drive, signal);
  for await (const drives of pages) {
    const drive = drives.find(({ name }) => name?.toLowerCase() === library.toLowerCase());
    if (drive) return drive.id;
  }
  throw new AppError('SOURCE_NOT_FOUND', `The site '${site}' has no library '${library}'.`);
}

async function findMap(
  { graph, settings: { account, needsRights }, driveId, signal }: OpenDrive,
  rights: CoveringMaps | undefined,
): Promise<string | undefined> {
  if (!rights) return needsRights ? await findCoveringMap(rights, 'sharepoint:', true) : undefined;
  const place = `sharepoint://${new URL(account.endpoint).host}/${await graph.findTenantId(signal)}/${driveId}`;
  return await findCoveringMap(rights, place, needsRights ?? false);
}

function toFeed(drive: OpenDrive, { place }: ItemTree): ChangeFeed {
  const { settings, driveId } = drive;
  const { endpoint, tenant, clientId, clientSecret, refreshToken } = settings.account;
  return {
    place,
    key: ['sharepoint', endpoint, tenant, clientId, driveId, refreshToken === undefined ? 'application' : 'user'],
    secret: JSON.stringify([clientSecret, refreshToken]),
    read: (cursor) => readGraphChanges(drive, cursor),
    confirmGone: (ids) => confirmGone(drive, ids),
  };
}

function getDriveUrl({ graph, driveId }: OpenDrive, rest: string, query: Record<string, string> = {}): URL {
  return graph.buildUrl(`/drives/${encodeURIComponent(driveId)}${rest}`, query);
}

async function toTree(drive: OpenDrive, map: string | undefined): Promise<ItemTree> {
  const { graph, settings, driveId, signal } = drive;
  const { folder, account } = settings;
  const place = `The folder '${folder}' of the drive at ${new URL(account.endpoint).host}`;
  const root = await graph.read(
    getDriveUrl(drive, folder === '/' ? '/root' : `/root:${encodePath(folder)}`, { $select: 'id,folder' }),
    DriveItem,
    signal,
  );
  if (!root?.folder) throw new AppError('SOURCE_NOT_FOUND', `${place} does not exist.`);
  const to = map === undefined ? undefined : { map, siteId: await findSiteId(drive) };
  return {
    source: describeSource(drive),
    place,
    root: { id: root.id, name: '', isDocument: false, isFolder: true },
    buildPath: ({ id, name }) => buildDocumentPath(driveId, id, name),
    async listChildren({ id }) {
      const items: Item[] = [];
      try {
        const url = getDriveUrl(drive, `/items/${encodeURIComponent(id)}/children`, {
          $select: itemMembers,
          $top: '200',
        });
        for await (const page of graph.readPages(url, DriveItem, signal)) items.push(...page.flatMap(toItem));
      } catch (error) {
        if (error instanceof AppError && error.code === 'SOURCE_GONE') return undefined;
        throw error;
      }
      return items;
    },
    ...(to ? { readAccess: (items) => readGraphAccess(graph, { to, driveId, items, now: new Date() }, signal) } : {}),
  };
}

/** The id of the site collection of a drive; undefined for a drive without one. */
async function findSiteId(drive: OpenDrive): Promise<string | undefined> {
  const driveReply = await drive.graph.read(
    getDriveUrl(drive, '', { $select: 'id,sharePointIds' }),
    SiteDrive,
    drive.signal,
  );
  return driveReply?.sharePointIds?.siteId;
}

/** The `source` of all documents: the drive, whatever site or folder the flow names it by. */
export function describeSource({ settings: { account }, driveId }: OpenDrive): string {
  return `sharepoint:${new URL(account.endpoint).host}/${driveId}`;
}

/** The path of a document; the name is for readers only. */
export function buildDocumentPath(driveId: string, id: string, name: string): string {
  return `sharepoint://${driveId}/${id}/${encodeURIComponent(name)}`;
}

async function* readItem(drive: OpenDrive, file: string): AsyncGenerator<Uint8Array> {
  const { graph, driveId, settings, signal } = drive;
  const [, namedDrive, id = ''] = /^sharepoint:\/\/([^/]+)\/([^/]+)\/[^/]*$/.exec(file) ?? [];
  if (namedDrive !== driveId || !idPart.test(id))
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a document of the drive.`);
  const url = getDriveUrl(drive, `/items/${encodeURIComponent(id)}/content`);
  // The bytes are at a pre-signed address of another server.
  yield* download({ api: graph, url, file, maxBytes: settings.maxFileBytes }, signal);
}

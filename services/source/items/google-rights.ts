import { type Static, Type } from '@sinclair/typebox';
import { toMapPrincipal, toGroupPrincipal, toIdentityPrincipal } from '../../../model/access-list';
import { AppError, asAppError } from '../../../model/errors';
import { mapInParallel } from '../../pacing/map-in-parallel';
import type { EntryAccess } from '../source';
import { isPlainId } from './cover';
import { type JsonApi, readPages } from './json-api';

/** One permission of a file, inherited or not. */
export const GooglePermission = Type.Object({
  type: Type.Optional(Type.String()),
  emailAddress: Type.Optional(Type.String()),
  domain: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  allowFileDiscovery: Type.Optional(Type.Boolean()),
  deleted: Type.Optional(Type.Boolean()),
  view: Type.Optional(Type.String()),
  expirationTime: Type.Optional(Type.String()),
});
export type GooglePermission = Static<typeof GooglePermission>;
const Permissions = Type.Object({
  permissions: Type.Array(GooglePermission),
  nextPageToken: Type.Optional(Type.String()),
});

const readingRoles = new Set(['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer', 'owner']);
const fields =
  'nextPageToken,permissions(id,type,emailAddress,domain,role,allowFileDiscovery,deleted,view,expirationTime)';
/** Number of concurrent requests. */
const parallelRequests = 8;

/** Files whose access lists are needed, with the permissions from the listing, which omits those of shared drives. */
interface AccessRequest {
  api: JsonApi;
  map: string;
  known: ReadonlyMap<string, readonly GooglePermission[] | undefined>;
  now: Date;
}

/** The access lists of files. Files that no longer exist are absent. */
export async function readGoogleAccess(
  { api, map, known, now }: AccessRequest,
  buildUrl: (id: string, query: Readonly<Record<string, string>>) => URL,
  signal: AbortSignal,
): Promise<Map<string, EntryAccess | AppError>> {
  const accessById = new Map<string, EntryAccess | AppError>();
  await mapInParallel([...known], parallelRequests, async ([id, listed]) => {
    const permissions = listed ?? (await readPermissions(api, (query) => buildUrl(id, query), signal));
    if (permissions instanceof AppError) accessById.set(id, permissions);
    else if (permissions) accessById.set(id, toGoogleAccess(permissions, map, now));
  });
  return accessById;
}

async function readPermissions(
  api: JsonApi,
  buildUrl: (query: Readonly<Record<string, string>>) => URL,
  signal: AbortSignal,
): Promise<GooglePermission[] | AppError | undefined> {
  const allPermissions: GooglePermission[] = [];
  const pages = readPages<GooglePermission>(api.place, async (pageToken) => {
    const query = { fields, pageSize: '100', ...(pageToken === undefined ? {} : { pageToken }) };
    const page = await api.read(buildUrl(query), Permissions, signal);
    if (!page) throw new AppError('SOURCE_GONE', 'The file no longer exists.');
    return { items: page.permissions, next: page.nextPageToken };
  });
  try {
    for await (const permissions of pages) allPermissions.push(...permissions);
    return allPermissions;
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    if (code === 'SOURCE_GONE') return undefined;
    if (code !== 'SOURCE_NOT_ALLOWED' && code !== 'EXTERNAL_SERVICE_ERROR') throw error;
    return new AppError(
      'ACCESS_LIST_INVALID',
      `The permissions cannot be read, so nobody may read the document: ${message}`,
    );
  }
}

/**
 * The access list of these permissions. People and groups are identified by their mail addresses. Access for everybody
 * who has the link is ignored, because those people would not find the file in Google Drive either. Unknown permissions
 * grant nothing.
 */
export function toGoogleAccess(permissions: readonly GooglePermission[], map: string, now: Date): EntryAccess {
  const allowed = permissions.flatMap(({ type, emailAddress = '', domain = '', role = '', view, ...flags }) => {
    // A time that cannot be parsed counts as expired.
    const isExpired = flags.expirationTime !== undefined && !(Date.parse(flags.expirationTime) > now.getTime());
    if (!readingRoles.has(role) || flags.deleted || isExpired || view !== undefined) return [];
    const mail = emailAddress.trim().toLowerCase();
    if (type === 'user' && isPlainId(mail)) return [toIdentityPrincipal(map, mail)];
    if (type === 'group' && isPlainId(mail)) return [toGroupPrincipal(map, mail)];
    if (!flags.allowFileDiscovery) return [];
    if (type === 'domain' && domain !== '') return [toGroupPrincipal(map, toDomainGroup(domain))];
    return type === 'anyone' ? [toMapPrincipal(map)] : [];
  });
  return { allowedUsers: [], hasSourceRights: true, allowedPrincipals: [...new Set(allowed)].toSorted() };
}

/** The group of everybody in a domain. */
export function toDomainGroup(domain: string): string {
  return `domain:${domain.trim().toLowerCase()}`;
}

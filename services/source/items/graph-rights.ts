import { type Static, Type } from '@sinclair/typebox';
import { toMapPrincipal, toGroupPrincipal, toIdentityPrincipal } from '../../../model/access-list';
import { AppError } from '../../../model/errors';
import type { EntryAccess } from '../source';
import { employeesGroup, readClaim, buildSiteGroupId } from './claims';
import { isPlainId } from './cover';
import { type Graph, toLink } from './graph-api';
import type { Item } from './item';

const Identity = Type.Optional(
  Type.Union([Type.Null(), Type.Object({ id: Type.Optional(Type.String()), loginName: Type.Optional(Type.String()) })]),
);
const Grantee = Type.Object({ user: Identity, group: Identity, siteUser: Identity, siteGroup: Identity });
type Grantee = Static<typeof Grantee>;

/** One permission of a drive item, inherited or not. */
export const GraphPermission = Type.Object({
  roles: Type.Optional(Type.Array(Type.String())),
  link: Type.Optional(Type.Object({ scope: Type.Optional(Type.String()) })),
  grantedToV2: Type.Optional(Type.Union([Type.Null(), Grantee])),
  grantedToIdentitiesV2: Type.Optional(Type.Array(Grantee)),
  expirationDateTime: Type.Optional(Type.Union([Type.Null(), Type.String()])),
});
type GraphPermission = Static<typeof GraphPermission>;
const Answer = Type.Object({ value: Type.Array(GraphPermission), '@odata.nextLink': Type.Optional(Type.String()) });

/** Roles that include reading. */
const readingRoles = new Set(['read', 'write', 'owner', 'sp.full control']);

/** The identity map that covers a drive, and the site collection of the drive, in which groups of sites have their numbers. */
export interface AccessTo {
  map: string;
  siteId?: string | undefined;
}

/** The access lists of items, from their permissions with those that they inherit. Items that no longer exist are absent. */
export async function readGraphAccess(
  graph: Graph,
  { to, driveId, items, now }: { to: AccessTo; driveId: string; items: readonly Item[]; now: Date },
  signal: AbortSignal,
): Promise<Map<string, EntryAccess | AppError>> {
  const buildPath = ({ id }: Item) =>
    `/drives/${encodeURIComponent(driveId)}/items/${encodeURIComponent(id)}/permissions`;
  const answers = await graph.readBatch(items.map(buildPath), Answer, signal);
  const accessById = new Map<string, EntryAccess | AppError>();
  for (const [index, item] of items.entries()) {
    const answer = answers[index]!;
    if ('status' in answer) {
      if (answer.status !== 404) accessById.set(item.id, createUnreadableError(answer.status));
      continue;
    }
    const permissions = [...answer.value];
    const next = answer['@odata.nextLink'];
    if (next !== undefined)
      for await (const page of graph.readPages(toLink(graph, next), GraphPermission, signal)) permissions.push(...page);
    accessById.set(item.id, toGraphAccess(permissions, to, now));
  }
  return accessById;
}

function createUnreadableError(status: number): AppError {
  return new AppError(
    'ACCESS_LIST_INVALID',
    `The permissions cannot be read, so nobody may read the document (${status}).`,
  );
}

/**
 * The access list of these permissions. Links grant access to the people whom they name, not to everybody who might get
 * hold of them. Unknown permissions grant nothing.
 */
export function toGraphAccess(permissions: readonly GraphPermission[], to: AccessTo, now: Date): EntryAccess {
  const allowed = permissions.flatMap((permission) => {
    const { roles = [], link, grantedToV2, grantedToIdentitiesV2 = [], expirationDateTime: until } = permission;
    const includesReading = roles.some((role) => readingRoles.has(role.toLowerCase()));
    // A time that cannot be parsed counts as expired.
    const isExpired = typeof until === 'string' && !(Date.parse(until) > now.getTime());
    const isOpenLink = link !== undefined && link.scope !== 'users' && link.scope !== 'existingAccess';
    if (!includesReading || isExpired || isOpenLink) return [];
    return [...(grantedToV2 ? [grantedToV2] : []), ...grantedToIdentitiesV2].flatMap((item) => toPrincipals(item, to));
  });
  return { allowedUsers: [], hasSourceRights: true, allowedPrincipals: [...new Set(allowed)].toSorted() };
}

function toPrincipals({ user, group, siteUser, siteGroup }: Grantee, { map, siteId }: AccessTo): string[] {
  if (isPlainId(user?.id)) return [toIdentityPrincipal(map, user.id)];
  if (isPlainId(group?.id)) return [toGroupPrincipal(map, group.id)];
  const claim = readClaim(siteUser?.loginName ?? siteGroup?.loginName ?? '');
  if (claim === 'employees') return [toGroupPrincipal(map, employeesGroup)];
  if (claim === 'everybody') return [toMapPrincipal(map)];
  if (claim) return [toGroupPrincipal(map, claim.group)];
  return isPlainId(siteGroup?.id) && siteId !== undefined
    ? [toGroupPrincipal(map, buildSiteGroupId(siteId, siteGroup.id))]
    : [];
}

import { type Static, Type } from '@sinclair/typebox';
import { everyIdentity, groupPrincipal, identityPrincipal } from '../../../model/access-list';
import { AppError } from '../../../model/errors';
import type { EntryAccess } from '../source';
import { isPlainId } from './cover';
import { type Graph, toLink } from './graph-api';
import type { Item } from './walk-items';

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
/** The group of everybody in the tenant without its guests. */
export const employeesGroup = 'everyone-except-guests';

/** The access lists of items, from their permissions with those that they inherit. Items that no longer exist are absent. */
export async function readGraphAccess(
  graph: Graph,
  { map, driveId, items, now }: { map: string; driveId: string; items: readonly Item[]; now: Date },
  signal: AbortSignal,
): Promise<Map<string, EntryAccess | AppError>> {
  const pathOf = ({ id }: Item) => `/drives/${encodeURIComponent(driveId)}/items/${encodeURIComponent(id)}/permissions`;
  const answers = await graph.batch(items.map(pathOf), Answer, signal);
  const found = new Map<string, EntryAccess | AppError>();
  for (const [at, item] of items.entries()) {
    const answer = answers[at]!;
    if ('status' in answer) {
      if (answer.status !== 404)
        found.set(
          item.id,
          new AppError(
            'ACCESS_LIST_INVALID',
            `The permissions cannot be read, so nobody may read the document (${answer.status}).`,
          ),
        );
      continue;
    }
    const permissions = [...answer.value];
    const next = answer['@odata.nextLink'];
    if (next !== undefined)
      for await (const page of graph.pages(toLink(graph, next), GraphPermission, signal)) permissions.push(...page);
    found.set(item.id, toGraphAccess(permissions, map, now));
  }
  return found;
}

/**
 * The access list of these permissions. Links grant access to the people whom they name, not to everybody who might get
 * hold of them. Unknown permissions grant nothing.
 */
export function toGraphAccess(permissions: readonly GraphPermission[], map: string, now: Date): EntryAccess {
  const allowed = permissions.flatMap((permission) => {
    const { roles = [], link, grantedToV2, grantedToIdentitiesV2 = [], expirationDateTime: until } = permission;
    const isReading = roles.some((role) => readingRoles.has(role.toLowerCase()));
    const isOver = typeof until === 'string' && !(Date.parse(until) > now.getTime());
    const isOpenLink = link !== undefined && link.scope !== 'users' && link.scope !== 'existingAccess';
    if (!isReading || isOver || isOpenLink) return [];
    return [...(grantedToV2 ? [grantedToV2] : []), ...grantedToIdentitiesV2].flatMap((item) => toPrincipals(item, map));
  });
  return { allowedUsers: [], hasSourceRights: true, allowedPrincipals: [...new Set(allowed)].toSorted() };
}

/** Forms of login names in which SharePoint knows groups of the directory, and everybody. */
const groupClaim = /^c:0[ot]\.c\|(?:tenant|federateddirectoryclaimprovider)\|([0-9a-f-]{36})(_o)?$/i;
const employeesClaim = /^c:0-\.f\|rolemanager\|spo-grid-all-users\//i;
const everybodyClaim = 'c:0(.s|true';

function toPrincipals({ user, group, siteUser, siteGroup }: Grantee, map: string): string[] {
  if (isPlainId(user?.id)) return [identityPrincipal(map, user.id)];
  if (isPlainId(group?.id)) return [groupPrincipal(map, group.id)];
  const name = siteUser?.loginName ?? siteGroup?.loginName ?? '';
  const [, id, owners] = groupClaim.exec(name) ?? [];
  // `_o`: the owners of a group, who are not listed separately.
  if (id !== undefined) return owners === undefined ? [groupPrincipal(map, id.toLowerCase())] : [];
  if (employeesClaim.test(name)) return [groupPrincipal(map, employeesGroup)];
  if (name === everybodyClaim) return [everyIdentity(map)];
  // Groups of a site: Graph does not list their members; the identity map can.
  return isPlainId(siteGroup?.id) ? [groupPrincipal(map, `site-group:${siteGroup.id}`)] : [];
}

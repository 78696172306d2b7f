import { Type } from '@sinclair/typebox';
import { toGroupPrincipal, toIdentityPrincipal } from '../../../model/access-list';
import { AppError } from '../../../model/errors';
import { type OpenSite, readResults, getSiteUrl } from './confluence-pages';
import { isPlainId } from './cover';

const Mode = Type.Object({ mode: Type.Optional(Type.String()) });
const roleId = Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' });
const Assignment = Type.Object({
  principal: Type.Optional(
    Type.Object({ principalType: Type.Optional(Type.String()), principalId: Type.Optional(Type.String()) }),
  ),
  roleId: Type.Optional(roleId),
});
const Role = Type.Object({ spacePermissions: Type.Optional(Type.Array(Type.String())) });

/** The permission of a role that includes reading the space. */
const readPermission = 'read/space';

/**
 * The principals whose role in a space includes reading it. Empty for a site without roles, where the permissions alone
 * decide. Classes of accounts, such as guests, grant nothing: the site does not list their members.
 */
export async function readRoleReaders(site: OpenSite, spaceId: string, map: string): Promise<string[]> {
  if (!(await hasRoles(site))) return [];
  const isReadingRole = new Map<string, boolean>();
  const allowed: string[] = [];
  for await (const page of readResults(site, `/wiki/api/v2/spaces/${spaceId}/role-assignments`, { schema: Assignment }))
    for (const { principal, roleId: role } of page) {
      if (role === undefined || !isPlainId(principal?.principalId)) continue;
      if (!isReadingRole.has(role)) isReadingRole.set(role, await mayRead(site, role));
      if (!isReadingRole.get(role)) continue;
      if (principal.principalType === 'USER') allowed.push(toIdentityPrincipal(map, principal.principalId));
      if (principal.principalType === 'GROUP') allowed.push(toGroupPrincipal(map, principal.principalId));
    }
  return allowed;
}

async function hasRoles(site: OpenSite): Promise<boolean> {
  try {
    const mode = await site.api.read(getSiteUrl(site, '/wiki/api/v2/space-role-mode'), Mode, site.signal);
    return mode?.mode === 'ROLES' || mode?.mode === 'ROLES_TRANSITION';
  } catch (error) {
    // Sites without roles may lack this endpoint as well.
    if (error instanceof AppError && error.code === 'SOURCE_NOT_ALLOWED') return false;
    throw error;
  }
}

/** A role that no longer exists grants nothing. */
async function mayRead(site: OpenSite, role: string): Promise<boolean> {
  const spaceRole = await site.api.read(getSiteUrl(site, `/wiki/api/v2/space-roles/${role}`), Role, site.signal);
  return spaceRole?.spacePermissions?.includes(readPermission) ?? false;
}

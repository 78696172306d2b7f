import { isAdmin, type User } from '../../model/access';
import { AppError, type ErrorCode } from '../../model/errors';
import type { ResourceAsker } from '../../services/document-set/document-sets-store';
import type { Asking } from '../flow/access';
import type { ApiOptions, ApiServices } from '../services';

interface Shared {
  owner: string;
  name: string;
}

/** Who may see and change one kind of resource. */
export interface SharedAccess<T extends Shared> {
  /** The resource when its owner, a reader or an administrator asks; for all others it does not exist. */
  visible(asking: Asking, id: string): Promise<T>;
  /** As `visible`; FORBIDDEN for readers. */
  owned(asking: Asking, id: string): Promise<T>;
  notFound(id: string): AppError;
}

/** The rule of resources that have readers and no project, for the kind that `get` finds. */
function sharedAccess<T extends Shared>(kind: {
  name: string;
  parameter: string;
  code: ErrorCode;
  get: (services: ApiServices, asker: ResourceAsker, id: string) => Promise<T | undefined>;
}): SharedAccess<T> {
  const notFound = (id: string) =>
    new AppError(kind.code, `${kind.name.replace(/^./, (first) => first.toUpperCase())} with ID '${id}' not found.`, {
      target: { type: 'parameter', name: kind.parameter },
    });
  const visible = async ({ user, services, options }: Asking, id: string) => {
    const found = await kind.get(services, askerOf(user, options), id);
    if (found) return found;
    throw notFound(id);
  };
  return {
    notFound,
    visible,
    owned: async (asking, id) => {
      const found = await visible(asking, id);
      if (found.owner === asking.user.username || isAdmin(asking.user, asking.options.adminGroups)) return found;
      throw new AppError(
        'FORBIDDEN',
        `Only '${found.owner}' and administrators may change or delete the ${kind.name} '${found.name}'.`,
      );
    },
  };
}

/** Access to document sets. */
export const documentSetAccess = sharedAccess({
  name: 'document set',
  parameter: 'set_id',
  code: 'DOCUMENT_SET_NOT_FOUND',
  get: ({ documentSets }, asker, id) => documentSets.get(asker, id),
});

/** Access to document libraries. */
export const documentLibraryAccess = sharedAccess({
  name: 'document library',
  parameter: 'library_id',
  code: 'DOCUMENT_LIBRARY_NOT_FOUND',
  get: ({ documentLibraries }, asker, id) => documentLibraries.get(asker, id),
});

/** Who asks, as stores filter by it. */
export function askerOf(user: User, { adminGroups }: Pick<ApiOptions, 'adminGroups'>): ResourceAsker {
  return { user, everyone: isAdmin(user, adminGroups) };
}

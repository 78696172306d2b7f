import type { RightsList } from '../../model/source/rights/rights-list';
import type { EntryAccess } from './source';

/**
 * Access of an entry whose rights are those of its source. Readers must be in the list of the entry (`ownRights`), and in each
 * list of the folders or the space that contain it (`through`).
 */
export function joinRights(ownRights: RightsList, through: readonly RightsList[]): EntryAccess {
  const required = new Set(
    through.filter((list) => !isForEverybody(list)).map(({ allowed }) => JSON.stringify(allowed)),
  );
  required.delete(JSON.stringify(ownRights.allowed));
  const denied = [...new Set([ownRights, ...through].flatMap((list) => list.denied))].toSorted();
  return {
    allowedUsers: [],
    hasSourceRights: true,
    allowedPrincipals: ownRights.allowed,
    ...(denied.length > 0 ? { deniedPrincipals: denied } : {}),
    ...(required.size > 0 ? { requiredLists: [...required].toSorted() } : {}),
  };
}

/** True for a list with `i:MAP:*`, the principal of everybody who has an account at the source. */
function isForEverybody({ allowed }: RightsList): boolean {
  return allowed.some((principal) => principal.startsWith('i:') && principal.endsWith(':*'));
}

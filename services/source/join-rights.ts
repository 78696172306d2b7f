import type { RightsList } from '../../model/source/rights/rights-list';
import type { EntryAccess } from './source';

/** Access of an entry whose rights are those of its source. Readers must be in the list of the file and in that of every folder above. */
export function joinRights(ownRights: RightsList, through: readonly RightsList[]): EntryAccess {
  const key = (list: readonly string[]) => JSON.stringify(list);
  const isOpen = (list: RightsList) => list.allowed.some((value) => value.endsWith(':*') && value.startsWith('i:'));
  const required = new Set(through.filter((list) => !isOpen(list)).map(({ allowed }) => key(allowed)));
  required.delete(key(ownRights.allowed));
  const denied = [...new Set([ownRights, ...through].flatMap((list) => list.denied))].toSorted();
  return {
    allowedUsers: [],
    hasSourceRights: true,
    allowedPrincipals: ownRights.allowed,
    ...(denied.length > 0 ? { deniedPrincipals: denied } : {}),
    ...(required.size > 0 ? { requiredLists: [...required].toSorted() } : {}),
  };
}

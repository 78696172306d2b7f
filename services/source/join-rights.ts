import type { RightsList } from '../../model/source/rights-list';
import type { EntryAccess } from './source';

/** Access of an entry whose rights are those of its source. Readers must be in the list of the file and in that of every folder above. */
export function joinRights(own: RightsList, through: readonly RightsList[]): EntryAccess {
  const key = (list: readonly string[]) => JSON.stringify(list);
  const isOpen = (list: RightsList) => list.allowed.some((value) => value.endsWith(':*') && value.startsWith('i:'));
  const required = new Set(through.filter((list) => !isOpen(list)).map(({ allowed }) => key(allowed)));
  required.delete(key(own.allowed));
  const denied = [...new Set([own, ...through].flatMap((list) => list.denied))].toSorted();
  return {
    allowedUsers: [],
    hasSourceRights: true,
    allowedPrincipals: own.allowed,
    ...(denied.length > 0 ? { deniedPrincipals: denied } : {}),
    ...(required.size > 0 ? { requiredLists: [...required].toSorted() } : {}),
  };
}

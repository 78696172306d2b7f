import { seesDocument } from '../../model/run/acting';
import { readFilesystemSettings } from '../../model/source/filesystem-source';
import type { LedgerEntry } from '../../services/run/ledger';
import type { SourceEntry } from '../../services/source/sources';
import type { RunFacts } from '../operator';

/** Who may read a document, and whether that was nobody's decision. */
export interface DocumentAccess {
  allowedUsers: string[];
  isDefault: boolean;
}

/** Says who may read each document of a listing; undefined for documents that the run must not see. */
export type AccessDecision = (entry: SourceEntry, known: LedgerEntry | undefined) => DocumentAccess | undefined;

/**
 * The list beside a document counts first. Without one, a run that ingests for everybody takes the list of the configuration,
 * else its owner; any other run takes its owner alone, and leaves documents alone that a run of somebody else took.
 */
export function decideAccess(
  { owner, readers = [owner] }: Pick<RunFacts, 'owner' | 'readers'>,
  config: Record<string, unknown>,
): AccessDecision {
  const configured = readFilesystemSettings(config).allowedUsers;
  if (readers.length === 0)
    return ({ allowedUsers }) => {
      const users = allowedUsers ?? configured;
      return users ? { allowedUsers: users, isDefault: false } : { allowedUsers: [owner], isDefault: true };
    };
  return ({ allowedUsers, failure }, known) => {
    // Nobody may read what an unusable list covers, so nobody may know its name.
    if (failure?.code === 'ACCESS_LIST_INVALID') return undefined;
    const users = allowedUsers ?? keptList(owner, known);
    if (users === undefined) return { allowedUsers: [owner], isDefault: true };
    return seesDocument(readers, users) ? { allowedUsers: users, isDefault: false } : undefined;
  };
}

/** The list under which a run of somebody else took the document into the same job. */
function keptList(owner: string, known: LedgerEntry | undefined): string[] | undefined {
  if (!known || known.owner === undefined || known.owner === owner) return undefined;
  return known.allowed_users;
}

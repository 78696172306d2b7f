import { seesDocument } from '../../model/run/rights';
import { librarySource } from '../../model/source/library-source';
import type { AccessRule } from '../../model/source/access-rule';
import { readFilesystemSettings } from '../../model/source/filesystem-source';
import type { LedgerEntry } from '../../services/run/ledger';
import type { SourceEntry } from '../../services/source/sources';
import type { RunFacts } from '../operator';

/** The users who may read a document. `isDefault` is true if nobody chose them. */
export interface DocumentAccess {
  allowedUsers: string[];
  isDefault: boolean;
  /** The rule that decided. */
  rule: AccessRule;
}

/** Decides who may read each listed document; undefined for documents that the run must not see. */
export type AccessDecision = (entry: SourceEntry, known: LedgerEntry | undefined) => DocumentAccess | undefined;

/**
 * The access list next to a document comes first. Without one, a run that ingests for everybody uses the list of the
 * configuration, else its owner. Any other run uses only its owner, unless another user's run ingested the document earlier:
 * then it keeps that run's list. Such a run sees a document only if the list allows it.
 */
export function decideAccess(
  { owner, readers = [owner] }: Pick<RunFacts, 'owner' | 'readers'>,
  config: Record<string, unknown>,
): AccessDecision {
  const configured = readFilesystemSettings(config).allowedUsers;
  if (readers.length === 0)
    return ({ allowedUsers, source }) => {
      const users = allowedUsers ?? configured;
      if (users === undefined) return { allowedUsers: [owner], isDefault: true, rule: 'run_owner' };
      return { allowedUsers: users, isDefault: false, rule: allowedUsers ? ruleOf(source) : 'flow' };
    };
  return ({ allowedUsers, failure, source }, known) => {
    // Nobody may read documents under an invalid list, so nobody may see their names either.
    if (failure?.code === 'ACCESS_LIST_INVALID') return undefined;
    const users = allowedUsers ?? keptList(owner, known);
    if (users === undefined) return { allowedUsers: [owner], isDefault: true, rule: 'run_owner' };
    const rule = allowedUsers ? ruleOf(source) : 'earlier_run';
    return seesDocument(readers, users) ? { allowedUsers: users, isDefault: false, rule } : undefined;
  };
}

function ruleOf(source: string): AccessRule {
  return source.startsWith(librarySource) ? 'library' : 'access_list';
}

/** The list from another user's run that ingested the document into the same job. */
function keptList(owner: string, known: LedgerEntry | undefined): string[] | undefined {
  if (!known || known.owner === undefined || known.owner === owner) return undefined;
  return known.allowed_users;
}

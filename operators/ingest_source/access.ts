import { type AccessList, normalizeAccessList } from '../../model/access-list';
import { seesDocument } from '../../model/run/rights';
import { closeWhenStale, readFreshness } from '../../model/source/access-freshness';
import type { AccessRule } from '../../model/source/access-rule';
import { readFilesystemSettings } from '../../model/source/filesystem-source';
import { librarySource } from '../../model/source/library-source';
import type { LedgerEntry } from '../../services/run/ledger';
import type { SourceEntry } from '../../services/source/sources';
import type { RunFacts } from '../operator';

/** The users who may read a document. `isDefault` is true if nobody chose them. */
export interface DocumentAccess {
  list: AccessList & { allowed_users: string[] };
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
  run: Pick<RunFacts, 'owner' | 'readers' | 'jobId'>,
  config: Record<string, unknown>,
): AccessDecision {
  const decide = decideReaders(run, config);
  const freshness = readFreshness(config);
  return (entry, known) => {
    const decided = decide(entry, known);
    // Added after the decision: the run reads the lists now, so they are not stale for the users whom it acts for.
    return decided && { ...decided, list: closeWhenStale(decided.list, run.jobId, freshness) };
  };
}

function decideReaders(
  { owner, readers = [{ username: owner }] }: Pick<RunFacts, 'owner' | 'readers'>,
  config: Record<string, unknown>,
): AccessDecision {
  const configured = readFilesystemSettings(config).allowedUsers;
  if (readers.length === 0)
    return (entry) => {
      const ownList = findList(entry);
      const list = ownList ?? (configured && { allowed_users: configured });
      if (!list) return { list: { allowed_users: [owner] }, isDefault: true, rule: 'run_owner' };
      return { list, isDefault: false, rule: ownList ? chooseRule(entry) : 'flow' };
    };
  return (entry, known) => {
    // Nobody may read documents under an invalid list, so nobody may see their names either.
    if (entry.failure?.code === 'ACCESS_LIST_INVALID') return undefined;
    const ownList = findList(entry);
    const list = ownList ?? findEarlierList(owner, known);
    if (!list) return { list: { allowed_users: [owner] }, isDefault: true, rule: 'run_owner' };
    const rule = ownList ? chooseRule(entry) : 'earlier_run';
    return seesDocument(readers, list) ? { list, isDefault: false, rule } : undefined;
  };
}

/** The access list that the source gave an entry; undefined if it gave none. */
export function findList({
  allowedUsers,
  allowedPrincipals,
  deniedPrincipals,
  requiredLists,
}: SourceEntry): DocumentAccess['list'] | undefined {
  if (!allowedUsers) return undefined;
  return normalizeAccessList({
    allowed_users: allowedUsers,
    allowed_principals: allowedPrincipals,
    denied_principals: deniedPrincipals,
    required_lists: requiredLists,
  });
}

function chooseRule({ source, hasSourceRights }: SourceEntry): AccessRule {
  if (hasSourceRights) return 'source';
  return source.startsWith(librarySource) ? 'library' : 'access_list';
}

/** The list from another user's run that ingested the document into the same job. */
function findEarlierList(owner: string, known: LedgerEntry | undefined): DocumentAccess['list'] | undefined {
  if (!known || known.owner === undefined || known.owner === owner) return undefined;
  return known.allowed_users && normalizeAccessList(known);
}

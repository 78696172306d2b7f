import type { Row } from '../../model/flow/row';
import { choosesByName } from '../../model/source/filesystem-source';
import { findSourceKind } from '../../model/source/list';
import { readMemberRules } from '../../model/source/member-settings';
import type { LedgerEntry } from '../../services/run/ledger';
import type { SourceEntry } from '../../services/source/sources';
import type { RunSource } from '../operator';
import { decideAccess } from './access';
import { readCurrentIndexes } from './current-indexes';
import { noteGone, noteLost } from './gone';
import { isHolder, takeHolder } from './members';
import { openListing } from './resume';
import {
  hashAccessList,
  type Config,
  type Document,
  getDocumentIdentifier,
  type Listing,
  type Needs,
  skipRemoved,
  takeDocument,
} from './take';

/** Documents per ledger query. */
const pageSize = 500;
/** Files hashed concurrently. */
const hashedTogether = 4;
const noMembers: ReadonlyMap<string, readonly LedgerEntry[]> = new Map();

/** Emits new and changed documents in the order of the source. Skips documents that are unchanged in the job's ledger. */
export const runSource: RunSource<Config, Needs> = async (emit, config, context) => {
  const listing: Listing = {
    emit,
    config,
    context,
    provider: findSourceKind(config)?.name ?? 'filesystem',
    indexes: await readCurrentIndexes(context),
    result: { unchanged: [], failed: [], warnings: [], added: 0, changed: 0, gone: [], withheld: 0 },
    access: decideAccess(context.run, config),
    members: readMemberRules(config),
    large: Promise.resolve(),
    lost: new Set(),
    counts: { listed: 0, defaultAccess: 0, emptyAccess: 0, otherPlan: 0 },
  };
  const complete = await listAll(listing);
  await noteGone(listing, complete);
  const { result, counts } = listing;
  result.warnings.push(...getWarnings(counts, result.withheld));
  result.metrics = { default_access_lists: counts.defaultAccess, empty_access_lists: counts.emptyAccess };
  return result;
};

/** False when the listing was truncated or a folder was unreadable. Documents not listed may then still exist. */
async function listAll(listing: Listing): Promise<boolean> {
  const { config, context, provider, counts, result } = listing;
  const saver = await openListing(listing);
  let complete = saver.isComplete;
  let page: SourceEntry[] = [];
  const { owner, readers = [{ username: owner }], sample = Infinity } = context.run;
  const size = Math.min(pageSize, sample);
  const { sources } = context.services;
  const entries =
    saver.cursor === undefined
      ? sources.list(provider, config, context.signal, readers)
      : sources.listAfter(provider, config, context.signal, saver.cursor);
  for await (const entry of entries) {
    if (entry.incomplete) complete = false;
    if (config.max_files !== undefined && counts.listed === config.max_files) {
      // Withheld documents do not count.
      counts.listed -= await takePage(listing, page);
      page = [];
    }
    if (config.max_files !== undefined && counts.listed === config.max_files) {
      // A withheld document is not seen, so it is not one too many either.
      if (await isWithheld(listing, entry)) {
        await takePage(listing, [entry]);
        continue;
      }
      result.warnings.push(
        `The source holds more than ${config.max_files} documents; max_files cut the listing there.`,
      );
      complete = false;
      break;
    }
    counts.listed += 1;
    page.push(entry);
    if (page.length < size) continue;
    counts.listed -= await takePage(listing, page);
    if (isSampled(listing)) return false;
    await saver.note(page.length, entry.cursor, complete);
    page = [];
  }
  counts.listed -= await takePage(listing, page);
  return complete;
}

/** True when a sample run has as many documents as it wants. */
function isSampled({ result, context: { run } }: Listing): boolean {
  return run.sample !== undefined && result.added + result.changed + result.failed.length >= run.sample;
}

async function isWithheld(listing: Listing, entry: SourceEntry): Promise<boolean> {
  const { ledger } = listing.context.services;
  const { jobId } = listing.context.run;
  const ids = [getDocumentIdentifier(entry, listing.context)];
  const members = isHolder(listing, entry) ? await ledger.members(jobId, ids) : noMembers;
  return getDocument(listing, entry, await ledger.lookup(jobId, ids), members).length === 0;
}

/** Returns the number of entries withheld from the run. */
async function takePage(listing: Listing, entries: readonly SourceEntry[]): Promise<number> {
  const { context, result } = listing;
  if (entries.length === 0) return 0;
  const { jobId, runId, owner } = context.run;
  const ids = entries.map((entry) => getDocumentIdentifier(entry, context));
  const known = await context.services.ledger.lookup(jobId, ids);
  const holders = ids.filter((_id, at) => isHolder(listing, entries[at]!));
  const members = holders.length === 0 ? noMembers : await context.services.ledger.members(jobId, holders);
  const documents = entries.flatMap((entry) => getDocument(listing, entry, known, members));
  const seenIds = new Set(documents.map(({ id }) => id));
  // Withheld documents are not deleted, except those that this owner ingested and may no longer read.
  const seen = ids.filter((id) => seenIds.has(id) || known.get(id)?.owner !== owner);
  const withheldMembers = [...members].flatMap(([id, ledgerEntries]) => (seenIds.has(id) ? [] : ledgerEntries));
  const others = withheldMembers.filter((withheldMember) => withheldMember.owner !== owner).map(({ id }) => id);
  await context.services.ledger.markSeen(jobId, runId, [...seen, ...others]);
  noteLost(listing, ids, seenIds, known);
  const withheld = entries.length - documents.length;
  if (!choosesByName(listing.config)) result.withheld += withheld;
  const removed = await context.services.ledger.removed(jobId, ids);
  // A sample run reads documents one by one, so that it gets exactly the requested number.
  const together = context.run.sample === undefined ? hashedTogether : 1;
  for (let start = 0; start < documents.length && !isSampled(listing); start += together) {
    context.signal.throwIfAborted();
    const take = async (document: Document): Promise<(Row | undefined)[]> => {
      const { id, entry } = document;
      if (removed.has(id)) return [await skipRemoved(listing, document)];
      if (!isHolder(listing, entry)) return [await takeDocument(listing, document, known.get(id))];
      return takeHolder(listing, document, { known: known.get(id), members: members.get(id) ?? [] });
    };
    const rows = await Promise.all(documents.slice(start, start + together).map(take));
    for (const row of rows.flat()) if (row) await listing.emit(row);
  }
  const done = result.added + result.changed + result.unchanged.length + result.failed.length;
  context.progress(done);
  return withheld;
}

/** The document of an entry; undefined when withheld. */
function getDocument(
  { access, context }: Listing,
  entry: SourceEntry,
  ledgerEntries: ReadonlyMap<string, LedgerEntry>,
  members: ReadonlyMap<string, readonly LedgerEntry[]>,
): Document[] {
  const id = getDocumentIdentifier(entry, context);
  // An archive has no entry, and its members have its access list.
  const decided = access(entry, ledgerEntries.get(id) ?? members.get(id)?.[0]);
  if (!decided) return [];
  return [{ id, entry, ...decided, aclHash: hashAccessList(decided.list) }];
}

function getWarnings(counts: Listing['counts'], withheld: number): string[] {
  const warnings: string[] = [];
  if (counts.listed === 0 && withheld === 0)
    warnings.push('The source holds no documents that match the configuration.');
  if (counts.listed === 0 && withheld > 0)
    warnings.push(
      `All ${withheld} documents of the source are withheld: not everybody whom the run acts for may read them.`,
    );
  if (counts.emptyAccess > 0)
    warnings.push(`${counts.emptyAccess} documents have an empty access list; nobody can read them.`);
  if (counts.otherPlan > 0) {
    warnings.push(
      `The flow was changed since ${counts.otherPlan} unchanged documents were ingested; they are skipped all the same. Set force_ingest to process them again.`,
    );
  }
  return warnings;
}

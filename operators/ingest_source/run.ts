import { countNouns } from '../../model/count-nouns';
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
  computeDocumentId,
  type Listing,
  type Needs,
  skipRemoved,
  takeDocument,
} from './take';

/** Documents per ledger query. */
const pageSize = 500;
/** Files hashed concurrently. */
const maxConcurrentHashes = 4;
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
  const isComplete = await listAll(listing);
  await noteGone(listing, isComplete);
  const { result, counts } = listing;
  result.warnings.push(...listWarnings(counts, result.withheld));
  result.metrics = { default_access_lists: counts.defaultAccess, empty_access_lists: counts.emptyAccess };
  return result;
};

/**
 * Takes the entries of the source page by page. Returns false when the listing was cut or a folder was unreadable: documents that
 * are not listed may then still exist.
 */
async function listAll(listing: Listing): Promise<boolean> {
  const { config, context, provider, counts, result } = listing;
  const saver = await openListing(listing);
  let { isComplete } = saver;
  let page: SourceEntry[] = [];
  const { owner, readers = [{ username: owner }], sample = Infinity } = context.run;
  const size = Math.min(pageSize, sample);
  const { sources } = context.services;
  const entries =
    saver.cursor === undefined
      ? sources.list(provider, config, context.signal, readers)
      : sources.listAfter(provider, config, context.signal, saver.cursor);
  for await (const entry of entries) {
    if (entry.incomplete) isComplete = false;
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
        `The source holds more than ${countNouns(config.max_files, 'document')}; the listing ends there because of max_files.`,
      );
      isComplete = false;
      break;
    }
    counts.listed += 1;
    page.push(entry);
    if (page.length < size) continue;
    counts.listed -= await takePage(listing, page);
    if (isSampled(listing)) return false;
    await saver.note(page.length, entry.cursor, isComplete);
    page = [];
  }
  counts.listed -= await takePage(listing, page);
  return isComplete;
}

/** True when a sample run has as many documents as it wants. */
function isSampled({ result, context: { run } }: Listing): boolean {
  return run.sample !== undefined && result.added + result.changed + result.failed.length >= run.sample;
}

async function isWithheld(listing: Listing, entry: SourceEntry): Promise<boolean> {
  const { ledger } = listing.context.services;
  const { jobId } = listing.context.run;
  const ids = [computeDocumentId(entry, listing.context)];
  const members = isHolder(listing, entry) ? await ledger.listMembers(jobId, ids) : noMembers;
  return findDocument(listing, entry, await ledger.lookup(jobId, ids), members) === undefined;
}

/** Emits the rows of the new and changed documents of a page. Returns the number of entries withheld from the run. */
async function takePage(listing: Listing, entries: readonly SourceEntry[]): Promise<number> {
  const { context, result } = listing;
  if (entries.length === 0) return 0;
  const { jobId, runId, owner } = context.run;
  const ids = entries.map((entry) => computeDocumentId(entry, context));
  const known = await context.services.ledger.lookup(jobId, ids);
  const holders = ids.filter((_id, index) => isHolder(listing, entries[index]!));
  const members = holders.length === 0 ? noMembers : await context.services.ledger.listMembers(jobId, holders);
  const documents = entries.flatMap((entry) => findDocument(listing, entry, known, members) ?? []);
  const seenIds = new Set(documents.map(({ id }) => id));
  // Withheld documents are not deleted, except those that this owner ingested and may no longer read.
  const seen = ids.filter((id) => seenIds.has(id) || known.get(id)?.owner !== owner);
  const withheldMembers = [...members].flatMap(([id, ledgerEntries]) => (seenIds.has(id) ? [] : ledgerEntries));
  const seenMembers = withheldMembers.filter((member) => member.owner !== owner).map(({ id }) => id);
  await context.services.ledger.markSeen(jobId, runId, [...seen, ...seenMembers]);
  noteLost(listing, ids, seenIds, known);
  const withheld = entries.length - documents.length;
  if (!choosesByName(listing.config)) result.withheld += withheld;
  const removed = await context.services.ledger.listRemoved(jobId, ids);
  // A sample run reads documents one by one, so that it gets exactly the requested number.
  const maxConcurrent = context.run.sample === undefined ? maxConcurrentHashes : 1;
  const take = async (document: Document): Promise<(Row | undefined)[]> => {
    const { id, entry } = document;
    if (removed.has(id)) return [await skipRemoved(listing, document)];
    if (!isHolder(listing, entry)) return [await takeDocument(listing, document, known.get(id))];
    return takeHolder(listing, document, { known: known.get(id), members: members.get(id) ?? [] });
  };
  for (let start = 0; start < documents.length && !isSampled(listing); start += maxConcurrent) {
    context.signal.throwIfAborted();
    const rows = await Promise.all(documents.slice(start, start + maxConcurrent).map(take));
    for (const row of rows.flat()) if (row) await listing.emit(row);
  }
  const done = result.added + result.changed + result.unchanged.length + result.failed.length;
  context.progress(done);
  return withheld;
}

/** The document of an entry; undefined when withheld. */
function findDocument(
  { access, context }: Listing,
  entry: SourceEntry,
  ledgerEntries: ReadonlyMap<string, LedgerEntry>,
  members: ReadonlyMap<string, readonly LedgerEntry[]>,
): Document | undefined {
  const id = computeDocumentId(entry, context);
  // An archive has no entry, and its members have its access list.
  const decided = access(entry, ledgerEntries.get(id) ?? members.get(id)?.[0]);
  return decided && { id, entry, ...decided, aclHash: hashAccessList(decided.list) };
}

function listWarnings(counts: Listing['counts'], withheld: number): string[] {
  const warnings: string[] = [];
  if (counts.listed === 0 && withheld === 0)
    warnings.push('The source holds no documents that match the configuration.');
  if (counts.listed === 0 && withheld > 0)
    warnings.push(
      withheld === 1
        ? 'The only document of the source is withheld: not everybody whom the run acts for may read it.'
        : `All ${withheld} documents of the source are withheld: not everybody whom the run acts for may read them.`,
    );
  if (counts.emptyAccess > 0)
    warnings.push(`Nobody can read ${countNouns(counts.emptyAccess, 'document')} with an empty access list.`);
  if (counts.otherPlan > 0) {
    warnings.push(
      `Skipped ${countNouns(counts.otherPlan, 'unchanged document')}, although the flow has changed since. Set force_ingest to process them again.`,
    );
  }
  return warnings;
}

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
import { findExported, leaveOutExports } from './exported';
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
    counts: { listed: 0, defaultAccess: 0, emptyAccess: 0, otherPlan: 0, exported: 0, lostExports: 0 },
  };
  const isComplete = await listAll(listing);
  await noteGone(listing, isComplete);
  const { result, counts } = listing;
  result.warnings.push(...listWarnings(counts, result.withheld));
  result.metrics = {
    default_access_lists: counts.defaultAccess,
    empty_access_lists: counts.emptyAccess,
    ...(counts.exported === 0 ? {} : { exported_files_left_out: counts.exported }),
  };
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
  const maxFiles = config.max_files ?? Infinity;
  const { sources } = context.services;
  const entries = sources.list(provider, config, context.signal, { readers, after: saver.cursor });
  const isFull = () => counts.listed + page.length >= maxFiles;
  const takeAll = async () => {
    await takePage(listing, page);
    page = [];
  };
  for await (const entry of entries) {
    if (entry.incomplete) isComplete = false;
    // Withheld documents and exported files do not count, and are known once they are taken.
    if (isFull()) await takeAll();
    if (isFull() && !(await isLeftOut(listing, entry))) {
      const limit = countNouns(maxFiles, 'document');
      result.warnings.push(`The source holds more than ${limit}; the listing ends there because of max_files.`);
      isComplete = false;
      break;
    }
    page.push(entry);
    if (page.length < size) continue;
    const taken = page.length;
    await takeAll();
    if (isSampled(listing)) return false;
    await saver.note(taken, entry.cursor, isComplete);
  }
  await takeAll();
  return isComplete;
}

/** True when a sample run has as many documents as it wants. */
function isSampled({ result, context: { run } }: Listing): boolean {
  return run.sample !== undefined && result.added + result.changed + result.failed.length >= run.sample;
}

/** Entries of the source with what the ledger knows about them. */
interface Page {
  /** The ids of all entries, in their order. */
  ids: readonly string[];
  /** The documents that the run may see. */
  documents: readonly Document[];
  /** Ledger entries by the id of their document. */
  known: ReadonlyMap<string, LedgerEntry>;
  /** Ledger entries of files within files, by the id of the file that contains them. */
  members: ReadonlyMap<string, readonly LedgerEntry[]>;
}

async function lookUpPage(listing: Listing, entries: readonly SourceEntry[]): Promise<Page> {
  const { context } = listing;
  const { ledger } = context.services;
  const { jobId } = context.run;
  const ids = entries.map((entry) => computeDocumentId(entry, context));
  const known = await ledger.lookup(jobId, ids);
  const holders = ids.filter((_id, index) => isHolder(listing, entries[index]!));
  const members = holders.length === 0 ? noMembers : await ledger.listMembers(jobId, holders);
  const documents = entries.flatMap((entry, index) => {
    const id = ids[index]!;
    // An archive has no entry in the ledger; its members have its access list.
    const decided = listing.access(entry, known.get(id) ?? members.get(id)?.[0]);
    return decided ? [{ id, entry, ...decided, aclHash: hashAccessList(decided.list) }] : [];
  });
  return { ids, documents, known, members };
}

async function isLeftOut(listing: Listing, entry: SourceEntry): Promise<boolean> {
  if ((await findExported(listing, [entry])).size > 0) return true;
  return (await lookUpPage(listing, [entry])).documents.length === 0;
}

/** Emits the rows of the new and changed documents of a page. */
async function takePage(listing: Listing, listed: readonly SourceEntry[]): Promise<void> {
  const entries = await leaveOutExports(listing, listed);
  if (entries.length === 0) return;
  const { config, context, counts, result } = listing;
  const page = await lookUpPage(listing, entries);
  await noteSeen(listing, page);
  counts.listed += page.documents.length;
  if (!choosesByName(config)) result.withheld += entries.length - page.documents.length;
  await emitRows(listing, page);
  context.progress(result.added + result.changed + result.unchanged.length + result.failed.length);
}

/** Marks the documents of the page as existing. Withheld ones exist too, except those that their owner may no longer read. */
async function noteSeen(listing: Listing, { ids, documents, known, members }: Page): Promise<void> {
  const { operator, run, services } = listing.context;
  const { jobId, runId, owner } = run;
  const visibleIds = new Set(documents.map(({ id }) => id));
  const seen = ids.filter((id) => visibleIds.has(id) || known.get(id)?.owner !== owner);
  const withheldMembers = [...members].flatMap(([id, ledgerEntries]) => (visibleIds.has(id) ? [] : ledgerEntries));
  const seenMembers = withheldMembers.filter((member) => member.owner !== owner).map(({ id }) => id);
  await services.ledger.markSeen(jobId, runId, [...seen, ...seenMembers], operator);
  noteLost(listing, ids, visibleIds, known);
}

async function emitRows(listing: Listing, { ids, documents, known, members }: Page): Promise<void> {
  const { context } = listing;
  const removed = await context.services.ledger.listRemoved(context.run.jobId, ids);
  const take = async (document: Document): Promise<(Row | undefined)[]> => {
    const { id, entry } = document;
    if (removed.has(id)) return [await skipRemoved(listing, document)];
    if (!isHolder(listing, entry)) return [await takeDocument(listing, document, known.get(id))];
    return takeHolder(listing, document, { known: known.get(id), members: members.get(id) ?? [] });
  };
  // A sample run reads documents one by one, so that it gets exactly the requested number.
  const maxConcurrent = context.run.sample === undefined ? maxConcurrentHashes : 1;
  for (let start = 0; start < documents.length && !isSampled(listing); start += maxConcurrent) {
    context.signal.throwIfAborted();
    const rows = await Promise.all(documents.slice(start, start + maxConcurrent).map(take));
    for (const row of rows.flat()) {
      if (row) await listing.emit(row);
    }
  }
}

function listWarnings(counts: Listing['counts'], withheld: number): string[] {
  const warnings: string[] = [];
  if (counts.listed === 0 && withheld === 0)
    warnings.push('The source holds no documents that match the configuration.');
  if (counts.listed === 0 && withheld > 0)
    warnings.push(
      withheld === 1
        ? 'The only document of the source is withheld, because not every user whom the run acts for may read it.'
        : `All ${withheld} documents of the source are withheld, because not every user whom the run acts for may read them.`,
    );
  if (counts.lostExports > 0)
    warnings.push(
      `Flows exported ${countNouns(counts.lostExports, 'earlier document')} of the source, so ${counts.lostExports === 1 ? 'it is' : 'they are'} no longer ingested. With include_exports, the source takes the files of other flows.`,
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

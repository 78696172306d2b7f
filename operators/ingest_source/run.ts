import { createHash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import type { AccessList } from '../../model/access-list';
import { AppError } from '../../model/errors';
import { sourceProviderOf } from '../../model/source/remote-source';
import type { Row } from '../../model/flow/row';
import type { LedgerEntry } from '../../services/run/ledger';
import type { SourceEntry } from '../../services/source/sources';
import type { OperatorContext, RunSource, SourceResult } from '../operator';
import { type AccessDecision, decideAccess, type DocumentAccess } from './access';
import { currentIndexes } from './current-indexes';
import type { config } from './schema';

type Needs = 'sources' | 'ledger' | 'search' | 'documentSets';
type Config = Static<typeof config>;

/** Documents per ledger query. */
const pageSize = 500;
/** Files hashed concurrently. */
const hashedTogether = 4;

interface Document extends DocumentAccess {
  id: string;
  entry: SourceEntry;
  aclHash: string;
}
interface Listing {
  emit: (row: Row) => Promise<void>;
  config: Config;
  context: OperatorContext<Needs>;
  provider: string;
  /** Current UUIDs of the flow's indexes. An entry written to other indexes is ingested again. */
  indexes: Record<string, string | undefined>;
  result: SourceResult;
  access: AccessDecision;
  counts: { listed: number; defaultAccess: number; emptyAccess: number; otherPlan: number };
}

/** Emits new and changed documents in the order of the source. Skips documents that are unchanged in the job's ledger. */
export const runSource: RunSource<Config, Needs> = async (emit, config, context) => {
  const listing: Listing = {
    emit,
    config,
    context,
    provider: sourceProviderOf(config) ?? 'filesystem',
    indexes: await currentIndexes(context),
    result: { unchanged: [], failed: [], warnings: [], added: 0, changed: 0, gone: [], withheld: 0 },
    access: decideAccess(context.run, config),
    counts: { listed: 0, defaultAccess: 0, emptyAccess: 0, otherPlan: 0 },
  };
  const complete = await listAll(listing);
  await noteGone(listing, complete);
  const { result, counts } = listing;
  result.warnings.push(...warningsOf(counts, result.withheld));
  result.metrics = { default_access_lists: counts.defaultAccess, empty_access_lists: counts.emptyAccess };
  return result;
};

/** False when the listing was truncated or a folder was unreadable. Documents not listed may then still exist. */
async function listAll(listing: Listing): Promise<boolean> {
  const { config, context, provider, counts, result } = listing;
  let complete = true;
  let page: SourceEntry[] = [];
  const { owner, readers = [{ username: owner }], sample = Infinity } = context.run;
  const size = Math.min(pageSize, sample);
  for await (const entry of context.services.sources.list(provider, config, context.signal, readers)) {
    if (entry.incomplete) complete = false;
    if (config.max_files !== undefined && counts.listed === config.max_files) {
      // Withheld documents do not count.
      counts.listed -= await takePage(listing, page);
      page = [];
    }
    if (config.max_files !== undefined && counts.listed === config.max_files) {
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
    page = [];
    if (isSampled(listing)) return false;
  }
  counts.listed -= await takePage(listing, page);
  return complete;
}

/** True when a sample run has as many documents as it wants. */
function isSampled({ result, context: { run } }: Listing): boolean {
  return run.sample !== undefined && result.added + result.changed + result.failed.length >= run.sample;
}

/** Returns the number of entries withheld from the run. */
async function takePage(listing: Listing, entries: readonly SourceEntry[]): Promise<number> {
  const { context, result } = listing;
  if (entries.length === 0) return 0;
  const { jobId, runId, owner } = context.run;
  const ids = entries.map((entry) => idOf(entry, context));
  const known = await context.services.ledger.lookup(jobId, ids);
  const documents = entries.flatMap((entry) => documentOf(listing, entry, known));
  const passed = new Set(documents.map(({ id }) => id));
  // Withheld documents are not gone, except those that this owner ingested and may no longer read.
  const seen = ids.filter((id) => passed.has(id) || known.get(id)?.owner !== owner);
  await context.services.ledger.markSeen(jobId, runId, seen);
  const withheld = entries.length - documents.length;
  result.withheld += withheld;
  const removed = await context.services.ledger.removed(jobId, ids);
  // A sample run takes documents one by one, so that it has exactly as many as it wants.
  const together = context.run.sample === undefined ? hashedTogether : 1;
  for (let start = 0; start < documents.length && !isSampled(listing); start += together) {
    context.signal.throwIfAborted();
    const rows = await Promise.all(
      documents
        .slice(start, start + together)
        .map((document) =>
          removed.has(document.id)
            ? skipRemoved(listing, document)
            : takeDocument(listing, document, known.get(document.id)),
        ),
    );
    for (const row of rows) if (row) await listing.emit(row);
  }
  const done = result.added + result.changed + result.unchanged.length + result.failed.length;
  context.progress(done);
  return withheld;
}

function idOf(entry: SourceEntry, { run }: OperatorContext<Needs>): string {
  return hashOf([run.jobId, entry.source, entry.relativePath]).slice(0, 32);
}

/** The document of an entry; undefined when withheld. */
function documentOf(
  { access, context }: Listing,
  entry: SourceEntry,
  known: ReadonlyMap<string, LedgerEntry>,
): Document[] {
  const id = idOf(entry, context);
  const decided = access(entry, known.get(id));
  if (!decided) return [];
  return [{ id, entry, ...decided, aclHash: aclHashOf(decided.list) }];
}

/** Lists of names alone have the hash that earlier versions gave them, so that nothing is ingested again. */
function aclHashOf({
  allowed_users: users,
  allowed_principals: allowed,
  denied_principals: denied,
}: AccessList): string {
  const unique = (names: AccessList['allowed_users']) => [...new Set(names ?? [])].toSorted();
  const principals = [...(allowed ?? []), ...(denied ?? [])].length > 0 ? [unique(allowed), unique(denied)] : [];
  return hashOf(['acl', ...unique(users), ...principals.map((names) => JSON.stringify(names))]);
}

function isEmpty({ allowed_users: users, allowed_principals: allowed }: AccessList): boolean {
  return (users ?? []).length === 0 && (allowed ?? []).length === 0;
}

/** Skips a document that a user removed, even with `force_ingest`. */
async function skipRemoved({ result }: Listing, { id, entry }: Document): Promise<undefined> {
  result.unchanged.push({ id, name: entry.name, reason: 'Removed; it is ingested again when its removal is restored' });
}

/** The row of a new or changed document. Undefined when unchanged or failed, which is recorded in the result. */
async function takeDocument(
  listing: Listing,
  document: Document,
  known: LedgerEntry | undefined,
): Promise<Row | undefined> {
  const { result, counts } = listing;
  const { id, entry } = document;
  if (entry.skip) result.unchanged.push({ id, name: entry.name, reason: entry.skip });
  else if (entry.failure) result.failed.push({ id, name: entry.name, ...entry.failure });
  if (entry.skip || entry.failure) return undefined;
  const contentHash = await contentHashOf(listing, entry, known);
  if (contentHash instanceof AppError) {
    result.failed.push({ id, name: entry.name, code: contentHash.code, message: contentHash.message });
    return undefined;
  }
  if (document.isDefault) counts.defaultAccess += 1;
  if (isEmpty(document.list)) counts.emptyAccess += 1;
  if (known && isLeftOut(listing, known, contentHash)) {
    result.unchanged.push({ id, name: entry.name, reason: 'Failed before and is left out until it changes' });
    return undefined;
  }
  if (known && isUnchanged(listing, document, known, contentHash)) {
    if (known.plan_hash !== listing.context.run.planHash) counts.otherPlan += 1;
    result.unchanged.push({ id, name: entry.name, reason: 'Document already processed' });
    return undefined;
  }
  if (known) result.changed += 1;
  else result.added += 1;
  return rowOf(document, contentHash);
}

/** Reads the bytes only when the source's version differs from the ledger; sources without versions compare size and time. */
async function contentHashOf(
  { context, provider, config }: Listing,
  entry: SourceEntry,
  known: LedgerEntry | undefined,
): Promise<string | AppError> {
  if (known && known.content_hash !== '' && isSameVersion(entry, known)) return known.content_hash;
  try {
    return await context.services.sources.hash(provider, entry.path, config, context.signal);
  } catch (error) {
    if (error instanceof AppError && error.code === 'SOURCE_UNREADABLE') return error;
    throw error;
  }
}

function isSameVersion(entry: SourceEntry, known: LedgerEntry): boolean {
  if (entry.version !== undefined && known.source_version !== undefined) return entry.version === known.source_version;
  // A source without version and time must be read to detect changes.
  return entry.modifiedTime !== '' && known.size === entry.size && known.modified_time === entry.modifiedTime;
}

/** True when a user left out the failed document and its content has not changed. */
function isLeftOut({ config, context }: Listing, known: LedgerEntry, contentHash: string): boolean {
  const isForced = config.force_ingest || context.run.forceIngest;
  return !isForced && known.status === 'left_out' && known.content_hash === contentHash;
}

function isUnchanged(
  { config, context, indexes }: Listing,
  document: Document,
  known: LedgerEntry,
  contentHash: string,
): boolean {
  if (config.force_ingest || context.run.forceIngest || known.status !== 'done') return false;
  if (known.content_hash !== contentHash || known.acl_hash !== document.aclHash) return false;
  return Object.entries(indexes).every(([name, uuid]) => uuid !== undefined && known.indexes[name] === uuid);
}

function rowOf({ id, entry, list, aclHash, rule }: Document, contentHash: string): Row {
  return {
    id,
    name: entry.name,
    path: entry.path,
    source: entry.source,
    mimetype: entry.mimetype,
    size: entry.size,
    ...(entry.modifiedTime === '' ? {} : { modified_time: entry.modifiedTime }),
    ...(entry.version === undefined ? {} : { source_version: entry.version }),
    content_hash: contentHash,
    acl_hash: aclHash,
    ...(list as Partial<Row>),
    metadata: { ...entry.metadata, access_rule: rule },
  };
}

async function noteGone({ context, result }: Listing, complete: boolean): Promise<void> {
  const { ledger } = context.services;
  const { jobId, runId } = context.run;
  const { readers = [{ username: context.run.owner }] } = context.run;
  const gone = await ledger.listGone(jobId, runId, readers);
  if (gone.length === 0 || complete) {
    result.gone = gone;
    return;
  }
  // The end of the run deletes documents not marked as seen, so these stay marked until a complete listing.
  for (let start = 0; start < gone.length; start += pageSize) {
    await ledger.markSeen(
      jobId,
      runId,
      gone.slice(start, start + pageSize).map(({ id }) => id),
    );
  }
  result.warnings.push(`The listing is incomplete, so ${gone.length} earlier documents that it lacks are kept.`);
}

function warningsOf(counts: Listing['counts'], withheld: number): string[] {
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

/** Keeps the parts separate, so that `a` + `bc` and `ab` + `c` have different hashes. */
function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

import { hash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import type { AccessList } from '../../model/access-list';
import { AppError, type ErrorCode } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import type { MemberRules } from '../../model/source/member-settings';
import type { LedgerEntry } from '../../services/run/ledger';
import type { SourceEntry } from '../../services/source/sources';
import type { OperatorContext, SourceResult } from '../operator';
import type { AccessDecision, DocumentAccess } from './access';
import type { config } from './schema';

export type Needs = 'sources' | 'exportedFiles' | 'ledger' | 'search' | 'documentSets' | 'members';
export type Config = Static<typeof config>;

/** A listed document that the run may see. */
export interface Document extends DocumentAccess {
  id: string;
  entry: SourceEntry;
  aclHash: string;
  /** Number of files within the file of the source; undefined if it was not searched. */
  memberCount?: number;
  /** Set for a file within a file. */
  member?: { parentId: string; path: string };
}
/** One listing of a source and its result so far. */
export interface Listing {
  emit: (row: Row) => Promise<void>;
  config: Config;
  context: OperatorContext<Needs>;
  provider: string;
  /** Current UUIDs of the flow's indexes. An entry written to other indexes is ingested again. */
  indexes: Record<string, string | undefined>;
  result: SourceResult;
  access: AccessDecision;
  /** The settings for extracting members. */
  members: MemberRules;
  /** Ends when the last large file that was opened is released. */
  large: Promise<unknown>;
  /** Ids of documents that their owner ingested and may no longer read. */
  lost: Set<string>;
  counts: {
    listed: number;
    defaultAccess: number;
    emptyAccess: number;
    otherPlan: number;
    /** Files that flows exported, and those of them that earlier runs ingested. */
    exported: number;
    lostExports: number;
  };
}

/** The id of a document: stable, and independent of its content. */
export function computeDocumentId(
  entry: Pick<SourceEntry, 'source' | 'relativePath'>,
  { run }: { run: Pick<OperatorContext<Needs>['run'], 'jobId'> },
): string {
  return hashParts([run.jobId, entry.source, entry.relativePath]).slice(0, 32);
}

/** Skips a document that a user removed, even with `force_ingest`. */
export async function skipRemoved({ result }: Listing, { id, entry }: Document): Promise<undefined> {
  result.unchanged.push({ id, name: entry.name, reason: 'Removed; it is ingested again when its removal is restored' });
}

/**
 * The row of a new or changed document. Undefined when unchanged or failed, which is recorded in the result. `hash` is the hash of
 * its bytes, if they were read already.
 */
export async function takeDocument(
  listing: Listing,
  document: Document,
  ledgerEntry: LedgerEntry | undefined,
  hash?: string,
): Promise<Row | undefined> {
  const { result, counts } = listing;
  const { id, entry } = document;
  if (entry.skip) result.unchanged.push({ id, name: entry.name, reason: entry.skip });
  else if (entry.failure) result.failed.push({ id, name: entry.name, ...entry.failure });
  if (entry.skip || entry.failure) return undefined;
  const contentHash = hash ?? (await readContentHash(listing, entry, ledgerEntry));
  if (contentHash instanceof AppError && contentHash.code === 'SOURCE_GONE') {
    result.unchanged.push({ id, name: entry.name, reason: 'Deleted since it was listed; the next run removes it' });
    return undefined;
  }
  if (contentHash instanceof AppError) {
    result.failed.push({ id, name: entry.name, code: contentHash.code, message: contentHash.message });
    return undefined;
  }
  if (document.isDefault) counts.defaultAccess += 1;
  if (isUnreadable(document.list)) counts.emptyAccess += 1;
  if (ledgerEntry && isLeftOut(listing, ledgerEntry, contentHash)) {
    result.unchanged.push({ id, name: entry.name, reason: 'Failed before and is left out until it changes' });
    return undefined;
  }
  // A source with identities may rename a document, and its rows and entries contain the name.
  if (ledgerEntry?.name === entry.name && isUnchanged(listing, document, ledgerEntry, contentHash)) {
    if (ledgerEntry.plan_hash !== listing.context.run.planHash) counts.otherPlan += 1;
    result.unchanged.push({ id, name: entry.name, reason: 'Document already processed' });
    return undefined;
  }
  if (ledgerEntry) result.changed += 1;
  else result.added += 1;
  return buildRow(document, contentHash);
}

/**
 * Codes of a document that cannot be hashed. They fail that document only: the source was listed, so the problem is a document
 * that is gone, redirects elsewhere or understates its size.
 */
const unreadableCodes: ReadonlySet<ErrorCode> = new Set([
  'SOURCE_UNREADABLE',
  'SOURCE_GONE',
  'SOURCE_TOO_LARGE',
  'ADDRESS_NOT_ALLOWED',
]);

/** Reads the bytes only when the source's version differs from the ledger; sources without versions compare size and time. */
async function readContentHash(
  { context, provider, config }: Listing,
  entry: SourceEntry,
  ledgerEntry: LedgerEntry | undefined,
): Promise<string | AppError> {
  if (ledgerEntry && ledgerEntry.content_hash !== '' && isSameVersion(entry, ledgerEntry))
    return ledgerEntry.content_hash;
  try {
    return await context.services.sources.hash(provider, entry, config, context.signal);
  } catch (error) {
    if (error instanceof AppError && unreadableCodes.has(error.code)) return error;
    throw error;
  }
}

/** True if the source reports that the document equals the one in the ledger. */
export function isSameVersion(entry: SourceEntry, ledgerEntry: LedgerEntry): boolean {
  if (entry.version !== undefined && ledgerEntry.source_version !== undefined)
    return entry.version === ledgerEntry.source_version;
  // A source without version and time must be read to detect changes.
  return (
    entry.modifiedTime !== '' && ledgerEntry.size === entry.size && ledgerEntry.modified_time === entry.modifiedTime
  );
}

/** True when a user left out the failed document and its content has not changed. */
function isLeftOut({ config, context }: Listing, ledgerEntry: LedgerEntry, contentHash: string): boolean {
  const isForced = config.force_ingest || context.run.forceIngest;
  return !isForced && ledgerEntry.status === 'left_out' && ledgerEntry.content_hash === contentHash;
}

/** True if nothing is left to do for the document. */
export function isSettled(
  listing: Listing,
  document: Document,
  ledgerEntry: LedgerEntry,
  contentHash = ledgerEntry.content_hash,
): boolean {
  return isLeftOut(listing, ledgerEntry, contentHash) || isUnchanged(listing, document, ledgerEntry, contentHash);
}

function isUnchanged(
  { config, context, indexes }: Listing,
  document: Document,
  ledgerEntry: LedgerEntry,
  contentHash: string,
): boolean {
  if (config.force_ingest || context.run.forceIngest || ledgerEntry.status !== 'done') return false;
  if (ledgerEntry.content_hash !== contentHash || ledgerEntry.acl_hash !== document.aclHash) return false;
  return Object.entries(indexes).every(([name, uuid]) => uuid !== undefined && ledgerEntry.indexes[name] === uuid);
}

function buildRow({ id, entry, list, aclHash, rule, member, memberCount }: Document, contentHash: string): Row {
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
    ...(member ? { parent_id: member.parentId, member_path: member.path } : {}),
    ...(memberCount === undefined ? {} : { member_count: memberCount }),
    metadata: { ...entry.metadata, access_rule: rule },
  };
}

/** Lists of names alone have the hash that earlier versions gave them, so that nothing is ingested again. */
export function hashAccessList({
  allowed_users: users,
  allowed_principals: allowed,
  denied_principals: denied,
  required_lists: required,
}: AccessList): string {
  const dedupe = (names: AccessList['allowed_users']) => [...new Set(names ?? [])].toSorted();
  const principals = [...(allowed ?? []), ...(denied ?? [])].length > 0 ? [dedupe(allowed), dedupe(denied)] : [];
  const lists = [...principals, ...((required ?? []).length > 0 ? [dedupe(required)] : [])];
  return hashParts(['acl', ...dedupe(users), ...lists.map((names) => JSON.stringify(names))]);
}

function isUnreadable({ allowed_users: users, allowed_principals: allowed }: AccessList): boolean {
  return (users ?? []).length === 0 && (allowed ?? []).length === 0;
}

/** Keeps the parts separate, so that `a` + `bc` and `ab` + `c` have different hashes. */
function hashParts(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts));
}

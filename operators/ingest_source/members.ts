import { hash } from 'node:crypto';
import path from 'node:path';
import { detectFormat } from '../../formats/detect';
import {
  findHolderKind,
  isLargeTable,
  mayBeLargeTable,
  mayEmbedFiles,
  rarelyHoldsFiles,
} from '../../formats/members/holders';
import { AppError, errorCatalogue } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { buildMemberPath } from '../../model/source/member-settings';
import type { FoundMember, FoundMembers } from '../../services/conversion/members';
import type { LedgerEntry } from '../../services/run/ledger';
import type { SourceEntry } from '../../services/source/sources';
import {
  type Document,
  computeDocumentId,
  isSameVersion,
  isSettled,
  type Listing,
  skipRemoved,
  takeDocument,
} from './take';

/** The ledger entries of a file and of the files within it. */
interface KnownEntries {
  /** Absent for archives, which are not documents. */
  known: LedgerEntry | undefined;
  members: readonly LedgerEntry[];
}

/** Larger files are opened one at a time. */
const largeBytes = 8 * 1024 * 1024;

/** True if the file may contain files that the flow reads. */
export function isHolder({ members }: Listing, { name, size }: SourceEntry): boolean {
  if (members.tables && mayBeLargeTable({ name, size })) return true;
  const kind = findHolderKind(name);
  if (kind === 'container') return members.archives || members.attachments;
  return kind === 'document' && members.attachments && (members.pdfAttachments || !rarelyHoldsFiles(name));
}

/**
 * The rows of a file and of the files within it that are new or changed. Each has its own outcome and the access list of the
 * file. Nothing is read while the file and its members are as the ledger has them.
 */
export async function takeHolder(
  listing: Listing,
  document: Document,
  entries: KnownEntries,
): Promise<(Row | undefined)[]> {
  if (document.entry.skip || document.entry.failure) {
    await markSeen(listing, entries.members);
    return [await takeDocument(listing, document, entries.known)];
  }
  if (isWholeUnchanged(listing, document, entries)) return noteUnchanged(listing, document, entries);
  if (document.entry.size <= largeBytes) return openHolder(listing, document, entries);
  const opened = listing.large.then(() => openHolder(listing, document, entries));
  listing.large = opened.catch(() => undefined);
  return opened;
}

/** True if the file and all its members are as the ledger has them. */
function isWholeUnchanged(listing: Listing, document: Document, { known, members }: KnownEntries): boolean {
  const [first] = known ? [known] : members;
  if (!first || members.length !== first.member_count) return false;
  if (known && (!isSameVersion(document.entry, known) || known.name !== document.entry.name)) return false;
  const version = findVersion(document.entry);
  return (
    (!known || isSettled(listing, document, known)) &&
    members.every(
      (member) =>
        version !== undefined &&
        member.source_version === version &&
        member.member_count === members.length &&
        isSettled(listing, document, member),
    )
  );
}

async function noteUnchanged(listing: Listing, document: Document, { known, members }: KnownEntries): Promise<Row[]> {
  await markSeen(listing, members);
  for (const entry of known ? [known, ...members] : members)
    await takeDocument(
      listing,
      { ...document, id: entry.id, entry: { ...document.entry, name: entry.name } },
      entry,
      entry.content_hash,
    );
  return [];
}

async function openHolder(listing: Listing, document: Document, entries: KnownEntries): Promise<(Row | undefined)[]> {
  const { context, provider, config, members: rules, result } = listing;
  const { entry, id } = document;
  const isContainer = findHolderKind(entry.name) === 'container';
  try {
    if (entry.size > rules.maxBytes) {
      if (!isContainer) return [await takeDocument(listing, document, entries.known)];
      throw new AppError(
        'DOCUMENT_TOO_LARGE',
        `The archive has ${entry.size} bytes; members.max_mb allows ${rules.maxBytes} bytes.`,
      );
    }
    const bytes = await context.services.sources.read(provider, entry, config, context.signal);
    const digest = hash('sha256', bytes);
    const found = await findMembers(listing, entry.name, bytes);
    return await takeMembers(listing, document, entries, { hash: digest, found });
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof AppError) || errorCatalogue[error.code].scope !== 'document') throw error;
    await markSeen(listing, entries.members);
    if (error.code === 'SOURCE_GONE' || (!isContainer && error.code !== 'SOURCE_UNREADABLE'))
      return [await takeDocument(listing, document, entries.known)];
    result.failed.push({ id, name: entry.name, code: error.code, message: error.message });
    return [];
  }
}

const noMembers: FoundMembers = { isContainer: false, members: [] };

async function findMembers(
  { context, members: rules }: Listing,
  name: string,
  bytes: Uint8Array,
): Promise<FoundMembers> {
  const isTable = rules.tables && isLargeTable(name, bytes);
  if (!isTable && findHolderKind(name) !== 'container' && !mayEmbedFiles(bytes)) return noMembers;
  return context.services.members.find({ name, bytes, rules }, context.signal);
}

/** The rows of an opened file: its own, unless it is an archive, and those of its members. */
async function takeMembers(
  listing: Listing,
  document: Document,
  { known, members: earlier }: KnownEntries,
  { hash, found }: { hash: string; found: FoundMembers },
): Promise<(Row | undefined)[]> {
  const { context, result } = listing;
  const { ledger } = context.services;
  const { id, entry } = document;
  const memberCount = found.members.length;
  const knownById = new Map(earlier.map((ledgerEntry) => [ledgerEntry.id, ledgerEntry]));
  const documents = found.members.map((member) => buildMember(listing, document, member, memberCount));
  const ids = documents.map((document) => document.id);
  await markSeen(
    listing,
    ids.flatMap((id) => knownById.get(id) ?? []),
  );
  const removed = ids.length === 0 ? new Set<string>() : await ledger.listRemoved(context.run.jobId, ids);
  const stale: LedgerEntry[] = [];
  const take = async (document: Document, before: LedgerEntry | undefined, contentHash: string) => {
    const row = await takeDocument(listing, document, before, contentHash);
    const version = document.entry.version;
    if (!row && before && (before.member_count !== memberCount || before.source_version !== version))
      stale.push({
        ...before,
        member_count: memberCount,
        ...(version === undefined ? {} : { source_version: version }),
      });
    return row;
  };
  const rows: (Row | undefined)[] = [];
  if (!found.isContainer) rows.push(await take({ ...document, memberCount }, known, hash));
  else if (memberCount === 0) result.unchanged.push({ id, name: entry.name, reason: 'It holds no files' });
  for (const [index, inner] of documents.entries()) {
    const member = found.members[index]!;
    if (removed.has(inner.id)) await skipRemoved(listing, inner);
    else if (member.problem) result.failed.push({ id: inner.id, name: inner.entry.name, ...member.problem });
    else rows.push(await take(inner, knownById.get(inner.id), member.hash));
  }
  if (stale.length > 0) {
    await ledger.record(context.run.jobId, stale);
    await markSeen(listing, stale);
  }
  return rows;
}

/** A file within a file, with the access list of the file. */
function buildMember(
  { context }: Listing,
  { id: parentId, entry, ...access }: Document,
  { path: within, size }: FoundMember,
  memberCount: number,
): Document {
  const name = path.posix.basename(within);
  const relativePath = buildMemberPath(entry.relativePath, within);
  const { version: _parentVersion, ...inherited } = entry;
  const version = findVersion(entry);
  // Removing it must not remove the file that contains other members.
  const { file_id: _file, ...metadata } = entry.metadata;
  const memberEntry: SourceEntry = {
    ...inherited,
    relativePath,
    path: buildMemberPath(entry.path, within),
    name,
    mimetype: getMediaType(name),
    size,
    metadata: {
      ...metadata,
      relative_path: relativePath,
      extension: path.posix.extname(name).slice(1).toLowerCase(),
      parent_id: parentId,
      member_path: within,
    },
    ...(version === undefined ? {} : { version }),
  };
  return {
    ...access,
    id: computeDocumentId(memberEntry, context),
    entry: memberEntry,
    memberCount,
    member: { parentId, path: within },
  };
}

/** The media type by the extension. Only a hint, like that of a source: readers look at the bytes. */
function getMediaType(name: string): string {
  const format = detectFormat({ name, head: new Uint8Array() });
  const extension = path.posix.extname(name).slice(1).toLowerCase();
  if (format?.name !== 'image') return format?.mediaTypes[0] ?? 'application/octet-stream';
  return `image/${({ jpg: 'jpeg', tif: 'tiff' } as Record<string, string>)[extension] ?? extension}`;
}

/** The version of the file that contains a member: the same version means the same members. */
function findVersion({ version, size, modifiedTime }: SourceEntry): string | undefined {
  return version ?? (modifiedTime === '' ? undefined : `${size}/${modifiedTime}`);
}

async function markSeen({ context }: Listing, entries: readonly { id: string }[]): Promise<void> {
  const { jobId, runId } = context.run;
  await context.services.ledger.markSeen(
    jobId,
    runId,
    entries.map(({ id }) => id),
    context.operator,
  );
}

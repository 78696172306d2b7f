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
  getDocumentIdentifier,
  isSameVersion,
  isSettled,
  type Listing,
  skipRemoved,
  takeDocument,
} from './take';

/** The ledger entries of a file and of the files within it. */
interface Known {
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
export async function takeHolder(listing: Listing, document: Document, entries: Known): Promise<(Row | undefined)[]> {
  if (document.entry.skip || document.entry.failure) {
    await markSeen(listing, entries.members);
    return [await takeDocument(listing, document, entries.known)];
  }
  if (isWholeUnchanged(listing, document, entries)) return noteUnchanged(listing, document, entries);
  if (document.entry.size <= largeBytes) return open(listing, document, entries);
  const turn = listing.large.then(() => open(listing, document, entries));
  listing.large = turn.catch(() => undefined);
  return turn;
}

function isWholeUnchanged(listing: Listing, document: Document, { known, members }: Known): boolean {
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

async function noteUnchanged(listing: Listing, document: Document, { known, members }: Known): Promise<Row[]> {
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

async function open(listing: Listing, document: Document, entries: Known): Promise<(Row | undefined)[]> {
  const { context, provider, config, members: rules, result } = listing;
  const { entry, id } = document;
  const isContainer = findHolderKind(entry.name) === 'container';
  try {
    if (entry.size > rules.maxBytes) {
      if (!isContainer) return [await takeDocument(listing, document, entries.known)];
      throw new AppError(
        'DOCUMENT_TOO_LARGE',
        `The archive has ${entry.size} bytes; members.max_mb allows ${rules.maxBytes}.`,
      );
    }
    const bytes = await context.services.sources.read(provider, entry.path, config, context.signal);
    const digest = hash('sha256', bytes);
    const members = await find(listing, entry.name, bytes);
    return await takeAll(listing, document, entries, { hash: digest, found: members });
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof AppError) || !isOfDocument(error)) throw error;
    await markSeen(listing, entries.members);
    if (error.code === 'SOURCE_GONE' || (!isContainer && error.code !== 'SOURCE_UNREADABLE'))
      return [await takeDocument(listing, document, entries.known)];
    result.failed.push({ id, name: entry.name, code: error.code, message: error.message });
    return [];
  }
}

function isOfDocument({ code }: AppError): boolean {
  return errorCatalogue[code].scope === 'document';
}

const nothing: FoundMembers = { isContainer: false, members: [] };

async function find({ context, members: rules }: Listing, name: string, bytes: Uint8Array): Promise<FoundMembers> {
  const isTable = rules.tables && isLargeTable(name, bytes);
  if (!isTable && findHolderKind(name) !== 'container' && !mayEmbedFiles(bytes)) return nothing;
  return context.services.members.find({ name, bytes, rules }, context.signal);
}

async function takeAll(
  listing: Listing,
  document: Document,
  { known, members: earlier }: Known,
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
  const removed = ids.length === 0 ? new Set<string>() : await ledger.removed(context.run.jobId, ids);
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
  for (const [at, item] of documents.entries()) {
    const member = found.members[at]!;
    if (removed.has(item.id)) await skipRemoved(listing, item);
    else if (member.problem) result.failed.push({ id: item.id, name: item.entry.name, ...member.problem });
    else rows.push(await take(item, knownById.get(item.id), member.hash));
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
  const { version: _parent, ...rest } = entry;
  const version = findVersion(entry);
  // Removing it must not remove the file that contains other members.
  const { file_id: _file, ...metadata } = entry.metadata;
  const memberEntry: SourceEntry = {
    ...rest,
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
    id: getDocumentIdentifier(memberEntry, context),
    entry: memberEntry,
    memberCount,
    member: { parentId, path: within },
  };
}

/** By the extension; a hint, as that of a source. Readers look at the bytes. */
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
  );
}

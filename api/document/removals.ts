import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { AppError } from '../../model/errors';
import { RemovalId, RemovalPage, removalPlaces, RemovalReply } from '../../model/removal/wire';
import { DocumentId } from '../../model/search/wire';
import type { PlaceResult, RemovalRecord } from '../../services/removal/records';
import type { LedgerEntry } from '../../services/run/ledger';
import { buildPage, paging } from '../http/page';
import {
  type RequestContext,
  buildAsker,
  documentLibraryPolicy,
  may,
  read,
  removalPolicy,
  createDocumentNotFoundError,
} from '../http/policies';
import { reply, route } from '../http/route';
import { findReadable } from './whole';

/** After this time, a worker completes the removal. */
const patienceMs = 10_000;
const maxIds = 100;
type JobEntry = LedgerEntry & { job_id: string };

export const removeDocument = route({
  method: 'DELETE',
  path: '/api/v1/documents/{document_id}',
  group: 'Removals',
  summary: 'Removes a document from everywhere that its job put it, and keeps it away.',
  description:
    'By the id of the document or of one of its records; for the owner of the run that ingested it and for administrators. The source is not touched: later runs of the flow skip the document until the removal is restored. With `everywhere`, documents with the same bytes that other flows ingested go too, as far as you may remove them, and the file of a document library if it is yours. 202: a worker continues with the rest. The same request again gives the same receipt.',
  params: Type.Object({ document_id: DocumentId }),
  query: Type.Object({
    everywhere: Type.Optional(
      Type.Boolean({ default: false, description: 'Also documents with the same bytes, and the uploaded file.' }),
    ),
  }),
  replies: { 200: RemovalReply, 202: RemovalReply },
  errors: ['DOCUMENT_NOT_FOUND', 'FORBIDDEN', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ params: { document_id }, query: { everywhere = false }, baseUrl, ...context }) => {
    const { entries, receipt } = await findRemovable(document_id, context);
    if (receipt) return replyWithReceipt(receipt, baseUrl);
    const { removals } = context.services;
    const all = everywhere ? [...entries, ...(await listSameBytes(entries, context))] : entries;
    const record = await removals.removeDocuments(all, {
      user: context.user.username,
      withinMs: patienceMs,
      extra: everywhere ? { library_files: await removeLibraryFiles(all, context) } : {},
    });
    return replyWithReceipt(record, baseUrl);
  },
});

export const listRemovals = route({
  method: 'GET',
  path: '/api/v1/removals',
  summary: 'The removals that you requested, newest first. Administrators get all removals.',
  query: Type.Object(paging),
  replies: { 200: RemovalPage },
  handler: async ({ query: { limit = 100, offset = 0 }, url, ...context }) => {
    const { items, total } = await context.services.removals.list(buildAsker(context), { limit, offset });
    return buildPage(url, items.map(buildReceipt), { limit, offset, total });
  },
});

export const getRemoval = route({
  method: 'GET',
  path: '/api/v1/removals/{removal_id}',
  summary: 'The receipt of a removal: what was removed, and from where.',
  params: Type.Object({ removal_id: RemovalId }),
  replies: { 200: RemovalReply },
  errors: ['REMOVAL_NOT_FOUND'],
  handler: async ({ params: { removal_id }, ...context }) =>
    buildReceipt(await read(removalPolicy, removal_id, context)),
});

export const restoreRemoval = route({
  method: 'POST',
  path: '/api/v1/removals/{removal_id}/restore',
  operationId: 'restoreDocument',
  summary: 'Lets runs ingest removed documents again. Documents that are still in the source return with the next run.',
  params: Type.Object({ removal_id: RemovalId }),
  replies: { 200: RemovalReply },
  errors: ['REMOVAL_NOT_FOUND', 'REMOVAL_INVALID_STATE'],
  handler: async ({ params: { removal_id }, ...context }) => {
    const record = await read(removalPolicy, removal_id, context);
    if (record.state !== 'DONE')
      throw new AppError(
        'REMOVAL_INVALID_STATE',
        `The removal '${removal_id}' is ${record.state}; it can be restored once it is DONE.`,
      );
    return buildReceipt(await context.services.removals.restore(record));
  },
});

/**
 * The entries that the user may remove, or the receipt of an earlier removal. Throws FORBIDDEN if the user may only read the
 * document, and DOCUMENT_NOT_FOUND if not even that.
 */
async function findRemovable(
  id: string,
  context: RequestContext,
): Promise<{ entries: JobEntry[]; receipt?: RemovalRecord | undefined }> {
  const { user, services, options } = context;
  const readable = await findReadable(id, context).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'DOCUMENT_NOT_FOUND') return undefined;
    throw error;
  });
  const documentId = readable?.documentId ?? id;
  const mayRemove = ({ owner }: { owner?: string }) => owner === user.username || isAdmin(user, options.adminGroups);
  // Checked before the rights to read, because searches may still return documents that were just removed.
  for (const { removal_id, owner } of await services.removals.tombstones(documentId)) {
    const receipt = mayRemove({ owner }) ? await services.removals.get(removal_id) : undefined;
    if (receipt && receipt.restored_at === null) return { entries: [], receipt };
  }
  const entries = (await services.removals.entries(documentId)).filter(mayRemove);
  if (entries.length > 0) return { entries };
  if (readable)
    throw new AppError(
      'FORBIDDEN',
      'Only the owner of the run that ingested the document and administrators may remove it.',
    );
  throw createDocumentNotFoundError();
}

/** Documents with the same bytes that the user may remove; the existence of others is not revealed. */
async function listSameBytes(
  entries: readonly JobEntry[],
  { user, services, options }: RequestContext,
): Promise<JobEntry[]> {
  const buildKey = ({ job_id, id }: JobEntry) => `${job_id}/${id}`;
  const requestedKeys = new Set(entries.map(buildKey));
  const jobEntries: JobEntry[] = [];
  for (const hash of new Set(entries.map(({ content_hash }) => content_hash).filter(Boolean)))
    for (const entry of await services.removals.sameContent(hash))
      if (!requestedKeys.has(buildKey(entry)) && (entry.owner === user.username || isAdmin(user, options.adminGroups)))
        jobEntries.push(entry);
  return jobEntries;
}

async function removeLibraryFiles(entries: readonly JobEntry[], context: RequestContext): Promise<PlaceResult> {
  let removed = 0;
  let keptCount = 0;
  for (const { library_file: file } of entries) {
    if (!file) continue;
    const library = await documentLibraryPolicy.find(file.library_id, context);
    const isAllowed = library && (await may(documentLibraryPolicy, 'changeFiles', library, context));
    if (!isAllowed) keptCount += 1;
    else if (await context.services.libraryFiles.remove(file.library_id, file.file_id)) removed += 1;
  }
  return {
    removed,
    state: keptCount > 0 ? 'kept' : 'done',
    note: keptCount > 0 ? 'Uploaded files of libraries that are not yours stay.' : null,
  };
}

/** 202 while something waits for a worker. */
export function replyWithReceipt(record: RemovalRecord, baseUrl: string) {
  return reply(record.state === 'DONE' ? 200 : 202, buildReceipt(record), {
    Location: `${baseUrl}/api/v1/removals/${record.removal_id}`,
  });
}

function buildReceipt({ documents, places, job_id: _job, ...record }: RemovalRecord): RemovalReply {
  const ids = [...new Set(documents.map(({ document_id }) => document_id))];
  const results = removalPlaces.flatMap((place) => (places[place] ? [{ place, ...places[place] }] : []));
  return {
    ...record,
    document_ids: ids.slice(0, maxIds),
    documents: record.kind === 'flow' ? (places.ledger?.removed ?? 0) : ids.length,
    places: results,
  };
}

import { Type } from '@sinclair/typebox';
import {
  DocumentLibraryCreate,
  DocumentLibraryPage,
  DocumentLibraryPatch,
  DocumentLibraryReply,
  LibraryId,
  LibrarySetIds,
  LibrarySetPage,
  type LibrarySetReply,
} from '../../model/document-set/wire-libraries';
import { AppError } from '../../model/errors';
import type { DocumentLibraryRecord } from '../../services/document-set/document-libraries-store';
import type { DocumentSetRecord } from '../../services/document-set/document-sets-store';
import { buildPage, buildPageLinks, paging } from '../http/page';
import { type RequestContext, buildAsker, authorize, documentLibraryPolicy, read } from '../http/policies';
import { reply, route } from '../http/route';

const params = Type.Object({ library_id: LibraryId });
const idsInQuery = Type.Object({
  document_sets_ids: Type.Optional(
    Type.String({
      maxLength: 16_000,
      deprecated: true,
      description: 'Ids of document sets, separated by commas. For long lists, use the body.',
    }),
  ),
});

export const createDocumentLibrary = route({
  method: 'POST',
  path: '/api/v1/document-libraries',
  summary: 'Creates a library of document sets.',
  body: DocumentLibraryCreate,
  invalidBodyCode: 'DOCUMENT_LIBRARY_INVALID_DATA',
  replies: { 201: DocumentLibraryReply },
  errors: ['DOCUMENT_LIBRARY_INVALID_DATA', 'DOCUMENT_LIBRARY_ALREADY_EXISTS'],
  handler: async ({ body, ...context }) => {
    const { user, services } = context;
    const now = services.clock().toISOString();
    const library = await services.documentLibraries.create({
      library_id: services.newId(),
      name: body.name,
      description: body.description ?? null,
      purpose: body.purpose ?? null,
      original_size: body.original_size ?? null,
      final_size: body.final_size ?? null,
      tags: [...new Set(body.tags)],
      owner: user.username,
      readers: [...new Set(body.readers)],
      set_ids: [],
      created_by: user.username,
      created_at: now,
      updated_at: now,
    });
    return toLibraryReply(library, context);
  },
});

export const listDocumentLibraries = route({
  method: 'GET',
  path: '/api/v1/document-libraries',
  summary: 'Libraries that you own or may read, newest first.',
  query: Type.Object({
    ...paging,
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        pattern: '^[^\\u0000]*$',
        description: 'Part of the name, case-insensitive.',
      }),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 36,
        description: 'Repeatable; any may match.',
      }),
    ),
  }),
  replies: { 200: DocumentLibraryPage },
  handler: async ({ query, url, ...context }) => {
    const { services } = context;
    const { limit = 100, offset = 0, ...filters } = query;
    const { items, total } = await services.documentLibraries.list(buildAsker(context), {
      limit,
      offset,
      ...filters,
    });
    return buildPage(url, await Promise.all(items.map((library) => toLibraryReply(library, context))), {
      limit,
      offset,
      total,
    });
  },
});

export const getDocumentLibrary = route({
  method: 'GET',
  path: '/api/v1/document-libraries/{library_id}',
  summary: 'One library.',
  params,
  replies: { 200: DocumentLibraryReply },
  errors: ['DOCUMENT_LIBRARY_NOT_FOUND'],
  handler: async ({ params: { library_id }, ...context }) =>
    toLibraryReply(await read(documentLibraryPolicy, library_id, context), context),
});

export const patchDocumentLibrary = route({
  method: 'PATCH',
  path: '/api/v1/document-libraries/{library_id}',
  summary: 'Changes the given members; null clears a member.',
  description: 'For its owner and administrators.',
  params,
  body: DocumentLibraryPatch,
  invalidBodyCode: 'DOCUMENT_LIBRARY_INVALID_DATA',
  replies: { 200: DocumentLibraryReply },
  errors: [
    'DOCUMENT_LIBRARY_NOT_FOUND',
    'DOCUMENT_LIBRARY_INVALID_DATA',
    'DOCUMENT_LIBRARY_ALREADY_EXISTS',
    'FORBIDDEN',
  ],
  handler: async ({ params: { library_id }, body, ...context }) => {
    const { services } = context;
    await authorize(documentLibraryPolicy, 'change', library_id, context);
    const library = await services.documentLibraries.update(library_id, body);
    if (!library) throw documentLibraryPolicy.notFound(library_id);
    return toLibraryReply(library, context);
  },
});

export const deleteDocumentLibrary = route({
  method: 'DELETE',
  path: '/api/v1/document-libraries/{library_id}',
  summary: 'Deletes a library and its files; its document sets are kept.',
  description: 'For its owner and administrators.',
  params,
  replies: { 204: Type.Null() },
  errors: ['DOCUMENT_LIBRARY_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ params: { library_id }, ...context }) => {
    const { services } = context;
    await authorize(documentLibraryPolicy, 'change', library_id, context);
    // The library is removed first, so that nobody can add files to it.
    await services.documentLibraries.remove(library_id);
    await services.libraryUploads.removeLibrary(library_id);
    await services.libraryFiles.removeLibrary(library_id);
    return reply(204, null);
  },
});

export const addLibrarySets = route({
  method: 'PUT',
  path: '/api/v1/document-libraries/{library_id}/document-sets',
  operationId: 'addLibraryDocumentSets',
  summary: 'Adds document sets to a library: all of them or none.',
  description:
    'For its owner and administrators. Sets that are in the library already stay there; if all of them are, the reply is 200 with the unchanged library. If one does not exist or is listed twice, none is added.',
  params,
  query: idsInQuery,
  body: LibrarySetIds,
  invalidBodyCode: 'DOCUMENT_LIBRARY_INVALID_DATA',
  replies: { 200: DocumentLibraryReply, 204: Type.Null() },
  errors: ['DOCUMENT_LIBRARY_NOT_FOUND', 'DOCUMENT_SET_NOT_FOUND', 'DOCUMENT_LIBRARY_INVALID_DATA', 'FORBIDDEN'],
  handler: async ({ params: { library_id }, query, body, ...context }) => {
    const { services } = context;
    const ids = listIds(query, body);
    const library = await authorize(documentLibraryPolicy, 'change', library_id, context);
    const isChanged = await services.documentLibraries.addSets(buildAsker(context), library_id, ids);
    return isChanged ? reply(204, null) : reply(200, await toLibraryReply(library, context));
  },
});

export const removeLibrarySets = route({
  method: 'DELETE',
  path: '/api/v1/document-libraries/{library_id}/document-sets',
  operationId: 'removeLibraryDocumentSets',
  summary: 'Removes document sets from a library: all of them or none.',
  description: 'For its owner and administrators. The sets themselves are kept.',
  params,
  query: idsInQuery,
  body: LibrarySetIds,
  invalidBodyCode: 'DOCUMENT_LIBRARY_INVALID_DATA',
  replies: { 204: Type.Null() },
  errors: ['DOCUMENT_LIBRARY_NOT_FOUND', 'DOCUMENT_SET_NOT_FOUND', 'DOCUMENT_LIBRARY_INVALID_DATA', 'FORBIDDEN'],
  handler: async ({ params: { library_id }, query, body, ...context }) => {
    const { services } = context;
    const ids = listIds(query, body);
    await authorize(documentLibraryPolicy, 'change', library_id, context);
    await services.documentLibraries.removeSets(library_id, ids);
    return reply(204, null);
  },
});

export const listLibrarySets = route({
  method: 'GET',
  path: '/api/v1/document-libraries/{library_id}/document-sets',
  operationId: 'listLibraryDocumentSets',
  summary: 'The document sets of a library that you may see, newest first.',
  params,
  query: Type.Object(paging),
  replies: { 200: LibrarySetPage },
  errors: ['DOCUMENT_LIBRARY_NOT_FOUND'],
  handler: async ({ params: { library_id }, query, url, ...context }) => {
    const { services } = context;
    const { limit = 100, offset = 0 } = query;
    const { set_ids: ids } = await read(documentLibraryPolicy, library_id, context);
    const { items, total } = await services.documentSets.list(buildAsker(context), { limit, offset, ids });
    return {
      document_sets: items.map(toMemberReply),
      total,
      limit,
      offset,
      ...buildPageLinks(url, { limit, offset, total }),
    };
  },
});

/** The ids from body and query. Throws DOCUMENT_LIBRARY_INVALID_DATA if there are none or duplicates. */
function listIds(query: { document_sets_ids?: string }, body: LibrarySetIds): string[] {
  const input = [...(query.document_sets_ids?.split(',') ?? []), ...(body.document_set_ids ?? [])];
  const ids = input.map((id) => id.trim().toLowerCase()).filter((id) => id !== '');
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (ids.length > 0 && repeated.length === 0) return ids;
  throw new AppError(
    'DOCUMENT_LIBRARY_INVALID_DATA',
    ids.length === 0
      ? 'No document set is named; expected `document_set_ids` in the body or `document_sets_ids` in the query.'
      : `Document sets are listed more than once: ${[...new Set(repeated)].join(', ')}.`,
    { target: { type: 'parameter', name: 'document_sets_ids' } },
  );
}

/** Linked sets that the user may not see are not counted. */
async function toLibraryReply(
  { set_ids, ...library }: DocumentLibraryRecord,
  context: RequestContext & { baseUrl: string },
): Promise<DocumentLibraryReply> {
  return {
    ...library,
    document_set_count: await context.services.documentSets.countVisible(buildAsker(context), set_ids),
    href: `${context.baseUrl}/api/v1/document-libraries/${library.library_id}`,
  };
}

function toMemberReply({ id, name, description, metadata, totals }: DocumentSetRecord): LibrarySetReply {
  const toText = (value: unknown) => (typeof value === 'string' ? value : null);
  const toBoolean = (value: unknown) => (typeof value === 'boolean' ? value : null);
  const { tags: labels } = metadata;
  return {
    id,
    name,
    container_id: toText(metadata['container_id']),
    container_type: toText(metadata['container_type']),
    description,
    documents: { size: totals.size, count: totals.documents },
    tags: Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [],
    propagate_source_acls: toBoolean(metadata['propagate_source_acls']),
    is_derivative_available: toBoolean(metadata['is_derivative_available']),
  };
}

import { Type } from '@sinclair/typebox';
import {
  DocumentSetCreate,
  DocumentSetPage,
  DocumentSetPatch,
  DocumentSetPreview,
  DocumentSetReply,
  SetId,
} from '../../model/document-set/wire';
import { DocumentSetsBulk } from '../../model/document-set/wire-bulk';
import { AppError } from '../../model/errors';
import { BulkReply } from '../../model/wire-bulk';
import type { DocumentSetRecord } from '../../services/document-set/document-sets-store';
import { applyToItems } from '../http/bulk';
import { buildChoice, columnChoice, replyWithRows, rowFileQuery, rowFileReplies } from '../http/columns';
import { buildPageLinks } from '../http/page';
import { buildAsker, authorize, documentSetPolicy, read, type RequestContext } from '../http/policies';
import { reply, route } from '../http/route';

const params = Type.Object({ set_id: SetId });
const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
};
export const createDocumentSet = route({
  method: 'POST',
  path: '/api/v1/document-sets',
  summary: 'Creates a document set, or returns yours with that name.',
  description: '201 if it was created; 200 with the unchanged set if you already have one with that name.',
  body: DocumentSetCreate,
  invalidBodyCode: 'DOCUMENT_SET_INVALID_DATA',
  replies: { 201: DocumentSetReply, 200: DocumentSetReply },
  errors: ['DOCUMENT_SET_INVALID_DATA'],
  handler: async ({ body, user, services }) => {
    const { set, created } = await services.documentSets.getOrCreate({
      ...body,
      metadata: body.metadata ?? {},
      owner: user.username,
    });
    return reply(created ? 201 : 200, toReply(set));
  },
});

export const listDocumentSets = route({
  method: 'GET',
  path: '/api/v1/document-sets',
  summary: 'Document sets that you own or may read, newest first.',
  query: Type.Object({
    ...paging,
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        pattern: '^[^\\u0000]*$',
        description: 'Part of the name, case-insensitive.',
      }),
    ),
  }),
  replies: { 200: DocumentSetPage },
  handler: async ({ query, url, ...context }) => {
    const { services } = context;
    const { limit = 100, offset = 0, name } = query;
    const { items, total } = await services.documentSets.list(buildAsker(context), { limit, offset, name });
    return { items: items.map(toReply), total, limit, offset, ...buildPageLinks(url, { limit, offset, total }) };
  },
});

export const getDocumentSet = route({
  method: 'GET',
  path: '/api/v1/document-sets/{set_id}',
  summary: 'One document set with its totals.',
  params,
  replies: { 200: DocumentSetReply },
  errors: ['DOCUMENT_SET_NOT_FOUND'],
  handler: async ({ params: { set_id }, ...context }) => toReply(await read(documentSetPolicy, set_id, context)),
});

export const patchDocumentSet = route({
  method: 'PATCH',
  path: '/api/v1/document-sets/{set_id}',
  summary: 'Changes description, metadata or readers of a document set.',
  description: 'For its owner and administrators. The name cannot be changed.',
  params,
  body: DocumentSetPatch,
  invalidBodyCode: 'DOCUMENT_SET_INVALID_DATA',
  replies: { 200: DocumentSetReply },
  errors: ['DOCUMENT_SET_NOT_FOUND', 'DOCUMENT_SET_INVALID_DATA', 'FORBIDDEN'],
  handler: async ({ params: { set_id }, body, ...context }) => toReply(await changeSet(set_id, body, context)),
});

export const deleteDocumentSet = route({
  method: 'DELETE',
  path: '/api/v1/document-sets/{set_id}',
  summary: 'Deletes a document set and its rows, and removes it from every library.',
  description: 'For its owner and administrators. `delete_data=false` keeps the Parquet files in the object store.',
  params,
  query: Type.Object({ delete_data: Type.Optional(Type.Boolean({ default: true })) }),
  replies: { 204: Type.Null() },
  errors: ['DOCUMENT_SET_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ params: { set_id }, query, ...context }) => {
    await deleteSet(set_id, query.delete_data === false, context);
    return reply(204, null);
  },
});

export const changeDocumentSets = route({
  method: 'POST',
  path: '/api/v1/document-sets/bulk',
  operationId: 'changeDocumentSets',
  summary: 'Deletes up to 100 document sets and their rows, or chooses who may read them.',
  description:
    'Each set is handled like a request for a single one, with the same rights; the reply has the outcome of each. `share` sets `readers`.',
  body: DocumentSetsBulk,
  invalidBodyCode: 'DOCUMENT_SET_INVALID_DATA',
  replies: { 200: BulkReply },
  errors: ['DOCUMENT_SET_INVALID_DATA'],
  handler: ({ body: { action, set_ids, readers }, asRequest, ...context }) => {
    if ((action === 'share') !== (readers !== undefined))
      throw new AppError(
        'DOCUMENT_SET_INVALID_DATA',
        "Send the field 'readers' with the action 'share', and only with it.",
        {
          target: { type: 'field', name: 'readers' },
        },
      );
    const request = readers === undefined ? deleteDocumentSet : patchDocumentSet;
    const act = async (set_id: string) => {
      await asRequest(request, { params: { set_id }, body: readers && { readers } }, async () =>
        readers === undefined ? deleteSet(set_id, false, context) : changeSet(set_id, { readers }, context),
      );
      return undefined;
    };
    return applyToItems(set_ids, { getId: (id) => id, act }, context);
  },
});

async function changeSet(
  setId: string,
  { metadata, readers, ...change }: DocumentSetPatch,
  context: RequestContext,
): Promise<DocumentSetRecord> {
  await authorize(documentSetPolicy, 'change', setId, context);
  const set = await context.services.documentSets.update(buildAsker(context), setId, {
    ...change,
    ...(metadata ? { metadata } : {}),
    ...(readers ? { readers: [...new Set(readers)] } : {}),
  });
  if (!set) throw documentSetPolicy.notFound(setId);
  return set;
}

async function deleteSet(setId: string, keepsData: boolean, context: RequestContext): Promise<void> {
  const { services } = context;
  await authorize(documentSetPolicy, 'change', setId, context);
  // Unlink before, so that no library refers to a partially deleted set, and after, in case it was linked during the deletion.
  await services.documentLibraries.unlinkEverywhere(setId);
  await services.documentSets.remove(setId, keepsData);
  await services.documentLibraries.unlinkEverywhere(setId);
}

export const previewDocumentSet = route({
  method: 'GET',
  path: '/api/v1/document-sets/{set_id}/preview',
  operationId: 'previewDocumentSet',
  audit: 'read',
  summary: 'Rows of a document set whose access list names you, in the order they were stored.',
  params,
  query: Type.Object({ ...paging, ...columnChoice }),
  replies: { 200: DocumentSetPreview },
  errors: ['DOCUMENT_SET_NOT_FOUND', 'VALIDATION_ERROR'],
  handler: async ({ params: { set_id }, query, ...context }) => {
    const { user, services } = context;
    const { limit = 100, offset = 0 } = query;
    await read(documentSetPolicy, set_id, context);
    const columns = await services.documentSets.listColumns(user, set_id, buildChoice(query));
    const { rows, totalRows } = await services.documentSets.preview(user, set_id, { columns, limit, offset });
    return { columns, data: rows, total_rows: totalRows, limit, offset, has_more: offset + limit < totalRows };
  },
});

export const exportDocumentSet = route({
  method: 'GET',
  path: '/api/v1/document-sets/{set_id}/export',
  operationId: 'exportDocumentSet',
  audit: 'read',
  summary: 'All rows of a document set whose access list names you, as a single file.',
  params,
  query: Type.Object(rowFileQuery),
  replies: rowFileReplies,
  errors: ['DOCUMENT_SET_NOT_FOUND', 'VALIDATION_ERROR'],
  handler: async ({ params: { set_id }, query, ...context }) => {
    const { user, services } = context;
    const set = await read(documentSetPolicy, set_id, context);
    const columns = await services.documentSets.listColumns(user, set_id, buildChoice(query));
    const pages = services.documentSets.readAll(user, set_id, columns);
    return replyWithRows({ columns, pages }, query, {
      attachment: (extension) => ({ 'Content-Disposition': `attachment; filename="${set.name}.${extension}"` }),
      exportRows: services.exportRows,
    });
  },
});

function toReply({ totals, ...set }: DocumentSetRecord): DocumentSetReply {
  return {
    ...set,
    storage_backend: 'parquet',
    database_path: `sets/${set.id}`,
    table_name: set.name,
    total_documents: totals.documents,
    total_rows: totals.rows,
    total_size_bytes: totals.size,
    total_pages: totals.pages,
  };
}

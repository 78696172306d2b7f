import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { uuidPattern } from '../uuid';
import { count, nullableText, pageSchema } from '../wire-parts';
import { Readers } from './wire';

/** The path parameter `library_id`: a UUID in lower case. */
export const LibraryId = Type.String({
  pattern: uuidPattern,
  description: 'UUID in lower case.',
});

const name = Type.String({
  minLength: 3,
  maxLength: 128,
  pattern: '^[A-Za-z][A-Za-z0-9_ -]*$',
  description: 'Begins with a letter; letters, digits, underscore, hyphen and blanks. Unique among your libraries.',
});
const defineNullable = (maxLength: number) => Type.Union([Type.String({ maxLength }), Type.Null()]);
const bytes = Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]);
const tags = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 });

const fields = {
  description: Type.Optional(defineNullable(2_000)),
  purpose: Type.Optional(defineNullable(1_024)),
  original_size: Type.Optional(bytes),
  final_size: Type.Optional(bytes),
  tags: Type.Optional(tags),
  readers: Type.Optional(Readers),
};

/** Request body for creating a library. */
export const DocumentLibraryCreate = closedObject('DocumentLibraryCreate', { name, ...fields });
export type DocumentLibraryCreate = Static<typeof DocumentLibraryCreate>;

/** Changes to a library: absent members stay unchanged, null clears a member. */
export const DocumentLibraryPatch = Type.Object(
  { name: Type.Optional(name), ...fields },
  { $id: 'DocumentLibraryPatch', additionalProperties: false, minProperties: 1 },
);
export type DocumentLibraryPatch = Static<typeof DocumentLibraryPatch>;

/** A stored library. */
export const DocumentLibraryReply = closedObject('DocumentLibrary', {
  library_id: LibraryId,
  name: Type.String(),
  description: nullableText,
  purpose: nullableText,
  original_size: bytes,
  final_size: bytes,
  tags: Type.Array(Type.String()),
  owner: Type.String(),
  readers: Type.Array(Type.String()),
  document_set_count: Type.Integer({ minimum: 0, description: 'Linked sets that you may see.' }),
  created_by: Type.String(),
  href: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type DocumentLibraryReply = Static<typeof DocumentLibraryReply>;

/** One page of libraries; the links are absolute and keep the filters. */
export const DocumentLibraryPage = pageSchema(DocumentLibraryReply, 'DocumentLibraryPage');
export type DocumentLibraryPage = Static<typeof DocumentLibraryPage>;

/** A document set in a library. `container_id` and all members after it come from the set's metadata. */
export const LibrarySetReply = closedObject('LibraryDocumentSet', {
  id: Type.String(),
  name: Type.String(),
  container_id: nullableText,
  container_type: nullableText,
  description: nullableText,
  documents: Type.Object({ size: count, count }),
  tags: Type.Array(Type.String()),
  propagate_source_acls: Type.Union([Type.Boolean(), Type.Null()]),
  is_derivative_available: Type.Union([Type.Boolean(), Type.Null()]),
});
export type LibrarySetReply = Static<typeof LibrarySetReply>;

/** The sets of a library that the user may see. */
export const LibrarySetPage = closedObject('LibraryDocumentSetPage', {
  document_sets: Type.Array(LibrarySetReply),
  total: count,
  limit: Type.Integer({ minimum: 1 }),
  offset: count,
  first: Type.String(),
  next: nullableText,
  prev: nullableText,
});
export type LibrarySetPage = Static<typeof LibrarySetPage>;

/** Ids of sets to add or remove; either all are changed or none. May be sent in the query instead. */
export const LibrarySetIds = closedObject('LibraryDocumentSetIds', {
  document_set_ids: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 10_000 })),
});
export type LibrarySetIds = Static<typeof LibrarySetIds>;

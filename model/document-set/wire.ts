import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { UserName } from '../login/user-name';
import { uuidPattern } from '../uuid';
import { count, nullableText, pageSchema } from '../wire-parts';
import { documentSetNamePattern } from './document-set';

/** The path parameter `set_id`: a UUID in lower case. */
export const SetId = Type.String({
  pattern: uuidPattern,
  description: 'UUID in lower case.',
});

const description = Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()]);
const metadata = Type.Record(Type.String({ maxLength: 256 }), Type.Unknown(), {
  maxProperties: 100,
  description: 'Free-form metadata.',
});
/** Names of users other than the owner who may read a resource. */
export const Readers = Type.Array(UserName, {
  maxItems: 1_000,
  description: 'User names of people who may read it, in addition to the owner.',
});
const retainDeleted = Type.Union([Type.Boolean(), Type.Null()], {
  description:
    'Whether the rows of documents that are gone from their source are kept. With null (the default), `global_config` of the flow decides. `retain_deleted_docs` of the writing operator takes precedence.',
});

/** Request body for creating a document set, or finding your own set of that name. */
export const DocumentSetCreate = closedObject('DocumentSetCreate', {
  name: Type.String({
    pattern: documentSetNamePattern,
    description: 'Letters, digits, underscore and hyphen; under 255 characters. Unique among your sets.',
  }),
  description: Type.Optional(description),
  metadata: Type.Optional(Type.Union([metadata, Type.Null()])),
  readers: Type.Optional(Readers),
  retain_deleted_docs: Type.Optional(retainDeleted),
});
export type DocumentSetCreate = Static<typeof DocumentSetCreate>;

/** The changeable members of a document set. The name cannot change. */
export const DocumentSetPatch = Type.Object(
  {
    description: Type.Optional(
      Type.Union(description.anyOf, { description: 'At most 2,000 characters; null clears it.' }),
    ),
    metadata: Type.Optional(
      Type.Union([metadata, Type.Null()], { description: 'Replaces the stored value. {} clears it, null keeps it.' }),
    ),
    readers: Type.Optional(Readers),
    retain_deleted_docs: Type.Optional(retainDeleted),
  },
  { $id: 'DocumentSetPatch', additionalProperties: false, minProperties: 1 },
);
export type DocumentSetPatch = Static<typeof DocumentSetPatch>;

/** A stored document set. Its totals count only the rows that the user may read. */
export const DocumentSetReply = closedObject('DocumentSet', {
  id: SetId,
  name: Type.String(),
  description: nullableText,
  owner: Type.String(),
  readers: Type.Array(Type.String()),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  retain_deleted_docs: retainDeleted,
  storage_backend: Type.String({ description: 'Storage format of the rows: parquet.' }),
  database_path: Type.String({ description: 'Prefix of the row files in the object store.' }),
  table_name: Type.String(),
  total_documents: Type.Integer({
    minimum: 0,
    description: 'Number of documents with rows that you may read. Chunks of one document count once.',
  }),
  total_rows: Type.Integer({ minimum: 0, description: 'Rows that you may read.' }),
  total_size_bytes: count,
  total_pages: count,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type DocumentSetReply = Static<typeof DocumentSetReply>;

/** One page of document sets; the links are absolute and keep the filters. */
export const DocumentSetPage = pageSchema(DocumentSetReply, 'DocumentSetPage');
export type DocumentSetPage = Static<typeof DocumentSetPage>;

/** Rows of a set that the user may read. `total_rows` counts only those. */
export const DocumentSetPreview = closedObject('DocumentSetPreview', {
  columns: Type.Array(Type.String(), { description: 'The columns of `data`, in their order.' }),
  data: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  total_rows: count,
  limit: Type.Integer({ minimum: 1 }),
  offset: count,
  has_more: Type.Boolean(),
});
export type DocumentSetPreview = Static<typeof DocumentSetPreview>;

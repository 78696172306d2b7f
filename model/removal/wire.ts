import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { pageSchema } from '../wire-parts';

/** All places that may store parts of a document, in the order of removal. */
export const removalPlaces = [
  'indexes',
  'vector_stores',
  'exported_files',
  'document_sets',
  'tables',
  'kept_files',
  'graphs',
  'embedding_cache',
  'failed_documents',
  'runs',
  'library_files',
  'ledger',
] as const;
export type RemovalPlace = (typeof removalPlaces)[number];

export const RemovalId = Type.String({ pattern: '^[a-zA-Z0-9-]{1,64}$' });

/** The result of the removal at one place. */
export const RemovalPlaceReply = closedObject('RemovalPlace', {
  place: literals(removalPlaces),
  removed: Type.Integer({ minimum: 0, description: 'The number of removed records, rows or files.' }),
  state: Type.Union([Type.Literal('done'), Type.Literal('waiting'), Type.Literal('kept')], {
    description: '`waiting`: a worker tries it again every ten minutes. `kept`: you may not remove it.',
  }),
  note: Type.Union([Type.String(), Type.Null()], { description: 'Why it waits or was kept.' }),
});
export type RemovalPlaceReply = Static<typeof RemovalPlaceReply>;

/** The receipt of a removal: what was removed from each place, without document text. */
export const RemovalReply = closedObject('Removal', {
  removal_id: RemovalId,
  kind: Type.Union([Type.Literal('document'), Type.Literal('flow')]),
  state: Type.Union([Type.Literal('WORKING'), Type.Literal('DONE')]),
  document_ids: Type.Array(Type.String(), {
    description: 'The documents to remove; for a flow, the first 100.',
  }),
  documents: Type.Integer({ minimum: 0 }),
  requested_by: Type.String(),
  requested_at: Type.String({ format: 'date-time' }),
  finished_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  restored_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'The time since which runs may ingest the documents again.',
  }),
  places: Type.Array(RemovalPlaceReply),
});
export type RemovalReply = Static<typeof RemovalReply>;

export const RemovalPage = pageSchema(RemovalReply, 'RemovalPage');
export type RemovalPage = Static<typeof RemovalPage>;

import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { count, isoTime } from '../wire-parts';

/** Whether runs will retry a failed document, and whether it needs attention. */
export const FailureState = Type.Union([Type.Literal('failed'), Type.Literal('left_out'), Type.Literal('ignored')], {
  description:
    '`left_out` documents are skipped by runs until they change. Runs retry `ignored` ones; if one fails with another code, it is `failed` again.',
});

/** A document whose last attempt failed. */
export const FailedDocumentReply = closedObject('FailedDocument', {
  id: Type.String({ description: 'For the other routes of failed documents.' }),
  document_id: Type.String(),
  name: Type.String(),
  flow_id: Type.String(),
  flow_name: Type.String(),
  owner: Type.String(),
  job_run_id: Type.String({ description: 'The run in which it failed last.' }),
  operator: Type.String(),
  code: Type.String(),
  message: Type.String(),
  state: FailureState,
  first_failed_at: isoTime,
  failed_at: isoTime,
});
export type FailedDocumentReply = Static<typeof FailedDocumentReply>;

/** One failed document, and which of its files its owner may open. */
export const FailedDocumentDetail = Type.Composite(
  [
    Type.Omit(FailedDocumentReply, []),
    Type.Object({
      meaning: Type.String({ description: 'What the code means.' }),
      forms: Type.Array(Type.Union([Type.Literal('original'), Type.Literal('markdown')]), {
        description: '`markdown` if the document was converted before it failed.',
      }),
      page_count: Type.Union([count, Type.Null()], {
        description: 'Of PDF files and images; null if the pages cannot be shown.',
      }),
      not_shown: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()], {
        description: 'Why the pages of a PDF file or an image cannot be shown.',
      }),
    }),
  ],
  { $id: 'FailedDocumentDetail', additionalProperties: false },
);
export type FailedDocumentDetail = Static<typeof FailedDocumentDetail>;

/** One page of failed documents, newest first. */
export const FailedDocumentPage = closedObject('FailedDocumentPage', {
  documents: Type.Array(FailedDocumentReply),
  total: count,
  limit: count,
  offset: count,
});
export type FailedDocumentPage = Static<typeof FailedDocumentPage>;

/** Counts of failed documents, largest first. */
export const FailedDocumentGroups = closedObject('FailedDocumentGroups', {
  by: Type.Union([Type.Literal('code'), Type.Literal('operator'), Type.Literal('flow_id')]),
  groups: Type.Array(
    Type.Object({
      key: Type.String(),
      name: Type.String({ description: 'For people: what the code means, or the name of the flow.' }),
      count,
    }),
  ),
  total: count,
});
export type FailedDocumentGroups = Static<typeof FailedDocumentGroups>;

/** The failed documents that a change applies to: those named, or all that match. */
export const FailedDocumentChoice = Type.Object(
  {
    ids: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 1_000 })),
    code: Type.Optional(Type.String({ maxLength: 100 })),
    operator: Type.Optional(Type.String({ maxLength: 255 })),
    flow_id: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { $id: 'FailedDocumentChoice', additionalProperties: false, minProperties: 1 },
);
export type FailedDocumentChoice = Static<typeof FailedDocumentChoice>;

/** Result of a retry: the started runs, and the documents that could not be retried. */
export const FailedDocumentsRetried = closedObject('FailedDocumentsRetried', {
  runs: Type.Array(Type.Object({ job_run_id: Type.String(), flow_name: Type.String(), documents: count })),
  refused: Type.Array(
    Type.Object({ job_run_id: Type.String(), documents: count, code: Type.String(), message: Type.String() }),
  ),
});
export type FailedDocumentsRetried = Static<typeof FailedDocumentsRetried>;

/** A selection of failed documents, and their new state. */
export const FailedDocumentsLeave = Type.Composite(
  [
    Type.Omit(FailedDocumentChoice, []),
    Type.Object({
      leave_out: Type.Boolean({ description: 'True to skip them until they change, false to include them again.' }),
    }),
  ],
  { $id: 'FailedDocumentsLeave', additionalProperties: false, minProperties: 2 },
);
export type FailedDocumentsLeave = Static<typeof FailedDocumentsLeave>;

/** A selection of failed documents, and whether they are ignored. */
export const FailedDocumentsIgnore = Type.Composite(
  [
    Type.Omit(FailedDocumentChoice, []),
    Type.Object({ ignore: Type.Boolean({ description: 'False to list them as failed again.' }) }),
  ],
  { $id: 'FailedDocumentsIgnore', additionalProperties: false, minProperties: 2 },
);
export type FailedDocumentsIgnore = Static<typeof FailedDocumentsIgnore>;

/** The number of changed documents. */
export const FailedDocumentsChanged = closedObject('FailedDocumentsChanged', { changed: count });
export type FailedDocumentsChanged = Static<typeof FailedDocumentsChanged>;

import { type Static, Type } from '@sinclair/typebox';
import { count } from '../wire-parts';

/** A failed or skipped document, with the operator and the reason. */
export const RunDocumentReply = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    operator: Type.String(),
    outcome: Type.Union([Type.Literal('failed'), Type.Literal('skipped')]),
    code: Type.String(),
    message: Type.String(),
    failed_id: Type.Optional(
      Type.String({
        description:
          'For the routes of failed documents, which open it. Only if you may, and if no later run has succeeded with the document.',
      }),
    ),
  },
  { $id: 'RunDocument', additionalProperties: false },
);
export type RunDocumentReply = Static<typeof RunDocumentReply>;

/** One page of the failed and skipped documents of a run. */
export const RunDocumentPage = Type.Object(
  { documents: Type.Array(RunDocumentReply), total: count, limit: count, offset: count },
  { $id: 'RunDocumentPage' },
);
export type RunDocumentPage = Static<typeof RunDocumentPage>;

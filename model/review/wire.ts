import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { count, isoTime } from '../wire-parts';
import { doubtCodes } from './quality';

/** The outcome of a doubtful document. */
export const ReviewStateName = Type.Union([Type.Literal('open'), Type.Literal('accepted'), Type.Literal('corrected')], {
  description:
    '`open` means that nobody has decided yet. A decision is valid until the content of the document changes.',
});

/** Why a document is in the queue. */
export const DoubtCodeName = literals(doubtCodes, {
  description:
    '`low_confidence`: pages below `review_below` of the operator; `pages_unread`: pages that could not be read; `content_left_out`: content of the file that is not in the text; `recognition`: text recognition reports a problem.',
});

/** A document whose conversion is doubtful. */
export const ReviewReply = closedObject('Review', {
  id: Type.String({ description: 'For the other routes of the review queue.' }),
  document_id: Type.String(),
  name: Type.String(),
  version: Type.String({ description: 'Identifies the content that the review is about.' }),
  flow_id: Type.String(),
  flow_name: Type.String(),
  owner: Type.String(),
  job_run_id: Type.String({ description: 'The run that converted it last.' }),
  operator: Type.String(),
  pages: count,
  confidence: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
    description: 'How sure the reader is of the whole document; null where it has no scores.',
  }),
  doubts: Type.Array(
    Type.Object({
      code: DoubtCodeName,
      message: Type.String(),
      pages: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }))),
    }),
  ),
  state: ReviewStateName,
  found_at: isoTime,
  decided_at: Type.Union([isoTime, Type.Null()]),
  decided_by: Type.Union([Type.String(), Type.Null()]),
});
export type ReviewReply = Static<typeof ReviewReply>;

/** One page of the review queue, the most recently found first. */
export const ReviewPage = closedObject('ReviewPage', {
  reviews: Type.Array(ReviewReply),
  total: count,
  limit: count,
  offset: count,
});
export type ReviewPage = Static<typeof ReviewPage>;

/** Documents whose text is right as it is. */
export const ReviewsAccept = closedObject('ReviewsAccept', {
  ids: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 1_000 }),
  accept: Type.Optional(Type.Boolean({ default: true, description: 'False puts them back into the queue.' })),
});
export type ReviewsAccept = Static<typeof ReviewsAccept>;

/** The number of documents that changed their state. */
export const ReviewsChanged = closedObject('ReviewsChanged', { changed: count });

/** The text that replaces a conversion. */
export const ReviewCorrection = closedObject('ReviewCorrection', {
  markdown: Type.String({
    minLength: 1,
    maxLength: 4_000_000,
    pattern: '\\S',
    description: 'The whole document as Markdown.',
  }),
  version: Type.String({
    maxLength: 200,
    description: 'The `version` of the review that was corrected; CONFLICT if the document has changed since.',
  }),
});
export type ReviewCorrection = Static<typeof ReviewCorrection>;

/** The run that continues with a corrected document, or the reason why none was started. */
export const ReviewCorrected = closedObject('ReviewCorrected', {
  job_run_id: Type.Union([Type.String(), Type.Null()]),
  refused: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()], {
    description: 'The correction is stored anyway, and the next run that reads the document applies it.',
  }),
});
export type ReviewCorrected = Static<typeof ReviewCorrected>;

import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { AppError, asAppError, spellCode } from '../../model/errors';
import {
  DoubtCodeName,
  ReviewCorrected,
  ReviewCorrection,
  ReviewPage,
  ReviewReply,
  ReviewsAccept,
  ReviewsChanged,
  ReviewStateName,
} from '../../model/review/wire';
import { buildCorrectionKey, buildKeptKey } from '../../model/run/kept-document';
import type { Review } from '../../services/review/reviews';
import { listReadableEntries } from '../document/whole';
import { paging } from '../http/page';
import { type RequestContext, authorize, flowPolicy } from '../http/policies';
import { reply, route } from '../http/route';
import { mayNameDocuments, withheldName } from '../run/names';
import { repeatDocuments, requireRepeat } from '../run/repeat';

const params = Type.Object({ review_id: Type.String({ minLength: 1, maxLength: 100 }) });
const forOwners =
  'For the owner of the run, if the access list of the document names them; for all others, administrators among them, it is as if there were no such review.';
const errors = ['REVIEW_NOT_FOUND', 'DATABASE_UNAVAILABLE'] as const;

export const listReviews = route({
  method: 'GET',
  path: '/api/v1/reviews',
  summary: 'Documents with a doubtful conversion, from all your runs.',
  description:
    'A document leaves the list when it changes and its conversion is no longer doubtful, or when it is gone. Administrators see those of others without names.',
  query: Type.Object({
    ...paging,
    state: Type.Optional(ReviewStateName),
    code: Type.Optional(DoubtCodeName),
    flow_id: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  replies: { 200: ReviewPage },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ query: { limit = 100, offset = 0, ...filter }, user, services, options }) => {
    const everyone = isAdmin(user, options.adminGroups);
    const { items, total } = await services.reviews.list(user, { ...filter, everyone }, { limit, offset });
    const reviews = items.map((item) =>
      mayNameDocuments(item, user) ? toReply(item) : { ...toReply(item), name: withheldName },
    );
    return { reviews, total, limit, offset };
  },
});

export const getReview = route({
  method: 'GET',
  path: '/api/v1/reviews/{review_id}',
  summary: 'One document of the review queue.',
  description: forOwners,
  params,
  replies: { 200: ReviewReply },
  errors,
  handler: async ({ params: { review_id: id }, ...context }) => toReply(await findReview(id, context)),
});

export const getReviewMarkdown = route({
  method: 'GET',
  path: '/api/v1/reviews/{review_id}/markdown',
  audit: 'read',
  summary: 'The Markdown of the document: the correction if there is one, otherwise the conversion.',
  description: forOwners,
  params,
  replies: { 200: Type.Unsafe<Readable>({ type: 'string', contentMediaType: 'text/markdown' }) },
  errors: [...errors, 'DOCUMENT_FORM_NOT_FOUND'],
  handler: async ({ params: { review_id: id }, ...context }) => {
    const review = await findReview(id, context);
    const { job_id, document_id, version } = review;
    const keys = [getCorrectionKey(review), buildKeptKey(job_id, document_id, version, 'markdown')];
    for (const key of keys) {
      if (!(await context.services.keptDocuments.exists(key))) continue;
      const bytes = await context.services.keptDocuments.open(key);
      if (bytes.readableLength === 0) await once(bytes, 'readable');
      const headers = { 'Content-Type': 'text/markdown; charset=utf-8', 'Cache-Control': 'private, no-store' };
      return reply(200, bytes, headers);
    }
    throw new AppError(
      'DOCUMENT_FORM_NOT_FOUND',
      'The Markdown of the document is no longer stored; run its flow again.',
    );
  },
});

export const acceptReviews = route({
  method: 'POST',
  path: '/api/v1/reviews/accept',
  summary: 'Accepts conversions as they are, or returns documents to the queue.',
  description: 'Your own documents only. A correction stays in force until it is discarded.',
  body: ReviewsAccept,
  replies: { 200: ReviewsChanged },
  errors: ['DATABASE_UNAVAILABLE'],
  handler: async ({ body: { ids, accept = true }, user, services }) => {
    const [before, after] = accept ? (['open', 'accepted'] as const) : (['accepted', 'open'] as const);
    return { changed: await services.reviews.decide(user, { ids, state: before }, after) };
  },
});

export const correctReview = route({
  method: 'PUT',
  path: '/api/v1/reviews/{review_id}/correction',
  summary: 'Replaces the converted text of a document and processes the document with it.',
  description: `From now on, runs of the flow read this Markdown in place of the file, until the file changes. A run of this document alone updates what the flow writes: indexes, document sets, graphs. The text has no pages, so passages found in it name none. ${forOwners} They must be allowed to change the flow.`,
  params,
  body: ReviewCorrection,
  replies: { 200: ReviewCorrected },
  errors: [...errors, 'CONFLICT', 'FORBIDDEN', 'FLOW_NOT_FOUND'],
  handler: async ({ params: { review_id: id }, body: { markdown, version }, ...context }) => {
    const review = await findReview(id, context);
    requireVersion(review, version);
    const bytes = new TextEncoder().encode(markdown);
    return changeText(review, context, {
      state: 'corrected',
      change: () => context.services.keptDocuments.put(getCorrectionKey(review), bytes),
    });
  },
});

export const discardCorrection = route({
  method: 'DELETE',
  path: '/api/v1/reviews/{review_id}/correction',
  summary: 'Discards a correction and processes the document with its converted text.',
  description: forOwners,
  params,
  replies: { 200: ReviewCorrected },
  errors: [...errors, 'FORBIDDEN', 'FLOW_NOT_FOUND'],
  handler: async ({ params: { review_id: id }, ...context }) => {
    const review = await findReview(id, context);
    if (review.state !== 'corrected') return { job_run_id: null, refused: null };
    return changeText(review, context, {
      state: 'open',
      change: () => context.services.keptDocuments.removePrefix(getCorrectionKey(review)),
    });
  },
});

/** Stores the change before the run that reads it starts, so that a failed start does not lose the change. */
async function changeText(
  { id, version, flow_id, job_run_id: runId, document_id }: Review,
  context: RequestContext,
  { state, change }: { state: 'corrected' | 'open'; change: () => Promise<void> },
): Promise<ReviewCorrected> {
  const { user, services, options } = context;
  const earlier = await services.runsStore.get(runId);
  // Runs of others may read the correction, so the user needs the right to repeat the run or to change its flow.
  await (earlier ? requireRepeat(earlier, {}, context) : authorize(flowPolicy, 'change', flow_id, context));
  await change();
  await services.reviews.decide(user, { ids: [id], version }, state);
  try {
    const { run } = await repeatDocuments(context, runId, { mode: 'chosen', documents: [document_id] });
    return { job_run_id: run.job_run_id, refused: null };
  } catch (error) {
    const { code, message, status } = asAppError(error);
    if (status >= 500) throw error;
    return { job_run_id: null, refused: { code: spellCode(code, options.codeCase), message } };
  }
}

/** REVIEW_NOT_FOUND unless the user owns the run and the access list of the document names them. */
async function findReview(id: string, context: RequestContext): Promise<Review> {
  const review = await context.services.reviews.get(context.user, id);
  const entries = review ? await listReadableEntries(review.document_id, context) : [];
  if (review && entries.some(({ job_id }) => job_id === review.job_id)) return review;
  throw new AppError('REVIEW_NOT_FOUND', `There is no review '${id}'.`, {
    target: { type: 'parameter', name: 'review_id' },
  });
}

function requireVersion({ version, name }: Review, seenVersion: string): void {
  if (version === seenVersion) return;
  throw new AppError(
    'CONFLICT',
    `'${name}' has changed since you opened it; read its new text before you correct it.`,
    {
      target: { type: 'field', name: 'version' },
    },
  );
}

function getCorrectionKey({ job_id, document_id, version }: Review): string {
  return buildCorrectionKey(job_id, document_id, version);
}

function toReply({ job_id: _job, ...review }: Review): ReviewReply {
  return review;
}

import type { ApiServices } from '../../../api/services';
import type { User } from '../../../model/access';
import type { Review, ReviewFilter } from '../../../services/review/reviews';

/** A document of alice that needs review, with these members changed. */
export function reviewOf(change: Partial<Review> = {}): Review {
  return {
    id: 'review-1',
    job_id: 'job',
    document_id: 'of-alice',
    name: 'scan.pdf',
    version: 'hash',
    flow_id: 'flow',
    flow_name: 'flow',
    owner: 'alice',
    job_run_id: 'run',
    operator: 'extract',
    pages: 3,
    confidence: 0.42,
    doubts: [{ code: 'low_confidence', message: '1 page with a confidence below 70 %.', pages: [2] }],
    state: 'open',
    found_at: '2026-01-02T03:04:05.000Z',
    decided_at: null,
    decided_by: null,
    ...change,
  };
}

/** The review queue in memory. */
export function memoryReviews(reviews: Review[] = []): ApiServices['reviews'] {
  const found = (user: User, { everyone, ids, state, flow_id, code, version }: ReviewFilter & { version?: string }) =>
    reviews.filter(
      (review) =>
        (everyone || review.owner === user.username) &&
        (ids?.includes(review.id) ?? true) &&
        (state === undefined || review.state === state) &&
        (flow_id === undefined || review.flow_id === flow_id) &&
        (version === undefined || review.version === version) &&
        (code === undefined || review.doubts.some((doubt) => doubt.code === code)),
    );
  return {
    list: async (user, filter, { limit, offset }) => {
      const all = found(user, filter);
      return { items: all.slice(offset, offset + limit), total: all.length };
    },
    get: async (user, id) => found(user, { ids: [id] })[0],
    decide: async (user, filter, state) => {
      const all = found(user, filter);
      for (const review of all) Object.assign(review, { state, decided_by: state === 'open' ? null : user.username });
      return all.length;
    },
    forgetJob: async (id) => {
      const keptReviews = reviews.filter(({ job_id, flow_id }) => job_id !== id && flow_id !== id);
      reviews.splice(0, reviews.length, ...keptReviews);
    },
  };
}

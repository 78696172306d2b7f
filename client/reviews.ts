import type { ReviewCorrected, ReviewCorrection, ReviewPage, ReviewReply } from '../model/review/wire';
import type { Call } from './http';

/** Documents whose conversion is doubtful. */
export interface ReviewMethods {
  reviews: {
    list(query?: {
      limit?: number;
      offset?: number;
      state?: ReviewReply['state'];
      code?: ReviewReply['doubts'][number]['code'];
      flow_id?: string;
    }): Promise<ReviewPage>;
    get(reviewId: string): Promise<ReviewReply>;
    /** The corrected text, else the converted one. */
    markdown(reviewId: string): Promise<string>;
    /** With `accept` false, they return to the queue. */
    accept(ids: string[], accept?: boolean): Promise<{ changed: number }>;
    /** Replaces the text and processes the document with it. */
    correct(reviewId: string, correction: ReviewCorrection): Promise<ReviewCorrected>;
    /** Discards the correction and processes the document with its converted text. */
    discard(reviewId: string): Promise<ReviewCorrected>;
  };
}

/** Implements these methods over `send` and `readText`, which returns the text of a reply. */
export function createReviewMethods(
  send: <T>(call: Call) => Promise<T>,
  readText: (call: Call) => Promise<string>,
): ReviewMethods {
  const all = '/api/v1/reviews';
  const buildPath = (id: string, rest = '') => `${all}/${encodeURIComponent(id)}${rest}`;
  return {
    reviews: {
      list: (query) => send({ method: 'GET', path: all, query: { ...query } }),
      get: (id) => send({ method: 'GET', path: buildPath(id) }),
      markdown: (id) => readText({ method: 'GET', path: buildPath(id, '/markdown') }),
      accept: (ids, accept = true) => send({ method: 'POST', path: `${all}/accept`, body: { ids, accept } }),
      correct: (id, body) => send({ method: 'PUT', path: buildPath(id, '/correction'), body }),
      discard: (id) => send({ method: 'DELETE', path: buildPath(id, '/correction') }),
    },
  };
}
